#include "causal_iterator.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace babeltrace_filter {
namespace {

constexpr std::int64_t never_ns = std::numeric_limits<std::int64_t>::max(),
                       always_ns = std::numeric_limits<std::int64_t>::min();
// Before all times that time_of() gives.
constexpr std::int64_t first_ns = -(std::int64_t{1} << 59);
// With raw times up to 3 * 2^60 and final ones up to this, drift and times stay within 64 bits.
constexpr std::int64_t most_final_ns = (std::int64_t{3} << 60) + (std::int64_t{1} << 58);

bool is_loss(bt_message_type type) {
    return type == BT_MESSAGE_TYPE_DISCARDED_EVENTS || type == BT_MESSAGE_TYPE_DISCARDED_PACKETS;
}

}  // namespace

CausalIterator::CausalIterator(bt_self_message_iterator* self, const FilterParameters& parameters,
                               std::vector<UpstreamRef> upstreams)
    : self_(self),
      parameters_(parameters),
      classes_(bt_self_message_iterator_borrow_component(self), parameters),
      copies_(self) {
    for (UpstreamRef& one : upstreams) upstreams_.emplace_back().iterator = std::move(one);
    start();
}
CausalIterator::~CausalIterator() = default;

void CausalIterator::start() {
    sorter_.reset();
    ends_ = std::make_unique<EventEnds>();
    streams_.clear();
    prelude_.clear();
    waiting_ = {};
    held_.clear();
    unused_.clear();
    sorted_.clear();
    reports_ = lost_marks_ = inserted_ = given_up_at_ = 0;
    last_stream_ = nullptr;
    out_ns_ = always_ns;
    inactive_ = nullptr;
    finished_ = false;
    for (Upstream& upstream : upstreams_) {
        upstream.newest_ns = always_ns;
        upstream.ended = false;
        upstream.in_prelude = true;
        clear(upstream);
    }
}

void CausalIterator::clear(Upstream& upstream) {
    upstream.read.clear();
    upstream.images.clear();
    upstream.ends.clear();
    upstream.next = upstream.image_at = upstream.ends_at = 0;
}

CausalIterator::Status CausalIterator::next(std::size_t capacity, std::vector<MessageRef>& to) {
    if (sorter_ == nullptr && read_prelude() == Pulled::Again) return Status::Again;
    while (to.size() < capacity) {
        const std::int64_t least_ns = least_next();
        if (!sorted_.empty() && (finished_ || sorted_.front().final_ns < least_ns)) {
            to.push_back(give_top());
        } else if (!all_ended() && has_next(upstreams_[waiting_.top().second])) {
            insert_next();
        } else if (inactive_ != nullptr && least_ns > out_ns_ && least_ns != never_ns) {
            to.push_back(give_inactivity());
        } else if (finished_) {
            break;
        } else if (all_ended()) {
            if (reports_ < inserted_) sorter_->finish();  // it takes some time a stream
            finished_ = true;
        } else if (bt_self_message_iterator_is_interrupted(self_) != BT_FALSE || pull(waiting_.top().second) == Pulled::Again) {
            return to.empty() ? Status::Again : Status::Given;
        }
    }
    if (!to.empty()) return Status::Given;
    classes_.check_names();
    return Status::End;
}

std::int64_t CausalIterator::least_next() const {
    return waiting_.empty() ? never_ns : waiting_.top().first;
}

// The sorter must know how many streams there are. Upstreams tell of theirs before the first event.
CausalIterator::Pulled CausalIterator::read_prelude() {
    for (std::uint32_t i = 0; i < upstreams_.size(); ++i) {
        while (upstreams_[i].in_prelude && !upstreams_[i].ended) {
            if (pull(i) == Pulled::Again) return Pulled::Again;
        }
    }
    make_sorter();
    auto prelude = std::exchange(prelude_, {});
    for (const Early& early : prelude) {
        if (bt_message_get_type(early.message.get()) == BT_MESSAGE_TYPE_STREAM_BEGINNING)
            begin_stream(stream_of(early.message.get()));
    }
    for (Early& early : prelude) read(upstreams_[early.upstream], std::move(early.message), early.time);
    for (std::uint32_t i = 0; i < upstreams_.size(); ++i) wait_for(i);
    return Pulled::Some;
}

void CausalIterator::make_sorter() {
    const auto known = std::count_if(prelude_.begin(), prelude_.end(), [](const Early& early) {
        return bt_message_get_type(early.message.get()) == BT_MESSAGE_TYPE_STREAM_BEGINNING;
    });
    most_streams_ = 1 + static_cast<std::uint32_t>(known) + parameters_.spare_streams;
    tmon_order::CausalSorter::Options options;
    options.least_latency_ns = parameters_.least_latency_ns;
    options.most_waiting = parameters_.kept_sends;
    options.ends_are_final = false;  // a trace may begin or end in the middle of a message
    sorter_ = std::make_unique<tmon_order::CausalSorter>(most_streams_, *this, options);
}

