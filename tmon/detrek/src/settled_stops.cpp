#include "settled_stops.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace tmon_detrek {

SettledStops::SettledStops(const tmon_streams::Trace& trace, const EventGraphs& graphs, const StopSurvey& survey,
                           const std::vector<std::uint32_t>& filled)
    : trace_(trace), graphs_(graphs), spec_(graphs.spec()), tree_(graphs.tree()), survey_(survey), filled_(filled) {}

// An end mark came over the links that tasks and results take, when the farm had come to rest. So none of these links is
// plugged.
bool SettledStops::links_are_proven() const {
    return trace_.session == tmon_streams::SessionEnd::StoodStill && !trace_.marks_take_other_ways;
}

// Nothing above the worker can keep a result from rising. Every node up to the manager lived, its records are all there, and no
// result waits on it. With `strictly`, none of these nodes has a sub-task of its own either, whose result might be the one that
// waits. Nor has it another child that keeps it busy.
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

bool SettledStops::results_may_wait_above(std::uint16_t worker) const {
    std::uint16_t from = worker;
    for (std::uint16_t node = *tree_.parent(worker); node != 0; from = node, node = *tree_.parent(node)) {
        const NodeStops& stops = survey_.at(node);
        if (stops.holds_nothing() && stops.passes_results_on() && !other_child_is_busy(node, from)) return false;
    }
    return true;
}

bool SettledStops::is_first_sent(const FaultRow& row) const {
    const auto& outstanding = survey_.at(row.worker).outstanding;
    return !outstanding.empty() && outstanding.front().task == row.task && outstanding.front().subtask == row.stopped;
}

// The records cannot tell a function that hangs on a child of the manager from a result_receiver() that hangs.
bool SettledStops::is_below_a_worker(std::uint16_t node) const {
    return tree_.parent(node) != std::uint16_t{0};
}

// True when a node computes what it was given in that order: not with priorities, nor where other nodes take from it.
bool SettledStops::keeps_order() const {
    return spec_.policy == farm_spec::Policy::FloodFilling || spec_.policy == farm_spec::Policy::RoundRobin;
}

// A node whose monitor never began waits for it at its first record: the node lives, and nothing of it fails.
bool SettledStops::has_begun(std::uint16_t node) const {
    return trace_.streams[node].size() > 0 || graphs_.has_returned(node);
}

// A leaf computes and does nothing else. When a leaf fell silent, its only sub-task is still there, or on one of its links. A
// leaf that lives hangs in the first it got.
std::optional<SettledPlace> SettledStops::leaf(const FaultRow& row) const {
    const std::uint16_t node = row.worker;
    const std::size_t outstanding = survey_.at(node).outstanding.size();
    const bool in_order = keeps_order() && has_order(*tree_.parent(node));
    if (!is_first_sent(row) || (!in_order && outstanding > 1)) return {};
    if (!alive(node)) {
        if (outstanding > 1 || !has_begun(node) || !way_up_is_clear(node, false)) return {};
        return SettledPlace{};
    }
    if (!links_are_proven() || !is_below_a_worker(node) || !whole(node) || row.kind != StopKind::Held) return {};
    if (!way_up_is_clear(node, true)) return {};
    return SettledPlace{true, {}};
}

// A worker with children that lives and holds a sub-task though nothing above or below keeps it from going on. With work
// stealing it may hold one for a child that never asks.
std::optional<SettledPlace> SettledStops::inner(const FaultRow& row) const {
    const NodeStops& stops = survey_.at(row.worker);
    if (spec_.policy == farm_spec::Policy::WorkStealing || !links_are_proven()) return {};
    if (!is_below_a_worker(row.worker) || !whole(row.worker)) return {};
    if (!way_up_is_clear(row.worker, true) || stops.not_received > 0 || stops.not_taken > 0) return {};
    if (row.kind == StopKind::JoinReady) {
        if (stops.join_ready != 1 || stops.held > 0) return {};
        return SettledPlace{true, {}};
    }
    const bool alone = stops.held == 1 && stops.join_ready == 0 && stops.forward_pending == 0;
    if (row.kind != StopKind::Held || !alone || survey_.outstanding_below(row.worker)) return {};
    return held_by_inner(row);
}

// No record says that it was passed on. But a message is recorded when it has left, and to a silent child it may never have
// left. Then it is on the way, or there, or anywhere below.
SettledPlace SettledStops::held_by_inner(const FaultRow& row) const {
    std::vector<std::uint16_t> silent = silent_children(row.worker);
    if (silent.empty() || stayed_at_inner(row)) return {true, {}};
    return {false, std::move(silent)};
}

std::vector<std::uint16_t> SettledStops::silent_children(std::uint16_t worker) const {
    std::vector<std::uint16_t> silent;
    for (const std::uint16_t child : tree_.children(worker)) {
        if (!alive(child)) silent.push_back(child);
    }
    return silent;
}

// True when an edge below this sub-task has a record of its parent.
bool SettledStops::passed_down(std::uint16_t worker, std::uint32_t task, SubTaskId subtask) const {
    for (const EventGraphs::Edge& edge : graphs_.edges()) {
        if (edge.worker != worker || edge.subtask != subtask) continue;
        for (const auto& choice : edge.branches) {
            for (const std::uint32_t below : choice) {
                if ((graphs_.bits(below, task) & (EventGraphs::sent | EventGraphs::result_received)) != 0) return true;
            }
        }
    }
    return false;
}

// A task goes to the computation of the node it reaches when that is idle. It is idle when everything that had come before was
// passed on or had left as a result.
bool SettledStops::stayed_at_inner(const FaultRow& row) const {
    if (!keeps_order() || !has_order(row.worker)) return false;
    std::set<std::pair<std::uint32_t, SubTaskId>> here;
    const std::uint16_t above = *tree_.parent(row.worker);
    for (const auto part : trace_.streams[row.worker].in_passing()) {
        for (const Event& event : part) {
            if (event.peer != above) continue;
            const std::pair what{event.task, event.subtask};
            if (event.kind == EventKind::Send) {
                here.erase(what);
            } else if (event.task != row.task || event.subtask != row.stopped) {
                here.insert(what);
            } else {
                return std::all_of(here.begin(), here.end(),
                                   [&](const auto& each) { return passed_down(row.worker, each.first, each.second); });
            }
        }
    }
    return false;
}

std::optional<SettledPlace> SettledStops::place(const FaultRow& row) const {
    const bool is_leaf = !tree_.may_pass_down(row.worker);
    if (row.kind == StopKind::NotReceived) return is_leaf ? leaf(row) : std::nullopt;
    if (row.kind == StopKind::Held) return is_leaf ? leaf(row) : inner(row);
    return row.kind == StopKind::JoinReady ? inner(row) : std::nullopt;
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
        const bool settled = place(row).has_value();
        any = any || settled;
        if (!settled && !is_explained(row)) return false;
    }
    return any;
}

}  // namespace tmon_detrek
