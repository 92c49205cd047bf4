// Computation: the process that calls the user's comp_fn(), for one task at a time. A process that ends early (ProcessEnds)
// leaves its task unfinished; nothing reports that. The analysis has to find it.
#pragma once

#include "node_desk.hpp"

namespace trek_kernel {

class Computation {
public:
    explicit Computation(NodeDesk& desk) : desk_(desk) {}

    void run(Api& api);

private:
    void compute(Api& api, const Item& task, Bundler& results);
    void finish(Api& api, Bundler& results);

    NodeDesk& desk_;
};

}  // namespace trek_kernel