CausalIterator::Pulled CausalIterator::pull(std::uint32_t index) {
    Upstream& upstream = upstreams_[index];
    bt_message_array_const messages = nullptr;
    std::uint64_t count = 0;
    const auto status = bt_message_iterator_next(upstream.iterator.get(), &messages, &count);
    if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN) return Pulled::Again;
    if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR) throw std::bad_alloc();
    if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_ERROR) throw FilterError("an input of the causal filter failed");
    if (sorter_ != nullptr) waiting_.pop();  // it was on top
    clear(upstream);
    upstream.ended = status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END;
    if (upstream.ended) return Pulled::Some;
    std::vector<MessageRef> batch;
    batch.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) batch.emplace_back(messages[i]);
    for (MessageRef& message : batch) take(index, std::move(message));
    if (sorter_ != nullptr) wait_for(index);
    return Pulled::Some;
}

void CausalIterator::wait_for(std::uint32_t index) {
    const Upstream& upstream = upstreams_[index];
    if (has_next(upstream)) {
        waiting_.emplace(upstream.read[upstream.next].order_ns, index);
    } else if (!upstream.ended) {
        waiting_.emplace(upstream.newest_ns, index);
    }
}

void CausalIterator::take(std::uint32_t index, MessageRef message) {
    Upstream& upstream = upstreams_[index];
    const MessageTime time = time_of(message.get());
    const bt_message_type type = bt_message_get_type(message.get());
    if (type != BT_MESSAGE_TYPE_STREAM_BEGINNING) upstream.in_prelude = false;
    if (type == BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY) {
        upstream.newest_ns = std::max(upstream.newest_ns, time.ns);
        const bt_clock_snapshot* snapshot = bt_message_message_iterator_inactivity_borrow_clock_snapshot_const(message.get());
        inactive_ = &classes_.clock(bt_clock_snapshot_borrow_clock_class_const(snapshot));
    } else if (sorter_ == nullptr) {
        prelude_.push_back({index, time, std::move(message)});
    } else {
        if (type == BT_MESSAGE_TYPE_STREAM_BEGINNING) begin_stream(stream_of(message.get()));
        read(upstream, std::move(message), time);
    }
}

void CausalIterator::read(Upstream& upstream, MessageRef message, MessageTime time) {
    if (time.known) upstream.newest_ns = std::max(upstream.newest_ns, time.ns);
    Read read;
    read.stream = &known_stream(stream_of(message.get()));
    read.raw_ns = time.ns;
    read.timed = time.known;
    read.order_ns = upstream.newest_ns;
    const bt_message_type type = bt_message_get_type(message.get());
    if (type == BT_MESSAGE_TYPE_EVENT) {
        const bt_event* event = bt_message_event_borrow_event_const(message.get());
        read.event_class = &classes_.event_class(bt_event_borrow_class_const(event));
        MessageCopies::append_event(event, upstream.images);
        ends_->append(read.stream->index, event, read.event_class->rule, upstream.ends);
    } else {
        if (is_loss(type)) ends_->lost(read.stream->index);
        read.message = std::move(message);
    }
    read.image_end = static_cast<std::uint32_t>(upstream.images.size());
    read.ends_end = static_cast<std::uint32_t>(upstream.ends.size());
    upstream.read.push_back(std::move(read));
}

// The next message of the upstream on top goes to the sorter.
void CausalIterator::insert_next() {
    const std::uint32_t index = waiting_.top().second;
    waiting_.pop();
    Upstream& upstream = upstreams_[index];
    const Read& read = upstream.read[upstream.next];
    StreamState& stream = *read.stream;
    if (read.timed) stream.raw_ns = std::max(stream.raw_ns, read.raw_ns);
    const std::uint32_t slot = hold(upstream);
    const std::span<const tmon_order::End> ends(upstream.ends.data() + upstream.ends_at, read.ends_end - upstream.ends_at);
    sorter_->insert({stream.index, stream.next++}, stream.raw_ns, slot, ends);
    ++inserted_;
    const bt_message* message = held_[slot].message.get();
    if (message != nullptr) {
        const bt_message_type type = bt_message_get_type(message);
        if (is_loss(type)) lost(stream);
        if (type == BT_MESSAGE_TYPE_STREAM_END && parameters_.names_streams())
            sorter_->ended(stream.index, tmon_order::StreamEnding::Finished);
    }
    upstream.image_at = read.image_end;
    upstream.ends_at = read.ends_end;
    ++upstream.next;
    wait_for(index);
    fetch_next();
    give_up_sometimes();
}

// With many upstreams their next messages are not in the cache. They come while the message before them is copied.
void CausalIterator::fetch_next() const {
    if (waiting_.empty()) return;
    const Upstream& upstream = upstreams_[waiting_.top().second];
    if (!has_next(upstream)) return;
    __builtin_prefetch(&upstream.read[upstream.next]);
    __builtin_prefetch(upstream.images.data() + upstream.image_at);
    if (upstream.ends_at >= upstream.ends.size()) return;
    __builtin_prefetch(&upstream.ends[upstream.ends_at]);
    __builtin_prefetch(reinterpret_cast<const char*>(&upstream.ends[upstream.ends_at]) + 64);
}

