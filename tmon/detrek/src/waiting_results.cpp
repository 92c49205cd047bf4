#include "waiting_results.hpp"

namespace tmon_detrek {

WaitingResults::WaitingResults(const tmon_streams::Trace& tasks, const farm_spec::FarmTree& tree)
    : last_(tasks.streams.size()), later_is_lost_(tasks.streams.size()) {
    for (const std::uint16_t worker : tree.from_the_top()) {
        const auto parent = tree.parent(worker);
        if (!parent) continue;
        for (const auto part : tasks.streams[worker].in_passing())
            for (const Event& event : part)
                if (event.kind == EventKind::Send && event.is_result != 0 && event.peer == *parent) last_[worker] = event;
        const auto& losses = tasks.streams[worker].losses;
        later_is_lost_[worker] = !losses.empty() && (!last_[worker] || losses.back().last_seq > last_[worker]->seq);
    }
}

bool WaitingResults::may_be(std::uint16_t worker, std::uint32_t task, SubTaskId subtask) const {
    const auto& last = last_[worker];
    return last && last->task == task && last->subtask == subtask;
}

}  // namespace tmon_detrek
