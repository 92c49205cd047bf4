// TraceMerge: all content of a trace file in the order of time, in bounded memory: one block a node, and the losses before it.
// The items of one node come in the order of their sequence numbers. For exports and other readers that need one pass; code
// that looks back and forth takes a Trace (trace_store.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tmon_streams/stream_cursor.hpp>

namespace tmon_streams {

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
    struct Later;
    const MainClock clock_;
    std::vector<StreamCursor> cursors_;
    std::vector<std::size_t> heap_;
    std::uint64_t foreign_ = 0;
    std::int64_t first_ns_ = 0;
    bool gave_ = false;  // the cursor behind the heap gave the last item
};

}  // namespace tmon_streams
