// FoldedTasks: tasks that are over and done with, of which only counts are kept. A task may be folded when every message of it
// has both of its records, in order, and its result is with the manager. Such a task never stopped anything, and no rule of the
// verdict looks at its records (docs/decisions/0044-the-growing-analysis.md). Memory: one range for each run of neighbouring
// task numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include <trace_record/event.hpp>

namespace tmon_detrek {

class FoldedTasks {
public:
    // A place in the tree where some record has been: see EventGraphs::Edge.
    struct Use {
        std::uint16_t worker = 1;
        trace_record::SubTaskId subtask = 0;
    };

    // `next`: the number of the task or bundle after this one. Each task once.
    void add(std::uint32_t task, std::uint32_t next) {
        ++count_;
        seen_ = std::max(seen_, task + 1);
        auto after = ranges_.upper_bound(task);
        const bool joins_after = after != ranges_.end() && after->first == next;
        if (joins_after) {
            next = after->second;
            after = ranges_.erase(after);
        }
        if (after != ranges_.begin() && std::prev(after)->second == task) {
            std::prev(after)->second = next;
        } else {
            ranges_.emplace_hint(after, task, next);
        }
    }
    bool has(std::uint32_t task) const {
        if (ranges_.empty()) return false;
        const auto after = ranges_.upper_bound(task);
        return after != ranges_.begin() && task < std::prev(after)->second;
    }
    // The lowest number that is not folded.
    std::uint32_t first_kept() const { return !ranges_.empty() && ranges_.begin()->first == 0 ? ranges_.begin()->second : 0; }
    std::uint32_t seen() const { return seen_; }  // one more than the highest number
    std::uint32_t count() const { return count_; }

    std::vector<bool> returned;  // by worker: its parent has recorded a result of a folded task; may be empty
    std::vector<Use> uses;       // in the order in which an analysis of all records meets them; may be empty

private:
    std::map<std::uint32_t, std::uint32_t> ranges_;  // first task of each run, and the number after its last
    std::uint32_t seen_ = 0, count_ = 0;
};

}  // namespace tmon_detrek
