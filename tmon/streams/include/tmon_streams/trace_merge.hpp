// TraceMerge: all content of a trace file in the order of time, in bounded memory: one block a node, and the losses before it.
// The items of one node come in the order of their sequence numbers. For exports and other readers that need one pass; code
// that looks back and forth takes a Trace (trace_store.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <tmon_streams/trace.hpp>
#include <tmon_streams/trace_index.hpp>

namespace tmon_streams {

struct TraceItem {
    enum class Kind : std::uint8_t {
        Record,
        Lost,      // before the next record of this node
        Unloaded,  // records left the node's buffers; only files that carry the times have it
        End,       // end of the node's stream, the last item of each node
    };
    Kind kind = Kind::Record;
    std::uint16_t node = 0;
    std::uint64_t node_us = 0;   // clock of the node; for a loss the earliest possible time
    std::uint64_t until_us = 0;  // for a loss: the latest; if unknown, bounds from the neighbouring records
    std::int64_t main_ns = 0;    // on the clock by which the merge is sorted
    std::int64_t until_ns = 0;
    Event event;              // Record
    LossRange loss;           // Lost: as reported; a time of 0 is not known
    std::uint32_t count = 0;  // Unloaded: records
    bool finished = false;    // End: the node gave its end mark; else the stream is open
};

// Time of a node on the clock of the merge, in ns. Only `node`, `seq` and `time_us` of the event are valid. Must not decrease
// along one node.
using MainClock = std::function<std::int64_t(const Event&)>;

class TraceMerge {
public:
    // Nodes 0 ... nodes - 1; blocks of other nodes are skipped and counted. Without a clock: the nodes' own, in ns. `index`
    // must outlive the merge.
    TraceMerge(const TraceIndex& index, std::uint16_t nodes, MainClock clock = {});
    ~TraceMerge();
    TraceMerge(const TraceMerge&) = delete;
    TraceMerge& operator=(const TraceMerge&) = delete;

    // The next item in the order (main_ns, node, place in the stream); null at the end. Valid until the next call. Throws
    // vocabulary::InputError when the file has changed.
    const TraceItem* next();
    // Number of skipped records: without a place in their stream, of unknown nodes, or repeated. Complete only after the last
    // item.
    std::uint64_t left_out() const;
    std::int64_t first_ns() const { return first_ns_; }  // of the first item; 0 without one

private:
    class Cursor;
    struct Later;
    const MainClock clock_;
    std::vector<std::unique_ptr<Cursor>> cursors_;
    std::vector<std::size_t> heap_;
    std::uint64_t foreign_ = 0;
    std::int64_t first_ns_ = 0;
    bool gave_ = false;  // the cursor behind the heap gave the last item
};

}  // namespace tmon_streams
