#include "ending.hpp"

#include <algorithm>
#include <utility>

#include "recovery.hpp"

namespace trek_kernel {

Ending::Ending(NodeDesk& desk) : desk_(desk), counts_missing_(desk.children.size()) {}

Task<> Ending::stop_arrived(Calls& calls) {
    if (std::exchange(stopping_, true)) co_return;
    for (Child& child : desk_.children) {
        calls.charge(desk_.costs.queue_operation);
        co_await calls.settle();
        child.queue.push_back(signal_item(MessageKind::Stop));
        co_await desk_.wake(child.writer);
    }
    co_await report_finished(calls);
}

Task<> Ending::counts_arrived(Calls& calls, Child& child, std::span<const std::byte> counts) {
    child.counted = true;
    add_counts(counts, counts_);
    --counts_missing_;
    co_await desk_.wake(stopper_);
    co_await report_finished(calls);
}

Task<> Ending::child_lost(const Child& child) {
    if (!child.counted) --counts_missing_;
    co_await desk_.wake(stopper_);
}

bool Ending::holds_nothing() const {
    return desk_.tasks.items.empty() && (desk_.recovery == nullptr || !desk_.recovery->waits()) && !desk_.compute.taken &&
           !desk_.split.taken && desk_.results.items.empty() && desk_.up.items.empty() && desk_.joins.empty() &&
           std::all_of(desk_.children.begin(), desk_.children.end(),
                       [](const Child& child) { return child.given_up || (child.queue.empty() && child.pending.empty()); });
}

Task<> Ending::report(Calls& calls) {
    if (!counts_sent_ && !desk_.is_manager) return send_counts(calls);
    if (finished_told_ || !holds_nothing()) return {};
    finished_told_ = true;
    return desk_.probes.finished(calls);
}

Task<> Ending::send_counts(Calls& calls) {
    counts_sent_ = true;
    counts_[desk_.kernel.node().value()] = desk_.computed;
    return desk_.pass_result(calls,
                             std::make_unique<Item>(Item{MessageKind::Counts, {}, encode_counts(counts_, desk_.config.nodes)}));
}

std::vector<std::uint32_t> Ending::stop_farm(Api& api) {
    stopper_ = &api.port().self();
    desk_.room.close().get();
    stop_arrived(api.calls()).get();
    while (counts_missing_ > 0) api.wait();
    counts_[0] = desk_.computed;  // nothing, unless all others are dead
    std::vector<std::uint32_t> by_node(desk_.config.nodes);
    for (const auto& [node, count] : counts_) by_node[node] = count;
    return by_node;
}

}  // namespace trek_kernel
