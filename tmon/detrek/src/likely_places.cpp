#include "likely_places.hpp"

#include <algorithm>

#include <tmon_streams/subtask_digits.hpp>

namespace tmon_detrek {

LikelyPlaces::LikelyPlaces(const tmon_streams::Trace& trace, const EventGraphs& graphs, const StopSurvey& survey,
                           const SettledStops& settled, const Silence& silence, const std::vector<FaultRow>& rows)
    : trace_(trace),
      graphs_(graphs),
      spec_(graphs.spec()),
      tree_(graphs.tree()),
      survey_(survey),
      settled_(settled),
      silence_(silence),
      rows_(rows) {}

Process LikelyPlaces::failing_process(const FaultRow& row) const {
    if (row.kind != StopKind::NotReceived) return row.process;
    const bool computes = !spec_.divides() || !tree_.may_pass_down(row.worker);
    return computes ? Process::Compute : Process::SplitOrCompute;
}

bool LikelyPlaces::stop_above(std::uint16_t worker) const {
    for (auto node = tree_.parent(worker); node; node = tree_.parent(*node)) {
        if (!survey_.at(*node).passes_results_on()) return true;
    }
    return false;
}

// The node that fell silent with the sub-task of this row, or with the one it was split from.
std::optional<std::uint16_t> LikelyPlaces::silent_holder(const FaultRow& row) const {
    if (row.kind == StopKind::ResultNotTaken || row.kind == StopKind::GivenBack) return std::nullopt;
    const auto top = silence_.over(row.worker);
    if (!top) return std::nullopt;
    const auto& held = survey_.at(*top).outstanding;
    const bool holds = std::any_of(held.begin(), held.end(), [&](const Outstanding& each) { return each.task == row.task; });
    return holds ? top : std::nullopt;
}

// The death of a node explains all that is unfinished below it: the place is this node, with what it was sent. The node may
// have had no time to report its work, so the process is the last that its records show.
std::vector<FaultRow> LikelyPlaces::at_silent_holders(const std::vector<FaultRow>& rows) const {
    std::vector<FaultRow> result;
    for (const std::uint16_t top : silence_.tops()) {
        FaultRow last{rows.front().task, 0, top, Process::SplitOrCompute, StopKind::Held, top, 0, true};
        bool holds = false;
        for (const FaultRow& row : rows) {
            if (silent_holder(row) != top) continue;
            holds = true;
            if (row.worker != top || last.process == Process::Join) continue;
            last.process = failing_process(row);
            last.kind = row.kind;
        }
        if (!holds) continue;
        for (const Outstanding& each : survey_.at(top).outstanding) {
            last.subtask = last.stopped = each.subtask;
            if (each.task == last.task) result.push_back(last);
        }
    }
    return result.empty() ? rows : result;
}

// True when another stop explains this one.
bool LikelyPlaces::is_victim(const FaultRow& row) const {
    if (silent_holder(row)) return false;
    switch (row.kind) {
        case StopKind::JoinWaiting:
            return true;
        case StopKind::NotGenerated:
            return !trace_.streams[0].whole() || !silence_.tops().empty();
        case StopKind::BranchNotSent:
        case StopKind::NotSentAgain:
            return waits_below(row.worker);
        case StopKind::Held:
        case StopKind::NotReceived:
            if (!tree_.may_pass_down(row.worker)) return !settled_.is_first_sent(row);
            if (waits_below(row.worker)) return true;
            return row.kind == StopKind::NotReceived && !settled_.is_first_sent(row);
        case StopKind::JoinReady:
        case StopKind::ForwardPending:
            return stop_above(row.worker);
        case StopKind::ResultNotTaken:
        case StopKind::GivenBack:
            return row.node != 0 && (!survey_.at(row.node).passes_results_on() || stop_above(row.node));
        case StopKind::Unanticipated:
            return false;
    }
    return false;
}

std::vector<FaultRow> LikelyPlaces::first_causes() const {
    std::vector<FaultRow> causes;
    for (const FaultRow& row : rows_) {
        if (!causes.empty() && causes.front().task != row.task) break;
        if (!is_victim(row)) causes.push_back(row);
    }
    return causes.empty() ? causes : at_silent_holders(causes);
}

std::vector<StopPlace> LikelyPlaces::causes_beside(std::uint32_t task) const {
    constexpr std::size_t most_kept = 100;
    std::vector<StopPlace> causes;
    for (const FaultRow& row : rows_) {
        if (row.task == task || is_victim(row) || causes.size() == most_kept) continue;
        causes.push_back({row.task, row.stopped, row.worker, failing_process(row)});
    }
    return causes;
}

std::vector<std::uint16_t> LikelyPlaces::deciding_nodes(const std::vector<FaultRow>& rows) const {
    std::vector<bool> decides(trace_.streams.size());
    decides[0] = true;
    for (const FaultRow& row : rows) {
        const auto silent = silent_holder(row);  // what this node and those below it did changes nothing
        std::optional<std::uint16_t> node = silent ? tree_.parent(*silent) : row.worker;
        for (; node; node = tree_.parent(*node)) decides[*node] = true;
    }
    std::vector<std::uint16_t> result;
    for (std::size_t node = 0; node < decides.size(); ++node) {
        if (decides[node]) result.push_back(static_cast<std::uint16_t>(node));
    }
    return result;
}

std::vector<FaultRow> LikelyPlaces::dropped_on_arrival() const {
    std::vector<FaultRow> dropped;
    if (trace_.session == tmon_streams::SessionEnd::ProgramEnded) return dropped;  // then arrivals are not recorded any more
    for (const FaultRow& row : rows_) {
        if (!dropped.empty() && dropped.front().task != row.task) break;
        if (row.kind != StopKind::ResultNotTaken && row.kind != StopKind::NotReceived) continue;
        if (trace_.streams[sender_of(row).receiver].whole()) dropped.push_back(row);
    }
    return dropped;
}

bool LikelyPlaces::came_back_from_below(const FaultRow& row) const {
    for (const EventGraphs::Edge& edge : graphs_.edges()) {
        if (edge.worker != row.worker || edge.subtask != row.stopped) continue;
        for (const auto& choice : edge.branches) {
            if (graphs_.standing(choice, row.task).back) return true;
        }
    }
    return false;
}

LikelyPlaces::Sender LikelyPlaces::sender_of(const FaultRow& row) const {
    const std::uint16_t above = *tree_.parent(row.worker);
    if (row.kind == StopKind::ResultNotTaken) {
        const Process passes_on = !spec_.divides() ? Process::Collecting : Process::Join;
        return {row.worker, above, row.stopped, came_back_from_below(row) ? passes_on : Process::Compute};
    }
    if (above == 0) return {0, row.worker, row.stopped, Process::DataGenerator};
    if (!spec_.divides()) return {above, row.worker, row.stopped, Process::Distributing};
    return {above, row.worker, row.stopped & tmon_streams::low_digits(tree_.level(above) + 1), Process::SplitOrCompute};
}

}  // namespace tmon_detrek
