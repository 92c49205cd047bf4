// A run of an MPI program on a modelled machine: power-up, boot, load, ranks, end. The simulation is one a process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <flowback_unload/log_keeping.hpp>
#include <mpi_runs/deliveries.hpp>
#include <mpi_runs/event_watch.hpp>
#include <mpi_runs/findings.hpp>
#include <mpi_runs/mpi_end.hpp>
#include <topologies/cost_table.hpp>
#include <topologies/machine_description.hpp>
#include <trollius_os/services/file_store.hpp>
#include <user_programs/diagnosis.hpp>
#include <user_programs/process_image.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace mpi_runs {

class LoadedRanks;

struct Plan {
    topologies::MachineDescription machine;
    topologies::CostTable costs;
    std::string program;
    std::vector<std::string> arguments;
    std::vector<std::string> environment{};  // of each rank: NAME=VALUE
    std::vector<vocabulary::NodeId> places;  // of each rank
    std::uint64_t seed = 1;
    bool fenced = false;  // a rank that reaches into the heap of another node is ended (user_programs::Heaps)
    vocabulary::SimTime limit = vocabulary::SimTime::never();  // the run stops then
    trollius_os::FileStore* files = nullptr;                   // null: a program has no files
    // Gets what ranks print, as it comes. Reads their input; empty: there is none.
    std::function<void(const std::string& text)> print;
    std::function<void(const std::string& text)> print_error = {};  // what ranks write on standard error; empty: `print`
    std::function<std::size_t(std::span<std::byte> room)> read = {};
    std::function<void(const user_programs::Diagnosis& diagnosis)> tell = {};  // at each error of the program
    std::function<bool()> goes_on = {};                                        // asked now and then; false stops the run
    std::function<void(const Finding& finding)> find = {};                     // at each finding, but for a standstill
    bool buffers = true;  // false: sends in standard mode wait for their receives
    bool checks = true;   // false: buffers in use are not compared

    std::optional<Stamping> stamping{};  // ranks tell what could have come otherwise
    // With `stamping`: gets the news of a rank, as they come to the host; at the end also what the ranks have not told.
    std::function<void(std::size_t rank, const tmon_replay::RankOrder& news)> recorded = {};
    const tmon_replay::DeliveryOrder* repeats = nullptr;  // of the same program, ranks and arguments; not with `asked`
    // With `stamping`: the source that a receive or blocking probe of any source shall take. Asked at its beginning, on the
    // stack of the rank, in no modelled time. Messages of others that it would take come later.
    std::function<std::optional<std::int32_t>(std::size_t rank, std::int32_t receive)> asked = {};
    std::function<void(const Choice& match)> matched = {};  // with `asked`: what each of them has taken
    // Hears of each packet of the library, and may say which comes next. Null: nothing is told, and costs nothing. Not with
    // `stamping` or `repeats`.
    EventWatch* events = nullptr;
    LoadedRanks* loaded = nullptr;  // the program of this plan; null: run() loads it

    std::string module = {};  // its version that runs; empty: the program itself
    // Its version is the logging one of a prepared program, and each process keeps a log for flowback. `inbox` is the run's.
    std::optional<flowback_unload::LogKeeping> logs{};
};

// The program of a plan in memory, for each of its ranks. After a fork it lies at the same addresses in both processes.
// So images of one can be put back in the other. It serves one run in each.
class LoadedRanks {
public:
    // Throws vocabulary::RequestError for a program that cannot be loaded.
    explicit LoadedRanks(const Plan& plan);
    ~LoadedRanks();
    LoadedRanks(const LoadedRanks&) = delete;
    LoadedRanks& operator=(const LoadedRanks&) = delete;
    // Those that an image of the rank must have. Ranks have a node to themselves.
    user_programs::ProcessImage::Addresses addresses(std::size_t rank) const;

private:
    friend class Run;
    struct State;
    std::unique_ptr<State> state_;
};

// Throws vocabulary::RequestError for a program that cannot be loaded, and a machine that does not start.
Result run(const Plan& plan);

// "hypercube:8", or the path of a machine file. `ram`: "512MiB", of each node of a shape; empty: topologies::mpi_ram_bytes.
// Throws vocabulary::InputError, also for a `ram` beside a file.
topologies::MachineDescription machine_of(const std::string& text, const std::string& ram = {});
// For so many ranks without a --machine: the mesh that is nearest to a square; a ring for a prime number of them.
std::string usual_machine(std::size_t ranks);

}  // namespace mpi_runs
