// TraceJournal: the fate of a run's records, from the truth, at no modelled cost. It notes when each record was made and when
// a buffer was full. It also notes when a message with records had crossed a link whole: from then on a crash of the sender
// cannot destroy them. The model is deterministic, so a run up to a crash equals the run without the crash up to then. One
// journal gives the losses of a crash at any node and moment.
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
        Lost,    // the same, but this or another record of the node is lost because the buffers are full
        Passed,  // `count` records of `owner` have left `node` whole: the next node on their way has them
    };
    std::int64_t ps = 0;  // true time since power-up
    std::uint32_t count = 1;
    std::uint16_t owner = 0, node = 0;
    What what = What::Made;
    std::uint8_t event_class = 0;  // of Made and Lost
    std::uint16_t reserved = 0;
};

// By node: the nodes that its trace passes, itself first; empty when there is no way to the host.
using TraceWays = std::vector<std::vector<std::uint16_t>>;

class TraceJournal final : public instrumentation::RecordWatch, public trollius_os::Witness {
public:
    // Call before the machine is switched on; the machine outlives no journal. Uses the routes of that moment:
    // reconfigurations are not followed.
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

// Number of records that the trace misses if `node` crashes at `when`. These are records that had not left the node for good,
// and records lost before to full buffers. Counts every node whose trace passes `node`.
std::uint64_t missing_after_crash(std::span<const JournalEntry> journal, const TraceWays& ways, std::uint16_t node,
                                  vocabulary::SimTime when);

// Records that a crash of one node would destroy, over time. They are in its buffers, packed, in its kernel or on its links,
// its own and those passing through. Records lost before because the buffers were full do not count.
struct NodeExposure {
    std::uint16_t node = 0;
    std::uint64_t worst = 0;
    vocabulary::SimTime worst_at;  // first moment
    double mean = 0;               // over the time from first to last record
};

// A call of a user's function: the node and the time.
struct FunctionCall {
    std::int64_t begin_ps = 0, end_ps = 0;
    std::uint16_t node = 0;
    std::uint16_t reserved[3] = {};
};

struct CallExposure {
    std::uint64_t calls = 0, safe_at_begin = 0, safe_at_end = 0;  // safe: a crash then destroys no record
    std::uint64_t worst_at_begin = 0, worst_at_end = 0;           // records
};

struct TraceExposure {
    std::vector<NodeExposure> nodes;             // members of the farm that made or forwarded a record, by number
    double mean = 0;                             // records that a crash destroys, averaged over all nodes and moments
    std::uint64_t made = 0, lost = 0, kept = 0;  // kept: on the host at the end
    CallExposure calls;
    // Time for which a crash of its own node can destroy a record; only for nodes without losses.
    std::optional<vocabulary::SimTime> shortest_stay, longest_stay;
    std::uint16_t shortest_on = 0;

    const NodeExposure* worst() const;  // null: no record was made
};

// Cost: linear in the journal times the length of the ways.
TraceExposure exposure_of(std::span<const JournalEntry> journal, const TraceWays& ways, std::span<const FunctionCall> calls);

}  // namespace schedule
