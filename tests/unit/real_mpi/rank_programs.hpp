// Programs of a few ranks for the tests of real MPI's records. They are run here, and the files are written that the preloaded
// library would write. A judge of races, which knows no clock, tries them out.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <real_mpi/rank_file.h>

namespace testing_support {

struct RankAct {
    enum class Kind : std::uint8_t { Send, Receive, Barrier };
    Kind kind = Kind::Send;
    int peer = REAL_ANY, tag = REAL_ANY;  // Receive: REAL_ANY for any
};
using RankProgram = std::vector<std::vector<RankAct>>;  // by rank

RankProgram random_program(std::mt19937& random);

struct Match {
    int sender = 0, tag = 0;
};
using Matches = std::vector<std::vector<Match>>;  // by rank and its receives

// One run with buffered sends. A receive takes the first message of a channel that fits, and among channels one by chance.
// Acts that cannot be done are cut off `program`.
Matches random_run(RankProgram& program, std::mt19937& random);

// Each message that could have come to the receive of `rank` instead, by its sender. All receives that do not follow from this
// one get what they got, and go on as far as they can.
std::set<int> senders_that_could(const RankProgram& program, const Matches& matches, std::size_t rank, std::size_t receive);

// The files N.rank of the run.
void write_rank_files(const RankProgram& program, const Matches& matches, const std::string& folder);

}  // namespace testing_support
