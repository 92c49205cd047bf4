// Trunks (wires between switches), and which of them carry the edges whose ends sit on different switches. Part of the search
// behind solver.hpp. Cost: a table of all pairs of switches. A routing takes one breadth-first search per edge that no single
// wire carries.
#pragma once

#include <cstddef>
#include <vector>

#include "solver_search.hpp"

namespace topologies {

struct TrunkRoutes {
    std::vector<std::vector<std::size_t>> trunks;  // by edge, in order from its first end
    std::size_t unplaced = 0;                      // edges that do not meet
};

class TrunkRouter {
public:
    explicit TrunkRouter(const SeatingProblem& problem);
    std::size_t pairs() const { return direct_.size(); }
    std::size_t pair(std::size_t a, std::size_t b) const { return a < b ? a * p_.switches + b : b * p_.switches + a; }
    int direct_trunks(std::size_t pair) const { return direct_[pair]; }
    // `link_of`: by end of edge. Edges that one wire carries are served first, then the others in order, each by a shortest
    // path.
    TrunkRoutes route(const std::vector<std::size_t>& link_of) const;

private:
    struct Crossing {
        std::size_t edge, from, to;
    };
    struct Branch {
        std::size_t trunk, to;
    };
    std::vector<std::size_t> shortest_way(const Crossing& crossing, const std::vector<bool>& used) const;

    const SeatingProblem& p_;
    std::vector<int> direct_;                    // trunks by pair of switches
    std::vector<std::vector<Branch>> branches_;  // by switch
};

}  // namespace topologies
