#include <oracle/truth_judge.hpp>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <scratch/record_store.hpp>
#include <tmon_detrek/verdict.hpp>

namespace oracle {
namespace {

using Parts = std::vector<std::span<const trace_record::Event>>;

// The true events of each node, as if the host had received them all.
std::vector<Parts> parts_of(const ground_truth::Truth& truth, std::size_t nodes, scratch::RecordStore& store) {
    std::vector<Parts> parts(nodes);
    for (const trace_record::Event& event : truth.events()) {
        Parts& own = parts[event.node];
        const auto* const place = reinterpret_cast<const trace_record::Event*>(store.add(event.node, &event, sizeof event));
        if (!own.empty() && own.back().data() + own.back().size() == place) {
            own.back() = {own.back().data(), own.back().size() + 1};
        } else {
            own.emplace_back(place, 1);
        }
    }
    return parts;
}

}  // namespace

tmon_streams::Trace true_trace(const scenario::Scenario& scenario, const oracle::SessionResult& result, EndMarks marks) {
    const auto store = std::make_shared<scratch::RecordStore>();
    auto parts = parts_of(result.truth, scenario.farm.nodes, *store);
    tmon_streams::Trace trace;
    for (std::size_t node = 0; node < parts.size(); ++node) {
        const bool open = node < result.simulated.nodes.size() && result.observed.nodes[node].member &&
                          ((marks == EndMarks::NotOfCrashed && result.simulated.nodes[node].crashed) ||
                           (marks == EndMarks::NotOfSilent && !result.observed.nodes[node].answers));
        tmon_streams::Stream stream{.node = static_cast<std::uint16_t>(node),
                                    .state = open ? tmon_streams::StreamState::Open : tmon_streams::StreamState::Finished,
                                    .losses = {},
                                    .parts = std::move(parts[node])};
        stream.store = store.get();
        trace.streams.push_back(std::move(stream));
    }
    trace.session = result.observed.end;
    trace.dropped_messages = result.truth.dropped_count();
    trace.keep.push_back(store);
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
