// Waiting ranks of an MPI program: who waits for whom, and for what. The logs tell each rank's last call, the receives without
// a message, and the messages of the others. Miller and Choi 1988, section 6.4, has such edges between processes.
//
// A rank is stuck for good when a chain of waits, each for one named rank, closes, or ends at a rank that has ended. On the
// chain nothing is under way that could wake anybody.
//
// Cost: the emulation of each rank's last interval, and of all intervals of a rank whose missing send is looked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tmon_flowback/origins.hpp>

namespace tmon_flowback {

// A message that a rank has sent to the one that waits, and that it has not received.
struct UntakenMessage {
    std::optional<EventId> call;  // that sent it; none: code that is not prepared
    std::uint32_t tag = 0, flow = 0;
    bool fits = false;  // what is waited for: it is under way, or was lost
    bool same_communicator = false;
};

// A call that would send to the rank that waits, and was not reached the last time.
struct MissingSend {
    std::uint32_t site = 0;
    std::optional<EventId> decision;  // the predicate that kept it from running; none: it was never decided about
    bool executed = false;            // it has run before
};

// One of the things that a call waits for.
struct Want {
    bool sends = false;  // that its message is taken; else a message
    bool any = false;    // from any rank
    std::uint32_t peer = 0;
    std::optional<std::uint32_t> tag;     // none: any
    std::uint32_t context = 0;            // of the communicator
    bool of_library = false;              // a message of a collective operation, or of the library itself
    EventId begun;                        // the call that began it
    std::vector<UntakenMessage> untaken;  // from the peer
    std::vector<MissingSend> missing;     // in the peer's program
    std::optional<std::uint32_t> peer_process{};
    bool peer_ended = false;  // its main() has returned, or it called exit()
    bool met = false;         // the peer has a receive for the message, or works on an operation of the library
};

struct WaitingRank {
    std::uint32_t process = nothing;
    EventId call;             // its last
    bool either = false;      // for one of them; else for all
    std::vector<Want> wants;  // none: they are not known
};

struct Deadlock {
    std::vector<WaitingRank> waiting;    // by rank
    std::vector<std::uint32_t> cycle;    // indices of `waiting`: each waits for the next, the last for the first
    std::vector<std::uint32_t> orphans;  // indices: they wait for a rank that has ended and sent nothing that fits
    std::vector<std::string> doubts;     // why a wait may not be what it seems
    std::uint64_t emulated = 0;
    std::vector<std::string> damaged, differences;
    bool found() const { return !cycle.empty() || !orphans.empty(); }
};

Deadlock find_deadlock(RecordedRun& run);

std::string text_of(RecordedRun& run, const Deadlock& deadlock);
nlohmann::ordered_json json_of(RecordedRun& run, const Deadlock& deadlock);

}  // namespace tmon_flowback
