#include "settled_stops.hpp"

namespace tmon {

SettledStops::SettledStops(const Trace& trace, const EventGraphs& graphs, const StopSurvey& survey)
    : trace_(trace), spec_(graphs.spec()), tree_(graphs.tree()), survey_(survey) {}

// Nothing above the worker can keep a result from rising: every node up to the manager lived, its records are all there,
// and no result waits on it. strictly: it has no sub-task of its own either, whose result might be the one that waits, and
// no other child that keeps it busy.
bool SettledStops::way_up_is_clear(std::uint16_t worker, bool strictly) const {
    std::uint16_t from = worker;
    for (auto node = tree_.parent(worker); node; from = *node, node = tree_.parent(*node)) {
        const NodeStops& stops = survey_.at(*node);
        if (!whole(*node) || !stops.passes_results_on()) return false;
        if (strictly && *node > 0 && (!stops.holds_nothing() || other_child_is_busy(*node, from))) return false;
    }
    return true;
}

bool SettledStops::other_child_is_busy(std::uint16_t node, std::uint16_t except) const {
    for (const std::uint16_t child : tree_.children(node)) {
        if (child != except && (!survey_.at(child).outstanding.empty() || survey_.outstanding_below(child))) return true;
    }
    return false;
}

bool SettledStops::is_first_sent(const FaultRow& row) const {
    const auto& outstanding = survey_.at(row.worker).outstanding;
    return !outstanding.empty() && outstanding.front().task == row.task && outstanding.front().subtask == row.stopped;
}

// Nobody can tell a function that hangs on a child of the manager from a result_receiver() that does.
bool SettledStops::is_below_a_worker(std::uint16_t node) const {
    return tree_.parent(node) != std::uint16_t{0};
}

// Whether a node computes what it was given in that order: not with priorities, nor where others take from it.
bool SettledStops::keeps_order() const {
    return spec_.distribution == Distribution::FloodFilling || spec_.distribution == Distribution::RoundRobin;
}

// A leaf computes and does nothing else. One that died did so in the only sub-task it had; one that lives hangs in the
// first it got.
bool SettledStops::leaf_is_settled(const FaultRow& row) const {
    if (!is_first_sent(row) || (!keeps_order() && survey_.at(row.worker).outstanding.size() > 1)) return false;
    if (!alive(row.worker)) return survey_.at(row.worker).outstanding.size() == 1 && way_up_is_clear(row.worker, false);
    return trace_.session == SessionEnd::StoodStill && is_below_a_worker(row.worker) && whole(row.worker) &&
           row.kind == StopKind::Held && way_up_is_clear(row.worker, true);
}

// A worker with children that lives and holds a sub-task though nothing above or below keeps it from going on. With work
// stealing it may hold one for a child that never asks.
bool SettledStops::inner_is_settled(const FaultRow& row) const {
    const NodeStops& stops = survey_.at(row.worker);
    if (spec_.distribution == Distribution::WorkStealing || trace_.session != SessionEnd::StoodStill) return false;
    if (!is_below_a_worker(row.worker) || !whole(row.worker)) return false;
    if (!way_up_is_clear(row.worker, true) || stops.not_received > 0 || stops.not_taken > 0) return false;
    if (row.kind == StopKind::JoinReady) return stops.join_ready == 1 && stops.held == 0;
    return row.kind == StopKind::Held && stops.held == 1 && stops.join_ready == 0 && stops.forward_pending == 0 &&
           !survey_.outstanding_below(row.worker);
}

bool SettledStops::is_settled(const FaultRow& row) const {
    const bool leaf = !tree_.may_pass_down(row.worker);
    if (row.kind == StopKind::NotReceived) return leaf && leaf_is_settled(row);
    if (row.kind == StopKind::Held) return leaf ? leaf_is_settled(row) : inner_is_settled(row);
    return row.kind == StopKind::JoinReady && inner_is_settled(row);
}

// Waits for another stop of the same task, or for a child that has one.
bool SettledStops::is_explained(const FaultRow& row) const {
    if (row.kind == StopKind::JoinWaiting) return true;
    const bool waits_below = row.kind == StopKind::BranchNotSent || row.kind == StopKind::Held;
    return waits_below && whole(row.worker) && survey_.outstanding_below(row.worker);
}

bool SettledStops::all_are_settled(const std::vector<FaultRow>& rows) const {
    bool any = false;
    for (const FaultRow& row : rows) {
        const bool settled = is_settled(row);
        any = any || settled;
        if (!settled && !is_explained(row)) return false;
    }
    return any;
}

}  // namespace tmon
