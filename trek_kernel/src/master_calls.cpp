#include "master_calls.hpp"

#include <utility>

namespace trek_kernel {

void MasterCalls::put_task(Api& api, std::span<const std::byte> task, const Output& how) {
    desk_.generator = &api.port().self();
    auto item = std::make_unique<Item>(Item{MessageKind::Task, {next_task_++, 0}, {task.begin(), task.end()}});
    item->priority = how.priority;
    desk_.outputs.emit(api, std::move(item), how, [&](ItemPtr out) { forming_.add(std::move(out)); });
    if (next_task_ % desk_.config.granularity == 0) flush_tasks(api);
}

void MasterCalls::flush_tasks(Api& api) {
    forming_.close([&](ItemPtr out) {
        while (desk_.tasks.items.size() >= desk_.config.buffers) api.wait();
        desk_.ledger.issued(*out);
        desk_.task_arrived(api.calls(), std::move(out)).get();
    });
}

Bytes MasterCalls::take_result(Api& api, TaskIdentity* whose) {
    desk_.collected.reader = &api.port().self();
    while (desk_.collected.items.empty()) api.wait();
    api.charge(desk_.costs.queue_operation);
    ItemPtr item = std::move(desk_.collected.items.front());
    desk_.collected.items.pop_front();
    desk_.room.let_go(*item).get();
    ++taken_;
    if (whose != nullptr) *whose = item->id;
    for (Witness* witness : desk_.probes.witnesses())
        witness->on_result({item->id.task, item->id.subtask, item->body}, api.port().now());
    return std::move(item->body);
}

}  // namespace trek_kernel
