// The end: a stop runs down the tree, the numbers of computed tasks run up.
#include <algorithm>
#include <cstring>
#include <utility>

#include "recovery.hpp"

namespace trek_kernel {

void TrekNode::stop_arrived(Api& api) {
    if (std::exchange(stopping_, true)) return;
    for (auto& child : children_) {
        api.charge(setup_.costs.queue_operation);
        api.port().settle();
        child->queue.push_back(std::make_unique<Item>(Item{Kind::Stop, {}, {}}));
        wake(child->thread);
    }
    report_finished(api);
}

void TrekNode::counts_arrived(Api& api, Child& child, const Item& item) {
    child.counted = true;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        std::uint32_t count = 0;
        std::memcpy(&count, item.body.data() + i * sizeof count, sizeof count);
        counts_[i] += count;
    }
    --counts_missing_;
    wake(stopping_thread_);
    report_finished(api);
}

bool TrekNode::holds_nothing() const {
    return buffer_.empty() && (!recovery_ || !recovery_->waits()) && !computing_ && !splitting_ && results_.empty() &&
           up_.empty() && joins_.empty() && to_join_.empty() &&
           std::all_of(children_.begin(), children_.end(),
                       [](const auto& c) { return c->given_up || (c->queue.empty() && c->pending.empty()); });
}

void TrekNode::report_finished(Api& api) {
    if (!stopping_ || counts_missing_ > 0) return;
    if (!counts_sent_ && !is_manager()) {
        counts_sent_ = true;
        counts_[kernel_.node().value()] = computed_;
        auto item = std::make_unique<Item>(Item{Kind::Counts, {}, Bytes(counts_.size() * sizeof(std::uint32_t))});
        std::memcpy(item->body.data(), counts_.data(), item->body.size());
        pass_result(api, std::move(item));
        return;
    }
    if (finished_told_ || !holds_nothing()) return;
    finished_told_ = true;
    for (Witness* witness : setup_.witnesses) witness->on_finished(kernel_.node(), api.port().now());
    for (ProbePoint* probe : setup_.probes) probe->on_finished(api);
}

}  // namespace trek_kernel
