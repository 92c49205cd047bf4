// DataManager: the process that decides where a task goes.
//
// Flood filling. A child asks for tasks: it sends its parent a token for each task it can take. A token travels with a result
// if one is going up anyway.
//
// In a processor farm a node has a place for the task it computes and one for each buffer. It forwards its children's tokens,
// so a token at the manager stands for a free place anywhere below. An arriving task takes a free place here first; any other
// goes to the child with the oldest token.
//
// In divide and conquer a node asks for as many tasks as its buffers and its input process can hold. A task is computed when
// the computation is idle, else split for the children. For other policies see distribution.hpp. With a granularity above 1 a
// message carries a bundle of tasks (docs/model/farm.md).
#pragma once

#include "node_desk.hpp"

namespace trek_kernel {

class DataManager {
public:
    explicit DataManager(NodeDesk& desk) : desk_(desk) {}

    Task<> run(Calls& calls);

private:
    // The next stop of the first task that waits.
    struct Place {
        enum class Kind : std::uint8_t { None, Compute, Split, Child } kind = Kind::None;
        std::size_t child = 0;
    };

    Place next_place();
    ItemPtr take_for(const Place& place);
    // Every task that a child gets passes here. Returns the process to wake.
    Thread* hand_over(Child& child, ItemPtr item);
    bool subtasks_wait() const;
    Task<bool> place_subtasks(Calls& calls);  // as many as there are places; false: none

    NodeDesk& desk_;
};

}  // namespace trek_kernel
