#include "stolen_tasks.hpp"

#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <farm_spec/farm_tree.hpp>

namespace tmon_streams {

namespace {

using SubTask = std::pair<std::uint32_t, SubTaskId>;
using WayUp = std::tuple<std::uint16_t, std::uint32_t, SubTaskId>;  // child, task, sub-task

// A message that a parent received and sent down again later is a task. Goes from the end of the parent's records to the begin.
void mark_arrivals(std::vector<Event>& events) {
    std::set<SubTask> sent_later;
    for (auto event = events.rbegin(); event != events.rend(); ++event) {
        const SubTask what{event->task, event->subtask};
        if (event->kind == EventKind::Send && event->is_result == 0) sent_later.insert(what);
        if (event->kind == EventKind::Receive && event->is_result != 0 && sent_later.erase(what) > 0) event->is_result = 0;
    }
}

}  // namespace

void guess_stolen(std::vector<std::vector<Event>>& records, const farm_spec::FarmSpec& spec) {
    const farm_spec::FarmTree tree(spec);
    std::map<WayUp, std::deque<bool>> was_result;  // as the parents have it, in order
    for (const std::uint16_t node : tree.from_the_top()) {
        mark_arrivals(records[node]);
        for (const Event& event : records[node]) {
            const bool from_below = event.kind == EventKind::Receive && tree.parent(event.peer) == node;
            if (from_below) was_result[{event.peer, event.task, event.subtask}].push_back(event.is_result != 0);
        }
    }
    for (const std::uint16_t node : tree.from_the_top()) {
        for (Event& event : records[node]) {
            if (event.kind != EventKind::Send || event.is_result == 0) continue;
            auto& list = was_result[{node, event.task, event.subtask}];
            if (list.empty()) continue;
            event.is_result = list.front() ? 1 : 0;
            list.pop_front();
        }
    }
}

}  // namespace tmon_streams
