// Simulated annealing (Kirkpatrick, Gelatt, Vecchi, Science 220, 1983) over seatings that use each link once, so only edges can
// be wrong. A move exchanges two links of a socket or the occupants of two sockets. It is fast when there is room to spare, and
// it proves nothing. Part of the search behind solver.hpp. Deterministic: integer energies, its own seeded numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "solver_search.hpp"

namespace topologies {

class Annealing {
public:
    // The problem must outlive it.
    Annealing(const SeatingProblem& problem, std::uint64_t seed);
    ~Annealing();
    Annealing(const Annealing&) = delete;
    Annealing& operator=(const Annealing&) = delete;

    static bool has_moves(const SeatingProblem& problem);  // true when there is anything to exchange
    void one_try(std::uint64_t most_steps);                // starts over, with more steps than the try before
    const std::optional<Seating>& found() const;
    std::uint64_t steps() const;
    std::size_t unplaced() const;  // in the best state seen
    std::size_t soldered() const;  // likewise: wires in the way

private:
    class Search;
    std::unique_ptr<Search> search_;
};

}  // namespace topologies
