// StreamCursor: all content of one node's stream in a trace file, item by item, in bounded memory: one block.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

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
// The event's time on that clock; without one, its node's own, in ns.
inline std::int64_t time_on(const MainClock& clock, const Event& event) {
    return clock ? clock(event) : static_cast<std::int64_t>(event.time_us) * 1000;
}

class StreamCursor {
public:
    // `index` and `clock` must outlive the cursor. An empty clock: the node's own, in ns.
    StreamCursor(const TraceIndex& index, const MainClock& clock, std::uint16_t node);
    StreamCursor(StreamCursor&&) noexcept;
    ~StreamCursor();

    // False behind the end of the stream. Throws vocabulary::InputError when the file has changed.
    bool advance();
    const TraceItem& item() const;  // valid until the next advance()
    // Number of records so far that were repeated or have no place in the stream.
    std::uint64_t left_out() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tmon_streams