std::uint32_t CausalIterator::hold(Upstream& upstream) {
    Read& read = upstream.read[upstream.next];
    const auto slot = static_cast<std::uint32_t>(unused_.empty() ? held_.size() : unused_.back());
    if (unused_.empty()) {
        held_.emplace_back();
    } else {
        unused_.pop_back();
    }
    Held& held = held_[slot];
    held.message = std::move(read.message);
    held.event_class = read.event_class;
    held.image.assign(upstream.images, upstream.image_at, read.image_end - upstream.image_at);
    held.stream = read.stream;
    held.raw_ns = read.raw_ns;
    held.timed = read.timed;
    return slot;
}

StreamState& CausalIterator::begin_stream(const bt_stream* stream) {
    if (streams_.count(stream) > 0) throw FilterError("a stream begins twice");
    auto state = std::make_unique<StreamState>();
    state->index = static_cast<std::uint32_t>(streams_.size()) + 1;
    if (state->index >= most_streams_)
        throw FilterError(fmt::format("more than {} streams begin after the first event; raise the parameter 'spare-streams'",
                                      parameters_.spare_streams));
    state->raw_ns = first_ns;
    state->copy = &classes_.stream_class(bt_stream_borrow_class_const(stream));
    StreamRef& own = own_streams_[stream];
    if (own == nullptr) own = classes_.stream(stream);
    state->own = own.get();
    ends_->add_stream(state->index, stream);
    return *streams_.emplace(stream, std::move(state)).first->second;
}

StreamState& CausalIterator::known_stream(const bt_stream* stream) {
    if (stream == last_stream_) return *last_state_;
    const auto found = streams_.find(stream);
    if (found == streams_.end()) throw FilterError("a message is of a stream that did not begin");
    last_stream_ = stream;
    last_state_ = found->second.get();
    return *last_state_;
}

// A missing send may be among these, and if nobody knows the sender, then whoever waits for one.
void CausalIterator::lost(StreamState& stream) {
    const std::uint64_t number = stream.next++;
    sorter_->lost(stream.index, number, number, tmon_order::no_payload);
    sorter_->lost(unknown_stream, lost_marks_, lost_marks_, tmon_order::no_payload);
    ++lost_marks_;
}

void CausalIterator::give_up_sometimes() {
    const std::uint64_t after = parameters_.give_up_after;
    if (after == 0 || inserted_ - given_up_at_ < std::max<std::uint64_t>(after / 8, 256)) return;
    given_up_at_ = inserted_;
    sorter_->give_up(after);
}

void CausalIterator::report(const tmon_order::SortedRecord& record) {
    if (record.final_ns > most_final_ns)
        throw FilterError("final times run beyond the year 2079: the times of a stream are far ahead of the others'");
    if (record.kind != tmon_order::SortedRecord::Kind::Record) return;
    sorted_.push_back({record.final_ns, reports_++, static_cast<std::uint32_t>(record.payload), record.assumed});
    std::push_heap(sorted_.begin(), sorted_.end());
}

MessageRef CausalIterator::give_top() {
    std::pop_heap(sorted_.begin(), sorted_.end());
    const Sorted top = sorted_.back();
    sorted_.pop_back();
    Held& held = held_[top.held];
    // A message that was released without its cause may come later than its final time.
    if (held.timed) out_ns_ = std::max(out_ns_, top.final_ns);
    MessageRef copy = held.message == nullptr
                          ? copies_.event(*held.event_class, held.image, *held.stream, out_ns_, held.raw_ns, top.assumed)
                          : copies_.copy(held.message.get(), *held.stream, out_ns_);
    held.message.reset();
    unused_.push_back(top.held);
    return copy;
}

MessageRef CausalIterator::give_inactivity() {
    out_ns_ = least_next();
    return copies_.inactivity(*std::exchange(inactive_, nullptr), out_ns_);
}

bool CausalIterator::can_seek_beginning() const {
    return std::all_of(upstreams_.begin(), upstreams_.end(), [](const Upstream& upstream) {
        bt_bool can = BT_FALSE;
        if (bt_message_iterator_can_seek_beginning(upstream.iterator.get(), &can) != 0)
            throw FilterError("an input of the causal filter failed");
        return can != BT_FALSE;
    });
}

bool CausalIterator::seek_beginning() {
    for (const Upstream& upstream : upstreams_) {
        const auto status = bt_message_iterator_seek_beginning(upstream.iterator.get());
        if (status == BT_MESSAGE_ITERATOR_SEEK_BEGINNING_STATUS_AGAIN) return false;
        if (status != BT_MESSAGE_ITERATOR_SEEK_BEGINNING_STATUS_OK) throw FilterError("an input of the causal filter failed");
    }
    start();
    return true;
}

}  // namespace babeltrace_filter
