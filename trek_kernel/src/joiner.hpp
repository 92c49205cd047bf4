// Joiner: the process that calls the user's join_fn() for a task whose parts are all back (divide and conquer).
#pragma once

#include "node_desk.hpp"

namespace trek_kernel {

class Joiner {
public:
    explicit Joiner(NodeDesk& desk) : desk_(desk), results_(desk.config.granularity) {}

    void run(Api& api);

private:
    void join(Api& api, const JoinSet& set);
    bool travels_with_next(const JoinSet& set) const;

    NodeDesk& desk_;
    Bundler results_;  // results that travel together
};

}  // namespace trek_kernel
