#include "result_manager.hpp"

#include <utility>

#include "bundle.hpp"

namespace trek_kernel {

Task<> ResultManager::run(Calls& calls) {
    desk_.results.reader = &calls.port().self();
    while (true) {
        if (desk_.results.items.empty()) {
            co_await calls.wait();
            continue;
        }
        calls.charge(desk_.costs.decision);
        ItemPtr item = std::move(desk_.results.items.front());
        desk_.results.items.pop_front();
        if (desk_.room.closed()) {
            co_await desk_.room.let_go(*item);
        } else if (desk_.is_manager) {
            co_await accept(calls, std::move(item));
        } else if (!desk_.divides) {  // NodeDesk::pass_result(), without its frame
            calls.charge(desk_.costs.queue_operation);
            co_await calls.settle();
            co_await desk_.wake(desk_.put_out(std::move(item)));
        } else {
            co_await join_or_pass(calls, std::move(item));
        }
    }
}

Task<> ResultManager::accept(Calls& calls, ItemPtr message) {
    Parts results = co_await desk_.room.take_apart(std::move(message), desk_.config.granularity);
    for (ItemPtr& result : results) {
        if (is_expected(result->id)) {
            co_await desk_.pass_result(calls, std::move(result));
        } else {
            co_await desk_.room.let_go(*result);
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

Task<> ResultManager::join_or_pass(Calls& calls, ItemPtr message) {
    const std::uint32_t granularity = desk_.config.granularity;
    Bundler others(granularity);
    Parts results = co_await desk_.room.take_apart(std::move(message), granularity);
    for (ItemPtr& result : results) {
        const bool joins_here = co_await join(calls, *result);
        if (joins_here) continue;
        if (granularity > 1) co_await desk_.room.let_go(*result);
        others.add(std::move(result));
    }
    Parts rest;
    others.close([&](ItemPtr out) { rest.push_back(std::move(out)); });
    for (ItemPtr& out : rest) {
        if (granularity > 1) desk_.room.hold(*out, out->body.size());
        co_await desk_.pass_result(calls, std::move(out));
    }
}

Task<bool> ResultManager::join(Calls& calls, Item& result) {
    if (desk_.place.level >= most_depth) co_return false;
    const auto place = desk_.joins.place_of(result.id);
    if (!place) co_return false;
    if (!desk_.joins.add(*place, result)) co_return true;
    calls.charge(desk_.costs.queue_operation);
    co_await calls.settle();
    desk_.joins.complete(*place);
    co_await desk_.wake(desk_.joiner);
    co_return true;
}

}  // namespace trek_kernel
