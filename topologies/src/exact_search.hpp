// Depth-first search over all seatings, the most constrained choice first. Its measure is the number of values left, divided by
// the failures it took part in (Boussemart et al., ECAI 2004). Each choice is propagated (seating_domains.hpp). The search
// finds a seating, proves that none exists, or runs out of steps. With fewest_changes it goes on to the best one (branch and
// bound). Part of the search behind solver.hpp. Deterministic: ties are broken by seeded numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "route_walk.hpp"
#include "seating_domains.hpp"

namespace topologies {

class ExactSearch {
public:
    // The problem must outlive it.
    ExactSearch(const SeatingProblem& problem, std::uint64_t seed);

    enum class Outcome { Found, Exhausted, OutOfSteps };
    // Starts over, but keeps the failure counts of earlier runs. Exhausted: no seating exists, or none better than found().
    Outcome run(std::uint64_t most_steps);
    void offer(Seating seating);  // a seating from elsewhere; only better ones count from now on
    const std::optional<Seating>& found() const { return found_; }
    std::uint64_t steps() const { return domains_.work() + tries_; }
    std::uint64_t tries() const { return tries_; }
    std::size_t edges_decided() const { return most_decided_; }  // in the best try
    std::size_t least_changes() const { return least_changes_; }

private:
    enum class What { Edge, Route, Place };
    struct Choice {
        What what = What::Edge;
        std::size_t which = 0;
    };
    struct Frame {
        Choice choice;
        std::size_t mark;
        std::vector<std::size_t> values;
        std::size_t next = 0;
        std::unique_ptr<RouteWalk> routes;
    };

    std::optional<Choice> most_constrained() const;
    void open_frame(const Choice& choice);
    bool try_next(Frame& frame);
    bool advance();
    std::vector<std::size_t> pairs_in_order(std::size_t edge) const;
    std::vector<std::size_t> sockets_in_order(std::size_t node) const;
    bool is_present(std::size_t edge, std::size_t pair) const;
    bool has_present_neighbour(std::size_t node, std::size_t socket) const;
    std::uint64_t shuffled(std::size_t a, std::size_t b) const;
    Seating seating() const;
    void note_decided();

    SeatingSpace space_;
    SeatingDomains domains_;
    const SeatingProblem& p_;
    std::uint64_t seed_, runs_ = 0, tries_ = 0;
    bool possible_ = true;
    std::size_t root_ = 0, most_decided_ = 0, least_changes_ = 0;
    std::vector<Frame> frames_;
    std::optional<Seating> found_;
};

}  // namespace topologies
