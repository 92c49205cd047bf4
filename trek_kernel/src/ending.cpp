#include "ending.hpp"

#include <algorithm>
#include <utility>

#include "recovery.hpp"

namespace trek_kernel {

Ending::Ending(NodeDesk& desk) : desk_(desk), counts_missing_(desk.children.size()), counts_(desk.config.nodes) {}

void Ending::stop_arrived(Api& api) {
    if (std::exchange(stopping_, true)) return;
    for (Child& child : desk_.children) {
        api.charge(desk_.costs.queue_operation);
        api.port().settle();
        child.queue.push_back(signal_item(MessageKind::Stop));
        desk_.wake(child.writer);
    }
    report_finished(api);
}

void Ending::counts_arrived(Api& api, Child& child, std::span<const std::byte> counts) {
    child.counted = true;
    add_counts(counts, counts_);
    --counts_missing_;
    desk_.wake(stopper_);
    report_finished(api);
}

void Ending::child_lost(const Child& child) {
    if (!child.counted) --counts_missing_;
    desk_.wake(stopper_);
}

bool Ending::holds_nothing() const {
    return desk_.tasks.items.empty() && (desk_.recovery == nullptr || !desk_.recovery->waits()) && !desk_.compute.taken &&
           !desk_.split.taken && desk_.results.items.empty() && desk_.up.items.empty() && desk_.joins.empty() &&
           std::all_of(desk_.children.begin(), desk_.children.end(),
                       [](const Child& child) { return child.given_up || (child.queue.empty() && child.pending.empty()); });
}

void Ending::report_finished(Api& api) {
    if (!stopping_ || counts_missing_ > 0) return;
    if (!counts_sent_ && !desk_.is_manager) return send_counts(api);
    if (finished_told_ || !holds_nothing()) return;
    finished_told_ = true;
    desk_.probes.finished(api);
}

void Ending::send_counts(Api& api) {
    counts_sent_ = true;
    counts_[desk_.kernel.node().value()] = desk_.computed;
    desk_.pass_result(api, std::make_unique<Item>(Item{MessageKind::Counts, {}, encode_counts(counts_)}));
}

std::vector<std::uint32_t> Ending::stop_farm(Api& api) {
    stopper_ = &api.port().self();
    desk_.room.close();
    stop_arrived(api);
    while (counts_missing_ > 0) api.port().wait();
    counts_[0] = desk_.computed;  // nothing, unless all others are dead
    return counts_;
}

}  // namespace trek_kernel
