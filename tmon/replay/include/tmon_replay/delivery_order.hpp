// DeliveryOrder: what came in which order to each rank of an MPI program, as far as it could have come otherwise. With it the
// program can be repeated. docs/formats/mwo.md has the text form, files *.mwo.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tmon_replay {

inline constexpr std::size_t most_ranks = 1024;

// Calls whose outcome may depend on arrivals. Each rank counts the calls of each kind from 1. Receive: receives in the order of
// their beginning, and blocking probes. Test: also MPI_Testall() and MPI_Request_get_status(). Cancel: of a send.
enum class CallKind : std::uint8_t { Receive, Iprobe, Test, Testany, Testsome, Waitany, Waitsome, Cancel };
inline constexpr std::size_t call_kinds = 8;
inline constexpr std::array<const char*, call_kinds> call_names{"recv",     "iprobe",  "test",     "testany",
                                                                "testsome", "waitany", "waitsome", "cancel"};
using Counters = std::array<std::int32_t, call_kinds>;

struct CallOutcome {
    CallKind kind = CallKind::Receive;
    std::int32_t first = 1, last = 1;    // counters; a range for receives alone
    std::int32_t source = 0;             // Receive, Iprobe: rank of the world; Testany and its relatives: index of a request
    bool cancelled = false;              // Receive: it never had a message
    bool maybe = false;                  // Receive: nothing has raced with it so far
    std::vector<std::int32_t> others{};  // Receive: ranks whose messages could have come; not all of them need be here
};

struct RankOrder {
    std::vector<CallOutcome> outcomes{};
    Counters known{};                 // up to these calls everything is here
    std::optional<Counters> ended{};  // the counters in MPI_Finalize()
    // News that were told while the run went on have the rank's vector clock, an entry for each rank.
    std::vector<std::int32_t> clock{};
};

// A replay needs the first group of these, the same times need all of them.
struct RunIdentity {
    std::string program{};  // as it was named
    std::uint64_t program_hash = 0;
    std::size_t ranks = 0;
    std::vector<std::string> arguments{};

    std::string rule = "exact", stamps = "full";
    bool all_sources = false;  // all messages that race with a receive were told; else the first
    std::string machine{}, map = "node";
    std::uint64_t seed = 1;
    std::vector<std::string> settings{};  // COST=VALUE
    bool buffers = true;                  // false: sends in standard mode waited for their receives
    bool checks = true;                   // false: buffers in use were not compared
    // Things that the recorder could not see, in words. Races may then be missing, or too many.
    std::vector<std::string> unseen{};
};

struct DeliveryOrder {
    RunIdentity run{};
    std::vector<RankOrder> ranks{};  // as many as run.ranks
    std::string end{};               // how the run ended: "ended", "standstill"; empty: the file was cut off while it went on
    bool whole() const { return !end.empty(); }
};

// Recorded of a real MPI run: its machine is called openmpi or mpich.
bool is_of_real_mpi(const RunIdentity& run);
// FNV-1a of the bytes of a file. Throws vocabulary::InputError.
std::uint64_t hash_of_file(const std::string& path);
// The first difference that a replay cannot bear, in words: "the file is of 4 ranks, and this run has 8". Empty: none.
std::string difference(const RunIdentity& recorded, const RunIdentity& now);

// Sorted by kind, counter and source; receives in a row that say the same are one outcome. Of receives that lie in several
// outcomes the others are joined. `maybe`: keeps those that are not known to race. Linear in the outcomes but for sorting.
std::vector<CallOutcome> in_order(std::vector<CallOutcome> outcomes, bool maybe);

}  // namespace tmon_replay
