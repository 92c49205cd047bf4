#include "waiting_results.hpp"

#include <algorithm>

#include "gap_filling.hpp"

namespace tmon_detrek {

WaitingResults::WaitingResults(const tmon_streams::Trace& tasks, const farm_spec::FarmTree& tree)
    : last_(tasks.streams.size()) {
    for (const std::uint16_t worker : tree.from_the_top()) {
        const auto parent = tree.parent(worker);
        if (!parent) continue;
        for (const auto part : tasks.streams[worker].in_passing())
            for (const Event& event : part)
                if (event.kind == EventKind::Send && event.is_result != 0 && event.peer == *parent) last_[worker] = event;
    }
}

bool WaitingResults::may_be(std::uint16_t worker, std::uint32_t task, SubTaskId subtask) const {
    const auto& last = last_[worker];
    return last && last->task == task && last->subtask == subtask;
}

bool WaitingResults::are_open(const tmon_streams::Trace& tasks, const EventGraphs& graphs) const {
    for (const std::uint16_t worker : graphs.tree().from_the_top()) {
        const auto parent = graphs.tree().parent(worker);
        if (!parent) continue;
        const auto& last = last_[worker];
        const auto& losses = tasks.streams[worker].losses;
        if (!losses.empty() && (!last || losses.back().last_seq > last->seq)) return true;  // a later one may be lost
        if (!last || !is_lossy(tasks.streams[*parent])) continue;
        const auto edge = std::find_if(graphs.edges().begin(), graphs.edges().end(), [&](const EventGraphs::Edge& each) {
            return each.worker == worker && each.subtask == last->subtask;
        });
        const auto number = static_cast<std::uint32_t>(edge - graphs.edges().begin());
        if (edge == graphs.edges().end() || (graphs.bits(number, last->task) & EventGraphs::result_received) == 0) return true;
    }
    return false;
}

}  // namespace tmon_detrek
