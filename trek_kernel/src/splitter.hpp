// Splitter: the process that calls the user's split_fn() and makes a sub-task for each branch (divide and conquer).
#pragma once

#include <vector>

#include "node_desk.hpp"

namespace trek_kernel {

class Splitter {
public:
    explicit Splitter(NodeDesk& desk) : desk_(desk) {}

    void run(Api& api);

private:
    void split(Api& api, const Item& task, std::vector<Bundler>& branches);
    void leave(Bundler& branch, Child& child);

    NodeDesk& desk_;
};

}  // namespace trek_kernel
