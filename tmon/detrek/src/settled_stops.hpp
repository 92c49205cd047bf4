// SettledStops: the rules of certainty. A stop is settled when the records allow no other place for it. Contradictory records
// are checked elsewhere. Private: verdict.cpp decides.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <farm_spec/farm_tree.hpp>
#include <tmon_detrek/event_graphs.hpp>
#include <tmon_detrek/fault_list.hpp>
#include <tmon_streams/trace.hpp>
#include "stop_survey.hpp"

namespace tmon_detrek {

// How narrow a settled stop's place is. With neither member set: on the node or on one of its links.
struct SettledPlace {
    bool in_process = false;            // in the process that the row names
    std::vector<std::uint16_t> behind;  // silent children: the sub-task may be on its way to one of them, or below
};

class SettledStops {
public:
    // All must outlive it. filled: see Completion; may be empty.
    SettledStops(const tmon_streams::Trace& trace, const EventGraphs& graphs, const StopSurvey& survey,
                 const std::vector<std::uint32_t>& filled);

    // Empty: other places are possible.
    std::optional<SettledPlace> place(const FaultRow& row) const;
    // True when at least one is settled, and each of the others waits for another stop.
    bool all_are_settled(const std::vector<FaultRow>& rows) const;
    // True when this row's sub-task is the first one sent to the worker that has no answer.
    bool is_first_sent(const FaultRow& row) const;
    // False for a node that may wait for its monitor at its first record.
    bool has_begun(std::uint16_t node) const;
    // True when every worker above has a sub-task of its own, or a busy child beside the way: its result may be one that waits.
    bool results_may_wait_above(std::uint16_t worker) const;

private:
    bool whole(std::uint16_t node) const { return trace_.streams[node].whole(); }
    bool alive(std::uint16_t node) const { return trace_.streams[node].state == tmon_streams::StreamState::Finished; }
    bool has_order(std::uint16_t node) const { return node >= filled_.size() || filled_[node] <= 1; }
    bool links_are_proven() const;
    bool way_up_is_clear(std::uint16_t worker, bool strictly) const;
    bool other_child_is_busy(std::uint16_t node, std::uint16_t except) const;
    bool is_below_a_worker(std::uint16_t node) const;
    bool keeps_order() const;
    std::optional<SettledPlace> leaf(const FaultRow& row) const;
    std::optional<SettledPlace> inner(const FaultRow& row) const;
    SettledPlace held_by_inner(const FaultRow& row) const;
    std::vector<std::uint16_t> silent_children(std::uint16_t worker) const;
    bool stayed_at_inner(const FaultRow& row) const;
    bool passed_down(std::uint16_t worker, std::uint32_t task, SubTaskId subtask) const;
    bool is_explained(const FaultRow& row) const;

    const tmon_streams::Trace& trace_;
    const EventGraphs& graphs_;
    const farm_spec::FarmSpec& spec_;
    const farm_spec::FarmTree& tree_;
    const StopSurvey& survey_;
    const std::vector<std::uint32_t>& filled_;
};

}  // namespace tmon_detrek
