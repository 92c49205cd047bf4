// Runs of the programs of race_programs.hpp with the MPI library on fibers. The schedule is drawn from a seed alone, whatever
// the ranks do. So two runs with one seed are alike up to where they are made to differ.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "fibers.hpp"
#include "race_programs.hpp"

namespace lam_races {

struct Choice {  // a receive that shall take the message of this rank
    int rank = 0, receive = 0, source = 0;
    auto operator<=>(const Choice&) const = default;
};
struct Outcome {
    Order order;                                 // that the program has seen
    std::map<std::pair<int, int>, int> matches;  // (rank, receive) and source, as the library tells it
    std::vector<Choice> races;                   // with the other source
    std::vector<Choice> recorded;                // racing receives, with the source that came
    bool stands = false;                         // some rank waits for ever
};

// `wishes`: lam_wishes. With LAM_SCRIPT or LAM_ASKS: `choices`.
Outcome run(lam_fibers::Machine& machine, const Program& program, int wishes, std::uint32_t schedule,
            const std::vector<Choice>& choices);

}  // namespace lam_races
