// MessageWindow: the causal sorter's window as long as nothing but messages has come. Then each stream is in order and whole. A
// record has one end at most, and the messages of a channel are received as they were sent. So no record needs a node, no
// message an edge, and no key a table. Records wait in a queue for each stream, messages in a queue for each channel. Reports,
// their order and all counts are those of the graph (figures 1 and 2).
//
// Whatever else comes is refused. The graph is built from what is here then (sorter_window.cpp), and goes on.
//
// Cost: constant a record, without a hash. Memory: 32 bytes a record that waits, and 64 a message with an end that waits. A
// channel with such a message takes 48 bytes, a stream 170. A stream that sends to more than four others has 4 bytes for each
// of the machine's streams.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <tmon_order/causal_sorter.hpp>

#include "pool.hpp"
#include "ring.hpp"

namespace tmon_order {

class MessageWindow {
public:
    static constexpr std::uint32_t none = 0xFFFF'FFFF;

    // A record that is not reported.
    struct Record {
        std::uint64_t payload = 0;
        std::int64_t raw_ns = 0;
        std::uint64_t step = 0;
        std::uint32_t message = none;
        bool is_source = false;
    };

    // A message of which an end is here. It goes when its target is reported.
    struct Message {
        Key key;
        std::uint64_t source = 0;        // its number
        std::int64_t source_raw_ns = 0;  // likewise of a reported source
        std::int64_t source_final_ns = 0;
        std::uint64_t target = 0;        // its number
        std::uint32_t from = 0, to = 0;  // streams
        std::uint32_t next = none;       // of its channel, while it has one end
        bool source_is_here = false, target_is_here = false, source_is_reported = false;
        bool source_may_be_late = false;
    };

    struct Stream {
        std::uint64_t next = 0, first_waiting = 0;  // numbers: all before have come; all before are reported
        std::int64_t drift_ns = 0;
        std::int64_t newest_final_ns = 0;  // of its last reported record
        std::optional<RecordId> forced_by;
        bool newest_is_unmatched = false;  // its newest record is a source whose target has not come
        Ring<Record> waiting;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> channels;  // by stream of the target: the first channel; a few
        std::vector<std::uint32_t> channel_to;  // likewise, when they are many; then only those with a message
    };

    // Ends of its queue are all sources or all targets.
    struct Channel {
        Key key;
        std::uint32_t from = 0, to = 0, same_streams = none;  // the next one between them
        std::uint32_t first = none, last = none, count = 0;   // messages with one end
        bool sources = false;
    };

    MessageWindow(std::uint32_t streams, SortedOutput& output, SorterCounts& counts, const CausalSorter::Options& options)
        : streams_(streams), output_(output), counts_(counts), options_(options) {}

    // False: nothing has been done; the record needs the graph. EXPECTS a stream that exists.
    bool insert(RecordId id, std::int64_t raw_ns, std::uint64_t payload, std::span<const End> ends);
    // Fetches the places of these ends from memory, for all of them at once.
    void expect(std::span<const End> ends);
    // Streams wait for each other in a circle, and the source of each wait has come.
    bool has_circle() const;

    // The graph is built from these.
    const std::vector<Stream>& streams() const { return streams_; }
    const Pool<Channel>& channels() const { return channels_; }
    const Message& message(std::uint32_t index) const { return messages_[index]; }

private:
    bool takes(RecordId id, std::span<const End> ends) const;
    std::uint32_t find_channel(const End& end) const;
    std::uint32_t first_channel(std::uint32_t from, std::uint32_t to) const;
    std::uint32_t open_channel(const End& end);
    void close_channel(std::uint32_t channel);
    bool joins_in_order(const Channel& channel, const End& end) const;
    void attach(Record& record, RecordId id, const End& end, std::uint32_t channel);
    void join_source(Stream& stream, const Message& message);
    void settle();
    void report(std::uint32_t stream);
    void set_time(Stream& of, std::uint32_t stream, const Record& record);
    void source_reported(Message& message, const Record& record, std::int64_t final_ns);
    bool is_free(const Stream& stream) const;
    std::uint32_t awaited(std::uint32_t stream) const;

    std::vector<Stream> streams_;
    Pool<Channel> channels_;
    Pool<Message> messages_;
    SortedOutput& output_;
    SorterCounts& counts_;
    CausalSorter::Options options_;
    std::vector<std::uint32_t> freed_;  // streams whose first waiting record can be reported
    SortedRecord given_;
};

}  // namespace tmon_order
