// ResultManager: the process that decides where a result goes. A part of a task that was split here waits for the other parts.
// Any other result goes towards the manager, and there to the user.
#pragma once

#include "node_desk.hpp"

namespace trek_kernel {

class ResultManager {
public:
    explicit ResultManager(NodeDesk& desk) : desk_(desk) {}

    void run(Api& api);

private:
    void accept(Api& api, ItemPtr message);  // manager
    bool is_expected(const TaskIdentity& result);
    void join_or_pass(Api& api, ItemPtr message);  // divide and conquer
    // A sub-result that belongs to a split of this node is kept until its brothers are there. False: not from a split here.
    bool join(Api& api, Item& result);

    NodeDesk& desk_;
};

}  // namespace trek_kernel
