// Collector: joins the blocks of records from the nodes, which arrive in any order, into one stream per node. It also keeps
// account of missing records (hostmon of the thesis, section 5.3.3). Cost: one copy of each record, and
// some 90 bytes of memory a block. Beyond some megabytes the records lie in a temporary file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <tmon_streams/trace.hpp>
#include <tmon_streams/trace_feed.hpp>

namespace tmon_streams {

struct NodeStatistics {
    std::uint16_t node = 0;
    std::uint64_t events = 0;        // received; a repeated one counts once
    std::uint64_t last_time_us = 0;  // node clock of the record with the highest sequence number; 0 when there is none
    std::vector<LossRange> losses;
    StreamState state = StreamState::Open;
    std::uint64_t repeated = 0;     // received again with the same content
    std::uint64_t conflicting = 0;  // received again with other content; the first one is kept
};

class Collector {
public:
    enum class Keep : std::uint8_t {
        Records,
        Nothing,  // records are passed on only; statistics() and finish() have none, and call all of them lost
    };
    // Nodes 0 ... expected_nodes - 1. feed, if given, gets every block, loss and end as it comes; it outlives the collector.
    explicit Collector(std::uint16_t expected_nodes, Keep keep = Keep::Records, TraceFeed* feed = nullptr);
    ~Collector();
    Collector(Collector&&) noexcept;
    Collector& operator=(Collector&&) noexcept;

    // Takes records first_seq, first_seq + 1, ... of a node. False: the node is not expected, and the block is refused.
    // unloaded_us: see Stream. came_us: the host's clock, for the feed.
    bool receive(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events, std::uint64_t unloaded_us = 0,
                 std::uint64_t came_us = 0);
    // The node, or another part of the monitor, reports these records as lost.
    bool dropped(const LossRange& range, std::uint64_t came_us = 0);
    // The node's end mark: the number of records that its probes made. Records missing below that number are a loss of Unknown
    // cause.
    bool end(std::uint16_t node, std::uint32_t total_records, std::uint64_t came_us = 0);
    // Goes to the feed alone (TraceFeed::heartbeat).
    bool heartbeat(std::uint16_t node, std::uint64_t before_us, std::uint64_t came_us);

    // Cost: one pass over all records so far.
    std::vector<NodeStatistics> statistics() const;
    // The trace so far; the collector may go on. The trace shares the records and does not need the collector.
    Trace finish(SessionEnd how = SessionEnd::Unknown) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tmon_streams
