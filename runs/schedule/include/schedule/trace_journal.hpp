// TraceJournal: the fate of a run's records; truth, at no modelled cost. It notes when each record was made and when a buffer
// had no room. It also notes when each message with records had come over a link whole, out of reach of a crash of the node
// before it. The model is deterministic, so a run up to a crash equals the run without the crash up to then. One journal tells
// for every node and every moment what a crash there would take along.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <instrumentation/record_watch.hpp>
#include <trollius_os/witness.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace trollius_hosted {
class Multicomputer;
}

namespace schedule {

struct JournalEntry {
    enum class What : std::uint8_t {
        Made,    // a record, on `owner`
        Lost,    // likewise, but it or another of that node is given up for want of room
        Passed,  // `count` records of `owner` have left `node` whole: the next node on their way has them
    };
    std::int64_t ps = 0;  // true time since power-up
    std::uint32_t count = 1;
    std::uint16_t owner = 0, node = 0;
    What what = What::Made;
    std::uint8_t event_class = 0;  // of Made and Lost
    std::uint16_t reserved = 0;
};

// By node: the nodes that its trace passes, itself first; empty when no way leads to the host.
using TraceWays = std::vector<std::vector<std::uint16_t>>;

class TraceJournal final : public instrumentation::RecordWatch, public trollius_os::Witness {
public:
    // Call before the machine is switched on; the machine outlives no journal. The ways are those of the network then: a
    // reconfiguration is not followed.
    void watch(trollius_hosted::Multicomputer& machine);
    void on_packet(const trollius_os::PacketArrived& packet) override;
    void made(vocabulary::NodeId node, trace_record::EventClass which, vocabulary::SimTime when, bool lost) override;

    const std::vector<JournalEntry>& entries() const { return entries_; }  // in the order of their times
    const TraceWays& ways() const { return ways_; }
    // The entries sorted by time, for a run whose entries came in another order.
    std::vector<JournalEntry> take_entries();

private:
    const trollius_hosted::Multicomputer* machine_ = nullptr;
    std::vector<JournalEntry> entries_;
    TraceWays ways_;
};

// Records made before `when` that had not left `node` for good, with those given up before for want of room. A crash of that
// node then makes the trace miss these. Counts the records of every node whose trace passes that node.
std::uint64_t missing_after_crash(std::span<const JournalEntry> journal, const TraceWays& ways, std::uint16_t node,
                                  vocabulary::SimTime when);

// Records that a crash of one node would take along, over time. They are in its buffers, packed, in its kernel or on its links,
// its own and those that pass through it. Records given up before for want of room do not count.
struct NodeExposure {
    std::uint16_t node = 0;
    std::uint64_t worst = 0;
    vocabulary::SimTime worst_at;  // first moment
    double mean = 0;               // over the time from the first record to the last
};

// A call of a user's function: the node and when it ran.
struct FunctionCall {
    std::int64_t begin_ps = 0, end_ps = 0;
    std::uint16_t node = 0;
    std::uint16_t reserved[3] = {};
};

struct CallExposure {
    std::uint64_t calls = 0, safe_at_begin = 0, safe_at_end = 0;  // safe: a crash then takes no record along
    std::uint64_t worst_at_begin = 0, worst_at_end = 0;           // records
};

struct TraceExposure {
    std::vector<NodeExposure> nodes;  // members of the farm that made or passed a record, by number
    double mean = 0;                  // over all of them: records that a crash of any node at any moment takes along on average
    std::uint64_t made = 0, lost = 0, kept = 0;  // kept: on the host at the end
    CallExposure calls;
    // How long a record is within reach of a crash of the node that made it; only where none was given up.
    std::optional<vocabulary::SimTime> shortest_stay, longest_stay;
    std::uint16_t shortest_on = 0;

    const NodeExposure* worst() const;  // nothing: no record was made
};

// Cost: linear in the journal times the length of the ways.
TraceExposure exposure_of(std::span<const JournalEntry> journal, const TraceWays& ways, std::span<const FunctionCall> calls);

}  // namespace schedule
