// ResultManager: the process that decides where a result goes. A part of a task split here waits for the other parts. Any other
// result goes up to the manager, and there to the user.
#pragma once

#include "node_desk.hpp"

namespace trek_kernel {

class ResultManager {
public:
    explicit ResultManager(NodeDesk& desk) : desk_(desk) {}

    Task<> run(Calls& calls);

private:
    Task<> accept(Calls& calls, ItemPtr message);  // manager
    bool is_expected(const TaskIdentity& result);
    Task<> join_or_pass(Calls& calls, ItemPtr message);  // divide and conquer
    // Keeps a sub-result of a split here until its siblings are here. False: it is not from a split here.
    Task<bool> join(Calls& calls, Item& result);

    NodeDesk& desk_;
};

}  // namespace trek_kernel
