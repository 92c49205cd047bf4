#include "computation.hpp"

#include <utility>

#include "recovery.hpp"
#include "stealing.hpp"

namespace trek_kernel {

void Computation::run(Api& api) {
    desk_.compute.worker = &api.port().self();
    while (true) {
        if (!desk_.compute.task) {
            api.wait();
            continue;
        }
        Bundler results(desk_.config.granularity);
        try {
            for (ItemPtr& task : unbundle(std::move(desk_.compute.task), desk_.config.granularity)) {
                compute(api, *task, results);
                desk_.spares.put(std::move(task));
            }
        } catch (const ProcessEnds&) {
            return;
        }
        finish(api, results);
    }
}

void Computation::compute(Api& api, const Item& task, Bundler& results) {
    Context context(api, UserProcess::Compute, task.id, desk_.probes.witnesses());
    context.issued_again = task.again;
    api.charge(desk_.costs.execute);
    desk_.probes.step(api.calls(), task.id, UserProcess::Compute, Moment::Begin).get();
    desk_.probes.input(task.id, UserProcess::Compute, task.body, api.port().now());
    auto result = std::make_unique<Item>(Item{MessageKind::Result, task.id, {}});
    result->body = desk_.farm.application->compute(context, task.body);
    desk_.probes.step(api.calls(), task.id, UserProcess::Compute, Moment::End).get();
    ++desk_.computed;
    desk_.outputs.emit(api, std::move(result), context.output, [&](ItemPtr out) { results.add(std::move(out)); });
}

void Computation::finish(Api& api, Bundler& results) {
    Parts made;
    results.close([&](ItemPtr out) {
        if (desk_.room.make_room(api.calls(), *out).get()) made.push_back(std::move(out));
    });
    api.charge(desk_.costs.queue_operation);
    api.settle();
    desk_.compute.taken = false;
    if (!desk_.tasks.items.empty() || (desk_.recovery != nullptr && desk_.recovery->waits()))
        desk_.wake(desk_.tasks.reader).get();
    bool sent = false;
    for (ItemPtr& out : made) {
        if (!desk_.divides && !sent) desk_.tokens_up.add(1);  // the place is free: the result takes the token along
        out->steals = !sent && desk_.stealing != nullptr && desk_.stealing->would_steal();
        sent = true;
        desk_.results.items.push_back(std::move(out));
        desk_.wake(desk_.results.reader).get();
    }
    if (sent) return;
    if (!desk_.divides) desk_.ask_parent(api.calls(), 1).get();
    if (desk_.stealing != nullptr) desk_.stealing->steal_without_result().get();
}

}  // namespace trek_kernel
