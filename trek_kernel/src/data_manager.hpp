// DataManager: the process that decides where a task goes.
//
// Flood filling. A child asks for tasks: it sends its parent a token for each task it can take. A token travels with a result
// where one is going up anyway.
//
// In a processor farm a node has a place for the task it computes and one for each buffer. It passes its children's tokens on,
// so tokens at the manager stand for free places anywhere below. An arriving task takes a free place here first; the excess
// goes to the child whose token is oldest.
//
// In divide and conquer a node asks for as many tasks as its buffers and its input process can hold. A task is computed when
// the computation is idle, else split for the children. Other policies: distribution.hpp. A message carries a bundle of tasks
// where the granularity is above 1 (docs/model/farm.md).
#pragma once

#include "node_desk.hpp"

namespace trek_kernel {

class DataManager {
public:
    explicit DataManager(NodeDesk& desk) : desk_(desk) {}

    void run(Api& api);

private:
    // Each moves what there is a place for; false: nothing.
    bool place_subtasks(Api& api);
    bool place_task(Api& api);
    bool compute_here(Api& api);
    bool split_here(Api& api);
    bool pass_on(Api& api);
    ItemPtr take_first(Api& api);
    void give(Child& child, ItemPtr item);  // the only place where a child gets a task

    NodeDesk& desk_;
};

}  // namespace trek_kernel
