#include <oracle/truth_judge.hpp>

#include <algorithm>
#include <memory>

#include <tmon_detrek/verdict.hpp>

namespace oracle {

tmon_streams::Trace true_trace(const scenario::Scenario& scenario, const oracle::SessionResult& result, EndMarks marks) {
    auto streams = std::make_shared<std::vector<std::vector<trace_record::Event>>>(scenario.farm.nodes);
    for (const trace_record::Event& event : result.truth.events()) (*streams)[event.node].push_back(event);
    tmon_streams::Trace trace;
    for (std::size_t node = 0; node < streams->size(); ++node) {
        const bool open = node < result.simulated.nodes.size() && result.observed.nodes[node].member &&
                          ((marks == EndMarks::NotOfCrashed && result.simulated.nodes[node].crashed) ||
                           (marks == EndMarks::NotOfSilent && !result.observed.nodes[node].answers));
        tmon_streams::Stream stream{.node = static_cast<std::uint16_t>(node),
                                    .state = open ? tmon_streams::StreamState::Open : tmon_streams::StreamState::Finished,
                                    .losses = {},
                                    .parts = {}};
        stream.parts.emplace_back((*streams)[node]);
        trace.streams.push_back(std::move(stream));
    }
    trace.session = result.observed.end;
    trace.dropped_messages = result.truth.dropped_count();
    trace.keep.push_back(streams);
    return trace;
}

std::vector<tmon_detrek::FaultRow> true_fault_list(const scenario::Scenario& scenario, const oracle::SessionResult& result) {
    return tmon_detrek::analyse(true_trace(scenario, result), scenario.farm).rows;
}

std::vector<tmon_detrek::FaultRow> contradicted(const std::vector<tmon_detrek::FaultRow>& found,
                                                const std::vector<tmon_detrek::FaultRow>& truth) {
    std::vector<tmon_detrek::FaultRow> result;
    for (const tmon_detrek::FaultRow& row : found) {
        if (!row.listed) continue;
        const bool true_row = std::any_of(truth.begin(), truth.end(), [&](const tmon_detrek::FaultRow& other) {
            return other.listed && other.task == row.task && other.subtask == row.subtask && other.node == row.node &&
                   other.process == row.process;
        });
        if (!true_row) result.push_back(row);
    }
    return result;
}

}  // namespace oracle
