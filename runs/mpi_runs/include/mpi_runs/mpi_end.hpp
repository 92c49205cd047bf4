// The end of an MPI program: its exit code, the ranks that wait when nothing can come any more, and the words for both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <lam_mpi/job.hpp>
#include <mpi_runs/findings.hpp>
#include <mpi_runs/mpi_tables.hpp>
#include <node_programs/programs.hpp>
#include <topologies/cost_table.hpp>
#include <user_programs/diagnosis.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace mpi_runs {

enum class End : std::uint8_t {
    Ended,       // all ranks have
    Aborted,     // MPI_Abort(), or an error that is fatal
    Crashed,     // an error of the program has ended a rank
    Standstill,  // ranks wait, and nothing can ever come
    Diverged,    // the program does not do what a record says
    Limit,       // the modelled time is up
    Stopped,     // by the user
    NeverBegan   // a fault kept ranks from being loaded
};
const char* end_name(
    End end);  // "ended", "aborted", "crashed", "standstill", "diverged", "limit", "interrupted", "never began"

// A rank that waits when nothing can come any more.
struct Wait {
    std::size_t rank = 0;
    std::string function;             // "MPI_Recv"; empty: in no call of MPI
    std::optional<std::size_t> peer;  // the rank of the world that it waits for
    bool any = false;                 // it waits for any rank
    std::optional<std::int32_t> tag;  // empty: any, or none
    bool sends = false;               // until its message is taken
    bool dead = false;                // its node has stopped
    struct Collective {
        std::uint32_t context = 0;  // the communicator's
        std::int32_t order = 0;     // how manieth operation on it
        std::int32_t root = -1;     // -1: it has none
        std::uint64_t members = 0;  // a word that groups of the same ranks share
    };
    std::optional<Collective> collective = {};  // of one group
    std::string where = {};                     // "ring.c:12", the line of the call; empty: unknown
};

struct Result {
    End end = End::Ended;
    int status = 0;  // the program's exit code: that of MPI_Abort(), or the first rank's that is not 0
    std::vector<lam_mpi::RankEnd> ranks;
    std::optional<lam_mpi::Abort> aborted;
    std::optional<lam_mpi::Divergence> diverged;
    std::vector<Wait> waits;         // at a standstill, by rank
    std::vector<std::size_t> cycle;  // ranks of which each waits for the next, and the last for the first; empty: none is seen
    // How the standstill was seen. True: nothing has moved for long. Else no event is left that could wake anybody.
    bool is_seen_from_outside = false;
    std::vector<Task> tasks;                // of mpirun alone, at a standstill and at the limit: ranks that have not ended
    std::vector<BufferedMessage> messages;  // then, too
    std::vector<Finding> findings;          // of mpirun alone, in the order in which they were seen; a standstill is the last
    user_programs::LogSums logs;            // for flowback; of mpirun alone
    vocabulary::SimTime began, ended;       // all ranks are there; the run is over
};

lam_mpi::Prices prices_of(const topologies::CostTable& costs);  // rows mpi.*
// `on`: node of the rank. Read from the simulator's memory.
Wait wait_of(std::size_t rank, vocabulary::NodeId on, const lam_mpi::RankEnd& its, const node_programs::Report& report);
std::vector<std::size_t> cycle_of(const std::vector<Wait>& waits);
// `crashed`: the first error of the program that has ended a process.
int status_of(const Result& result, const std::optional<user_programs::Problem>& crashed);

// "rank 0 in MPI_Recv() for a message of rank 1, tag 0".
std::string wait_text(const Wait& wait);
// "rank 2 has called MPI_Abort() with code 3": how it ended, in words; empty when all ranks ended with 0.
std::string end_text(const Result& result);
// end, status, began_us, ended_us, ranks, waits, cycle, and aborted if it was.
nlohmann::ordered_json end_json(const Result& result);
// The ranks that wait, at most 16, and their cycle; several lines, without a line feed at the end.
std::string standstill_text(const Result& result);

}  // namespace mpi_runs
