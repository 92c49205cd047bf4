#include "rests_on.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>

#include "frontier_events.hpp"

namespace tmon_detrek {

namespace {

std::optional<Event> last_on_node_0(const tmon_streams::Trace& trace, EventKind kind, std::uint8_t is_result) {
    const auto& parts = trace.streams[0].parts;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        const auto found = std::find_if(part->rbegin(), part->rend(),
                                        [&](const Event& event) { return event.kind == kind && event.is_result == is_result; });
        if (found != part->rend()) return *found;
    }
    return {};
}

bool is_named(const Verdict& verdict, const FaultRow& row) {
    const auto has = [&](std::uint16_t node) {
        return std::find(verdict.nodes.begin(), verdict.nodes.end(), node) != verdict.nodes.end();
    };
    const bool waits_for_receiver = row.kind == StopKind::ResultNotTaken && row.node == 0 && verdict.not_taken == row.task;
    return waits_for_receiver || (verdict.task == row.task && (has(row.worker) || has(row.node)));
}

}  // namespace

std::vector<Event> rests_on(const tmon_streams::Trace& trace, const Analysis& analysis) {
    const Verdict& verdict = analysis.verdict;
    std::vector<Event> events;
    if (verdict.kind == VerdictKind::None || verdict.kind == VerdictKind::Unknown) return events;
    const auto add = [&](const std::optional<Event>& event) {
        if (event) events.push_back(*event);
    };
    std::vector<FaultRow> rows;
    std::copy_if(analysis.rows.begin(), analysis.rows.end(), std::back_inserter(rows),
                 [&](const FaultRow& row) { return is_named(verdict, row); });
    for (const auto& event : frontier_events(trace, analysis.graphs.tree(), rows)) add(event);
    if (verdict.process == process_name(Process::DataGenerator)) add(last_on_node_0(trace, EventKind::Send, 0));
    if (verdict.process == process_name(Process::ResultReceiver)) add(last_on_node_0(trace, EventKind::Receive, 1));
    if (verdict.contradiction) events.push_back(verdict.contradiction->event);
    std::sort(events.begin(), events.end(),
              [](const Event& a, const Event& b) { return std::tie(a.node, a.seq) < std::tie(b.node, b.seq); });
    events.erase(std::unique(events.begin(), events.end()), events.end());
    return events;
}

}  // namespace tmon_detrek
