// LikelyPlaces: tells stops that are causes from stops that wait for others, when the records allow several histories. The
// smallest explanation comes first: one silent node explains all silence below it and all waiting above it. Private:
// verdict.cpp decides.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <farm_spec/farm_tree.hpp>
#include <tmon_detrek/fault_list.hpp>
#include <tmon_detrek/verdict.hpp>
#include "settled_stops.hpp"
#include "silence.hpp"
#include "stop_survey.hpp"

namespace tmon_detrek {

class LikelyPlaces {
public:
    // All must outlive it. rows: by task.
    LikelyPlaces(const tmon_streams::Trace& trace, const EventGraphs& graphs, const StopSurvey& survey,
                 const SettledStops& settled, const Silence& silence, const std::vector<FaultRow>& rows);

    // Rows of the first task that no other stop explains, at the silent node that held it if there is one. Empty: each stop
    // waits for another.
    std::vector<FaultRow> first_causes() const;
    // Takes the rows of one task, and moves rows that a silent node explains to that node.
    std::vector<FaultRow> at_silent_holders(const std::vector<FaultRow>& rows) const;
    // Causes of other tasks; at most 100.
    std::vector<StopPlace> causes_beside(std::uint32_t task) const;
    // Nodes whose records decide about these rows, ascending. These are the nodes where the rows stopped, the parents of
    // silent holders, and all nodes from there to the manager.
    std::vector<std::uint16_t> deciding_nodes(const std::vector<FaultRow>& rows) const;
    // Rows of the first task with a message that left and did not arrive, although the receiver lived and no record of it is
    // missing.
    std::vector<FaultRow> dropped_on_arrival() const;
    struct Sender {
        std::uint16_t node = 0;
        std::uint16_t receiver = 0;
        SubTaskId subtask = 0;  // in hand at that moment
        Process process = Process::Compute;
    };
    // The node that made the row's message; in a processor farm, a node that only passed it on.
    Sender sender_of(const FaultRow& row) const;
    // The place assumed for the row's sub-task: if it had left the worker, the node that should have taken it.
    static std::uint16_t node_of(const FaultRow& row) {
        return row.kind == StopKind::ResultNotTaken || row.kind == StopKind::GivenBack ? row.node : row.worker;
    }
    // A sub-task that reached a node is in the node's user process, whether or not the arrival was recorded.
    Process failing_process(const FaultRow& row) const;

private:
    bool came_back_from_below(const FaultRow& row) const;
    bool is_victim(const FaultRow& row) const;
    bool stop_above(std::uint16_t worker) const;
    bool waits_below(std::uint16_t worker) const { return survey_.outstanding_below(worker) || silence_.below(worker); }
    std::optional<std::uint16_t> silent_holder(const FaultRow& row) const;

    const tmon_streams::Trace& trace_;
    const EventGraphs& graphs_;
    const farm_spec::FarmSpec& spec_;
    const farm_spec::FarmTree& tree_;
    const StopSurvey& survey_;
    const SettledStops& settled_;
    const Silence& silence_;
    const std::vector<FaultRow>& rows_;
};

}  // namespace tmon_detrek
