// StopSurvey: the unfinished sub-tasks of each node, from the records. The verdict's rules ask which nodes were clear and
// which sub-tasks wait behind others.
#pragma once

#include <cstdint>
#include <vector>

#include <farm_spec/farm_tree.hpp>
#include <tmon_detrek/event_graphs.hpp>
#include <tmon_streams/trace.hpp>

namespace tmon_detrek {

struct Outstanding {  // sent to a worker, result not received by its parent
    std::uint32_t task = 0;
    SubTaskId subtask = 0;
    std::uint32_t sent_seq = 0;  // at the parent
    bool found = false;          // the record of the send was found
};

struct NodeStops {
    std::vector<Outstanding> outstanding;  // in the order in which the parent sent them
    unsigned held = 0;                     // received, nothing passed down, no result
    unsigned not_received = 0;             // sent by the parent, no record of the arrival
    unsigned join_ready = 0;               // all branches back, no result of the whole
    unsigned forward_pending = 0;          // processor farm: a result from below, not passed on
    unsigned not_taken = 0;                // results that children sent and this node did not receive
    unsigned not_taken_back = 0;           // the same for stolen tasks

    bool passes_results_on() const { return join_ready == 0 && forward_pending == 0 && not_taken == 0 && not_taken_back == 0; }
    bool holds_nothing() const { return held == 0 && not_received == 0; }
};

class StopSurvey {
public:
    StopSurvey(const tmon_streams::Trace& trace, const EventGraphs& graphs);

    const NodeStops& at(std::uint16_t node) const { return nodes_[node]; }
    // True when a node strictly below this one has an outstanding sub-task.
    bool outstanding_below(std::uint16_t node) const { return below_[node]; }

private:
    void survey_task(const EventGraphs& graphs, std::uint32_t task);
    static bool is_over(const EventGraphs& graphs, std::uint32_t edge, std::uint32_t task);
    void order_by_sending(const tmon_streams::Trace& trace, const farm_spec::FarmTree& tree);

    std::vector<NodeStops> nodes_;
    std::vector<bool> below_;
};

}  // namespace tmon_detrek
