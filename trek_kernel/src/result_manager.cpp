#include "result_manager.hpp"

#include <utility>

#include "bundle.hpp"

namespace trek_kernel {

void ResultManager::run(Api& api) {
    desk_.results.reader = &api.port().self();
    while (true) {
        if (desk_.results.items.empty()) {
            api.port().wait();
            continue;
        }
        api.charge(desk_.costs.decision);
        ItemPtr item = std::move(desk_.results.items.front());
        desk_.results.items.pop_front();
        if (desk_.room.closed()) {
            desk_.room.let_go(*item);
        } else if (desk_.is_manager) {
            accept(api, std::move(item));
        } else if (!desk_.divides) {
            desk_.pass_result(api, std::move(item));
        } else {
            join_or_pass(api, std::move(item));
        }
    }
}

void ResultManager::accept(Api& api, ItemPtr message) {
    for (ItemPtr& result : desk_.room.take_apart(std::move(message), desk_.config.granularity)) {
        if (is_expected(result->id)) {
            desk_.pass_result(api, std::move(result));
        } else {
            desk_.room.let_go(*result);
        }
    }
}

bool ResultManager::is_expected(const TaskIdentity& result) {
    if (!desk_.ledger.comes_back(result)) {
        desk_.kernel.drop("trek.result", "a result of a task that is not under way", result.task, result.subtask);
        return false;
    }
    for (Witness* witness : desk_.probes.witnesses()) witness->on_home(result.task, desk_.kernel.port().now());
    return true;
}

void ResultManager::join_or_pass(Api& api, ItemPtr message) {
    const std::uint32_t granularity = desk_.config.granularity;
    Bundler others(granularity);
    for (ItemPtr& result : desk_.room.take_apart(std::move(message), granularity)) {
        if (join(api, *result)) continue;
        if (granularity > 1) desk_.room.let_go(*result);
        others.add(std::move(result));
    }
    others.close([&](ItemPtr out) {
        if (granularity > 1) desk_.room.hold(*out, out->body.size());
        desk_.pass_result(api, std::move(out));
    });
}

bool ResultManager::join(Api& api, Item& result) {
    if (desk_.place.level >= most_depth) return false;
    const auto place = desk_.joins.place_of(result.id);
    if (!place) return false;
    if (!desk_.joins.add(*place, result)) return true;
    api.charge(desk_.costs.queue_operation);
    api.port().settle();
    desk_.joins.complete(*place);
    desk_.wake(desk_.joiner);
    return true;
}

}  // namespace trek_kernel
