// Job: the ranks of an MPI program, as mpirun of LAM runs them. A process of the host loads and starts each rank in turn, tells
// all of them where the others are, and waits for their ends. Another hears of MPI_Abort(). All of it takes modelled time.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <trollius_os/kernel.hpp>
#include <trollius_os/programs.hpp>
#include <vocabulary/ids.hpp>

#include <lam_mpi/lam_start.h>

namespace lam_mpi {

// Costs of the library's own work; rows mpi.* of the cost table.
struct Prices {
    // In thousandths of a cycle: a call, a match, a byte copied, a byte combined; a stamp sent, a receive that may race.
    std::array<std::int32_t, 6> thousandths{};
    std::int32_t short_bytes = 4096;  // longest message that goes before its receive is known; 0 to 4096
};

// A message of a rank about its deliveries; lam_start.h says of each kind what it has.
struct Told {
    lam_told what = LAM_TOLD_EVENTS;
    std::size_t rank = 0;
    lam_record_head head{};
    std::vector<lam_event> events{};
    std::vector<std::int32_t> clock{};  // LAM_TOLD_CLOCK
};
// The rank could not repeat its script.
struct Divergence {
    std::size_t rank = 0;
    std::int32_t kind = 0, counter = 0;  // lam_event_kind
    std::int32_t wanted = 0, came = 0;   // a rank or an index; LAM_CAME_END and its relatives
};
// By which a rank repeats a record.
struct Script {
    lam_script_head head{};
    std::vector<lam_event> events{};
};
// Off by default; ranks and messages then cost nothing more.
struct Deliveries {
    std::int32_t wishes = 0;                       // lam_wishes
    std::vector<Script> scripts;                   // of each rank, with LAM_SCRIPT
    std::function<void(const Told& told)> told{};  // with LAM_STAMPS: called as it comes to the host
};

struct Plan {
    std::string program;  // name in the registry of the machine
    trollius_os::Arguments arguments;
    std::vector<vocabulary::NodeId> places;  // of each rank
    Prices prices;
    std::int32_t options = 0;  // LAM_NO_BUFFERING, LAM_NO_CHECKS (lam_start.h)
    Deliveries deliveries{};
};

struct RankEnd {
    bool loaded = false, ended = false;
    vocabulary::ProcessId pid{};
    std::int32_t status = 0;  // of main() or exit(); 255 after an error of the program
};
struct Abort {
    std::size_t rank = 0;
    std::int32_t code = 0;
};

class Job {
public:
    // `host` outlives it. Throws vocabulary::RequestError when the host has no room for the processes.
    Job(trollius_os::Kernel& host, Plan plan);
    ~Job();  // ends its processes on the host
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    bool started() const;  // every rank has been told where the others are
    bool over() const;     // all ranks have ended, one has called MPI_Abort(), has diverged, or could not be loaded
    const std::vector<RankEnd>& ranks() const;
    std::optional<Abort> aborted() const;
    std::optional<Divergence> diverged() const;
    const std::string& failure() const;  // why a rank could not be loaded; empty: all are

private:
    struct State;
    std::shared_ptr<State> state_;  // shared with the processes
};

}  // namespace lam_mpi
