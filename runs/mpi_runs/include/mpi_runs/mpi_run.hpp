// A run of an MPI program on a modelled machine: power-up, boot, load, ranks, end. The simulation is one a process.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <lam_mpi/job.hpp>
#include <mpi_runs/deliveries.hpp>
#include <mpi_runs/findings.hpp>
#include <mpi_runs/mpi_tables.hpp>
#include <topologies/cost_table.hpp>
#include <topologies/machine_description.hpp>
#include <trollius_os/services/file_store.hpp>
#include <user_programs/diagnosis.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace mpi_runs {

struct Plan {
    topologies::MachineDescription machine;
    topologies::CostTable costs;
    std::string program;
    std::vector<std::string> arguments;
    std::vector<vocabulary::NodeId> places;  // of each rank
    std::uint64_t seed = 1;
    bool fenced = false;  // a rank that reaches into the heap of another node is ended (user_programs::Heaps)
    vocabulary::SimTime limit = vocabulary::SimTime::never();  // the run stops then
    trollius_os::FileStore* files = nullptr;                   // null: a program has no files
    // Gets what ranks print, as it comes. Reads their input; empty: there is none.
    std::function<void(const std::string& text)> print;
    std::function<std::size_t(std::span<std::byte> room)> read = {};
    std::function<void(const user_programs::Diagnosis& diagnosis)> tell = {};  // at each error of the program
    std::function<bool()> goes_on = {};                                        // asked now and then; false stops the run
    std::function<void(const Finding& finding)> find = {};                     // at each finding, but for a standstill
    bool buffers = true;  // false: sends in standard mode wait for their receives
    bool checks = true;   // false: buffers in use are not compared

    std::optional<Stamping> stamping{};  // ranks tell what could have come otherwise
    // With `stamping`: gets the news of a rank, as they come to the host; at the end also what the ranks have not told.
    std::function<void(std::size_t rank, const tmon_replay::RankOrder& news)> recorded = {};
    const tmon_replay::DeliveryOrder* repeats = nullptr;  // of the same program, ranks and arguments; not with `choices`
    std::vector<Choice> choices{};
};

enum class End : std::uint8_t {
    Ended,       // all ranks have
    Aborted,     // MPI_Abort(), or an error that is fatal
    Crashed,     // an error of the program has ended a rank
    Standstill,  // ranks wait, and nothing can ever come
    Diverged,    // the program does not do what `repeats` says
    Limit,       // the modelled time is up
    Stopped      // goes_on() said so
};

// A rank that waits when nothing can come any more.
struct Wait {
    std::size_t rank = 0;
    std::string function;             // "MPI_Recv"; empty: in no call of MPI
    std::optional<std::size_t> peer;  // the rank of the world that it waits for
    bool any = false;                 // it waits for any rank
    std::optional<std::int32_t> tag;  // empty: any, or none
    bool sends = false;               // until its message is taken
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
    std::vector<std::int32_t> met;   // by rank, with `stamping`: how many of `choices` have got their source
    std::vector<Wait> waits;         // at a standstill, by rank
    std::vector<std::size_t> cycle;  // ranks of which each waits for the next, and the last for the first; empty: none is seen
    std::vector<Task> tasks;         // at a standstill, and at the limit: ranks that have not ended
    std::vector<BufferedMessage> messages;  // then, too
    std::vector<Finding> findings;          // in the order in which they were seen; a standstill is the last
    vocabulary::SimTime began, ended;       // all ranks are there; the run is over
};

// Throws vocabulary::RequestError for a program that cannot be loaded, and a machine that does not start.
Result run(const Plan& plan);

// "hypercube:8", whose nodes then have 64 MiB, or the path of a machine file. Throws vocabulary::InputError.
topologies::MachineDescription machine_of(const std::string& text);
// For so many ranks without a --machine: the mesh that is nearest to a square; a ring for a prime number of them.
std::string usual_machine(std::size_t ranks);
// Ranks in the order of nodes, one each, and again from the first node on. `map`: "node" or "slot": as many ranks in a row on a
// node as have to be there.
std::vector<vocabulary::NodeId> places_of(std::size_t ranks, std::size_t nodes, const std::string& map);

}  // namespace mpi_runs
