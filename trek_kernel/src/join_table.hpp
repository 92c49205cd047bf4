// JoinTable: the tasks that a node has split. It collects the results of their parts; a task with all its parts waits for the
// join process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "item.hpp"

namespace trek_kernel {

struct JoinSet {
    TaskIdentity id;  // the task that was split
    std::vector<Bytes> parts;
    std::vector<bool> got;
    std::size_t missing = 0;
    bool again = false;      // as in Item
    std::uint32_t held = 0;  // number of parts here, and their memory
    std::uint64_t held_bytes = 0;
};

class JoinTable {
    using Sets = std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<JoinSet>>;  // by task and sub-task

public:
    // `level`: splits between the manager's task and one at this node.
    explicit JoinTable(std::size_t level) : shift_(4 * static_cast<std::uint32_t>(level + 1)) {}

    // The id of the sub-task that a split here makes for one branch, and the way back.
    std::uint32_t subtask_of(std::uint32_t subtask, std::size_t branch) const {
        return subtask | static_cast<std::uint32_t>(branch << shift_);
    }
    std::size_t branch_of(std::uint32_t subtask) const { return (subtask >> shift_) & 0xfU; }

    // If the same sub-task comes twice, its number is damaged; arriving results belong to the later one.
    void open(const TaskIdentity& task, std::size_t degree, bool again);

    // The place of a sub-result in its task's set.
    class Place {
        friend class JoinTable;
        Sets::iterator set_;
        std::size_t branch_ = 0;
    };
    // Empty if no split here waits for this result. Requires a level below most_depth.
    std::optional<Place> place_of(const TaskIdentity& result);
    bool add(const Place& at, Item& result);  // true when the set is complete
    void complete(const Place& at);           // moves the set to those that wait for the join process

    bool empty() const { return sets_.empty() && ready_.empty(); }
    const JoinSet* first_open() const { return sets_.empty() ? nullptr : sets_.begin()->second.get(); }
    const JoinSet* next() const { return ready_.empty() ? nullptr : ready_.front().get(); }
    std::unique_ptr<JoinSet> take_next();  // requires next()

private:
    Sets sets_;
    Fifo<std::unique_ptr<JoinSet>> ready_;
    std::uint32_t shift_;  // shift of the digit that names the branch in a sub-task's id
};

}  // namespace trek_kernel
