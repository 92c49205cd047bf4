#include "farm_window.hpp"

#include <algorithm>

namespace session {

using vocabulary::NodeId;

FarmWindow::FarmWindow(hw_model::Machine& machine, const farm_spec::FarmSpec& farm)
    : machine_(machine),
      is_farm_(farm.is_farm()),
      is_mpi_(farm.model == "mpi"),
      exchanges_(farm.tasks),
      members_(farm.members()),
      nodes_(members_.empty() ? 0 : members_.back().value() + 1U) {}

FarmWindow::Busy FarmWindow::now(NodeId node) const {
    const hw_model::ProcessorTotals totals = machine_.node(node).processor.totals();
    return {totals.high_busy, totals.low_busy};
}

void FarmWindow::begin() {
    began_ = true;
    for (const NodeId node : members_) nodes_[node.value()].first = now(node);
}

void FarmWindow::on_finished(NodeId id, vocabulary::SimTime when) {
    Node& node = nodes_.at(id.value());
    if (node.ended) return;
    node.ended = true;
    node.last = now(id);
    last_end_ = std::max(last_end_, when);
    if (!is_farm_ && !is_mpi_ && id.value() == 0) counts_.results = exchanges_;
}

void FarmWindow::on_moved(const trek_kernel::TaskMoved& what, vocabulary::SimTime when) {
    if (!began_) begin();
    counts_.last_step = when;
    counts_.began = std::min(counts_.began, counts_.last_step);
    ++counts_.moved;
    if (is_farm_ && what.node.value() == 0 && what.result && !what.sent) counts_.results += what.tasks;
}

void FarmWindow::on_step(const trek_kernel::TaskStep& what, vocabulary::SimTime when) {
    counts_.last_step = when;
    if (is_mpi_) return on_rank(what.moment == trek_kernel::Moment::End, when);
    const bool by_manager = what.node.value() == 0 && what.process == trek_kernel::UserProcess::Compute;
    // A step of a halo follows a whole exchange.
    const auto counted = is_farm_ ? trek_kernel::Moment::End : trek_kernel::Moment::Begin;
    if (by_manager && what.moment == counted) ++counts_.results;
}

void FarmWindow::on_rank(bool has_ended, vocabulary::SimTime when) {
    if (!began_) begin();
    counts_.began = std::min(counts_.began, when);
    if (has_ended) ++counts_.results;
}

void FarmWindow::look() {
    if (!began_) return;
    const bool nothing_happened = counts_.last_step == looked_at_;
    looked_at_ = counts_.last_step;
    if (nothing_happened && silent_) return;
    silent_ = nothing_happened;
    if (!silent_) return;
    silent_since_ = machine_.timeline().now();
    for (const NodeId id : members_) {
        Node& node = nodes_[id.value()];
        if (!node.ended) node.last = now(id);
    }
}

vocabulary::SimTime FarmWindow::end() const {
    const bool all_ended =
        std::all_of(members_.begin(), members_.end(), [this](NodeId id) { return nodes_[id.value()].ended; });
    if (!began_ || all_ended) return last_end_;
    return std::max(last_end_, silent_ ? silent_since_ : machine_.timeline().now());
}

void FarmWindow::tell(NodeId id, NodeLine& line) const {
    if (!began_) return;
    const Node& node = nodes_.at(id.value());
    const Busy last = node.ended || silent_ ? node.last : now(id);
    line.farm_high = last.high - node.first.high;
    line.farm_low = last.low - node.first.low;
}

}  // namespace session
