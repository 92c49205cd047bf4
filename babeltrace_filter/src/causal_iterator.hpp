// CausalIterator: takes the messages of all upstream iterators and gives copies of them in causal order, with final times that
// never run backwards.
//
// Each upstream iterator keeps its own order of time. The next messages of all are merged by raw time, and go to the sorter in
// this order. No later one has an earlier raw time, and final times are not before raw ones. So a message leaves when all of
// its causes have left, and its final time is before the raw time of the next one. Memory: what the library gives at once of
// each upstream; messages that wait; the sorter's window.
#pragma once

#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include <tmon_order/causal_sorter.hpp>

#include "event_ends.hpp"
#include "message_copies.hpp"

namespace babeltrace_filter {

class CausalIterator : public tmon_order::SortedOutput {
public:
    enum class Status : std::uint8_t { Given, Again, End };

    CausalIterator(bt_self_message_iterator* self, const FilterParameters& parameters, std::vector<UpstreamRef> upstreams);
    ~CausalIterator() override;
    CausalIterator(const CausalIterator&) = delete;
    CausalIterator& operator=(const CausalIterator&) = delete;

    void report(const tmon_order::SortedRecord& record) override;  // by the sorter

    // Appends at most `capacity` messages to `to`. Throws FilterError; the library then has the cause of an upstream's error.
    Status next(std::size_t capacity, std::vector<MessageRef>& to);
    bool can_seek_beginning() const;
    // False: try again later.
    bool seek_beginning();

private:
    // A message that is not yet in the sorter. An event is in images and ends of its upstream: its memory goes back to the
    // library while it is in the cache.
    struct Read {
        MessageRef message;  // null: an event
        const EventClassCopy* event_class = nullptr;
        StreamState* stream = nullptr;
        std::int64_t raw_ns = 0;    // of the message
        std::int64_t order_ns = 0;  // not before that of the message before it
        std::uint32_t image_end = 0, ends_end = 0;
        bool timed = false;
    };
    struct Upstream {
        UpstreamRef iterator;
        std::int64_t newest_ns = 0;  // no earlier message will come
        bool ended = false, in_prelude = true;
        std::vector<Read> read;
        std::size_t next = 0;                   // of `read`
        std::size_t image_at = 0, ends_at = 0;  // of the next
        std::string images;
        std::vector<tmon_order::End> ends;
    };
    // A message in the sorter, or sorted.
    struct Held {
        MessageRef message;
        const EventClassCopy* event_class = nullptr;
        std::string image;
        StreamState* stream = nullptr;
        std::int64_t raw_ns = 0;
        bool timed = false;
    };
    struct Sorted {
        std::int64_t final_ns;
        std::uint64_t order;  // of the report, which is causal
        std::uint32_t held;
        tmon_order::Assumed assumed;
        bool operator<(const Sorted& other) const {  // the earliest is on top
            return final_ns != other.final_ns ? final_ns > other.final_ns : order > other.order;
        }
    };
    enum class Pulled : std::uint8_t { Some, Again };

    void start();
    bool all_ended() const { return waiting_.empty(); }
    std::int64_t least_next() const;
    Pulled read_prelude();
    Pulled pull(std::uint32_t upstream);
    void take(std::uint32_t upstream, MessageRef message);
    void read(Upstream& upstream, MessageRef message, MessageTime time);
    void insert_next();
    void fetch_next() const;
    std::uint32_t hold(Upstream& upstream);
    StreamState& begin_stream(const bt_stream* stream);
    StreamState& known_stream(const bt_stream* stream);
    static void clear(Upstream& upstream);
    static bool has_next(const Upstream& upstream) { return upstream.next < upstream.read.size(); }
    void wait_for(std::uint32_t upstream);
    void lost(StreamState& stream);
    void make_sorter();
    void give_up_sometimes();
    MessageRef give_top();
    MessageRef give_inactivity();

    bt_self_message_iterator* self_;
    const FilterParameters& parameters_;
    std::vector<Upstream> upstreams_;
    ClassCopies classes_;
    MessageCopies copies_;
    std::unordered_map<const bt_stream*, StreamRef> own_streams_;

    // seek_beginning() makes these anew.
    std::unique_ptr<EventEnds> ends_;
    std::unique_ptr<tmon_order::CausalSorter> sorter_;
    std::uint32_t most_streams_ = 0;
    std::unordered_map<const bt_stream*, std::unique_ptr<StreamState>> streams_;
    const bt_stream* last_stream_ = nullptr;
    StreamState* last_state_ = nullptr;
    struct Early {
        std::uint32_t upstream;
        MessageTime time;
        MessageRef message;
    };
    std::vector<Early> prelude_;  // messages that came before the sorter was made
    using Place = std::pair<std::int64_t, std::uint32_t>;
    std::priority_queue<Place, std::vector<Place>, std::greater<>> waiting_;  // upstreams that go on, by their next time
    std::vector<Held> held_;
    std::vector<std::uint32_t> unused_;
    std::vector<Sorted> sorted_;  // a heap
    std::uint64_t reports_ = 0, lost_marks_ = 0, inserted_ = 0, given_up_at_ = 0;
    std::int64_t out_ns_ = 0;
    const ClockCopy* inactive_ = nullptr;  // a message of inactivity came and was not passed on yet
    bool finished_ = false;
};

}  // namespace babeltrace_filter
