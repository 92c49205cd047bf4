#include "frontier_events.hpp"

#include <map>
#include <tuple>

namespace tmon_detrek {

namespace {

// Node, kind, result or task, task, sub-task.
using Wanted = std::tuple<std::uint16_t, EventKind, std::uint8_t, std::uint32_t, SubTaskId>;

std::optional<Wanted> wanted(const FaultRow& row, const farm_spec::FarmTree& tree) {
    const auto at_worker = [&](EventKind kind, std::uint8_t is_result, SubTaskId subtask) {
        return Wanted{row.worker, kind, is_result, row.task, subtask};
    };
    switch (row.kind) {
        case StopKind::NotReceived:
            return Wanted{*tree.parent(row.worker), EventKind::Send, std::uint8_t{0}, row.task, row.stopped};
        case StopKind::Held:
        case StopKind::BranchNotSent:
            return at_worker(EventKind::Receive, 0, row.stopped);
        case StopKind::JoinReady:
        case StopKind::JoinWaiting:
        case StopKind::ForwardPending:
            return at_worker(EventKind::Receive, 1, row.subtask);
        case StopKind::ResultNotTaken:
            return at_worker(EventKind::Send, 1, row.stopped);
        case StopKind::GivenBack:
            return at_worker(EventKind::Send, 0, row.stopped);
        case StopKind::NotGenerated:
        case StopKind::NotSentAgain:
        case StopKind::Unanticipated:
            break;
    }
    return std::nullopt;
}

// A program that is no farm stopped behind the last thing that the node did.
std::optional<Event> last_record(const tmon_streams::Stream& stream) {
    if (stream.parts.empty() || stream.parts.back().empty()) return std::nullopt;
    return stream.parts.back().back();
}

}  // namespace

std::vector<std::optional<Event>> frontier_events(const tmon_streams::Trace& trace, const farm_spec::FarmTree& tree,
                                                  const std::vector<FaultRow>& rows) {
    std::vector<std::optional<Event>> events(rows.size());
    std::multimap<Wanted, std::size_t> row_of;
    std::vector<bool> concerned(trace.streams.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (!rows[row].label.empty()) {
            if (rows[row].kind != StopKind::Unanticipated) events[row] = last_record(trace.streams[rows[row].node]);
            continue;
        }
        const auto key = wanted(rows[row], tree);
        if (!key) continue;
        row_of.emplace(*key, row);
        concerned[std::get<0>(*key)] = true;
    }
    for (const tmon_streams::Stream& stream : trace.streams) {
        if (!concerned[stream.node]) continue;
        for (const auto part : stream.in_passing()) {
            for (const Event& event : part) {
                const auto [from, to] =
                    row_of.equal_range({stream.node, event.kind, event.is_result, event.task, event.subtask});
                for (auto found = from; found != to; ++found) {
                    const FaultRow& row = rows[found->second];
                    if (row.kind == StopKind::NotReceived && event.peer != row.worker) continue;
                    events[found->second] = event;
                }
            }
        }
    }
    return events;
}

}  // namespace tmon_detrek
