// SettledStops: the rules of certainty. A stop is settled when the records allow no other place for it; whether they can be
// believed is not asked here. Private: verdict.cpp decides.
#pragma once

#include <cstdint>
#include <vector>

#include "stop_survey.hpp"
#include "tmon/event_graphs.hpp"
#include "tmon/fault_list.hpp"
#include "tmon/trace.hpp"

namespace tmon {

class SettledStops {
public:
    // All three must outlive it.
    SettledStops(const Trace& trace, const EventGraphs& graphs, const StopSurvey& survey);

    bool is_settled(const FaultRow& row) const;
    // One at least is, and each of the others waits for another stop.
    bool all_are_settled(const std::vector<FaultRow>& rows) const;
    // Of all that the worker was sent and has not answered, the sub-task of this row was first.
    bool is_first_sent(const FaultRow& row) const;

private:
    bool whole(std::uint16_t node) const { return trace_.streams[node].whole(); }
    bool alive(std::uint16_t node) const { return trace_.streams[node].state == StreamState::Finished; }
    bool way_up_is_clear(std::uint16_t worker, bool strictly) const;
    bool other_child_is_busy(std::uint16_t node, std::uint16_t except) const;
    bool is_below_a_worker(std::uint16_t node) const;
    bool keeps_order() const;
    bool leaf_is_settled(const FaultRow& row) const;
    bool inner_is_settled(const FaultRow& row) const;
    bool is_explained(const FaultRow& row) const;

    const Trace& trace_;
    const FarmSpec& spec_;
    const FarmTree& tree_;
    const StopSurvey& survey_;
};

}  // namespace tmon
