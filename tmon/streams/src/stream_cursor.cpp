#include <tmon_streams/stream_cursor.hpp>

#include <algorithm>
#include <limits>
#include <queue>

#include "stream_walk.hpp"

namespace tmon_streams {

struct StreamCursor::State {
    State(const TraceIndex& index, const MainClock& clock, std::uint16_t node)
        : scan_(index.scan()), clock_(clock), node_(node), walk_(index, node) {}

    // False behind the end of the stream.
    bool advance() {
        if (ended_) return false;
        load();
        const std::uint64_t record_us = has_record() ? records_[at_].time_us : last_us_;
        const bool loss_first = loss_ < losses_.size() && (!has_record() || losses_[loss_].first_seq < records_[at_].seq);
        const std::uint64_t when = loss_first ? loss_begin(record_us) : record_us;
        if (!unloads_.empty() && (unloads_.top().first <= when || (!loss_first && !has_record()))) {
            give_unload();
        } else if (loss_first) {
            give_loss(when, record_us);
        } else if (has_record()) {
            give_record();
        } else {
            give_end();
        }
        return true;
    }
    using Unload = std::pair<std::uint64_t, std::uint32_t>;  // time, records

    bool has_record() const { return at_ < records_.size(); }
    // The next block when the last one is used up, with what is missing before it. All earlier losses were given by then.
    void load() {
        if (has_record() || loaded_all_) return;
        losses_.clear();
        loss_ = at_ = 0;
        records_.clear();
        const auto part = walk_.next(losses_);
        loaded_all_ = !part;
        if (!part) return;
        scan_.read(*part->block, records_);
        at_ = part->skip;
        if (part->block->unloaded_us > 0)
            unloads_.push({part->block->unloaded_us, static_cast<std::uint32_t>(records_.size() - at_)});
    }
    std::uint64_t loss_begin(std::uint64_t record_us) const {
        const LossRange& loss = losses_[loss_];
        const bool known = loss.until_us > 0;
        const std::uint64_t most = has_record() ? record_us : std::numeric_limits<std::uint64_t>::max();
        return known ? std::clamp(loss.from_us, last_us_, std::max(last_us_, most)) : last_us_;
    }
    void begin(TraceItem::Kind kind, std::uint64_t node_us) {
        item_ = {};
        item_.kind = kind;
        item_.node = node_;
        item_.node_us = item_.until_us = last_us_ = std::max(last_us_, node_us);
        item_.main_ns = item_.until_ns = last_ns_ = std::max(last_ns_, main_of(last_us_));
    }
    std::int64_t main_of(std::uint64_t us) const {
        Event event;
        event.node = node_;
        event.time_us = us;
        event.seq = has_record() ? records_[at_].seq : 0;
        return time_on(clock_, event);
    }
    void give_record() {
        begin(TraceItem::Kind::Record, records_[at_].time_us);
        item_.event = records_[at_++];
        item_.event.node = node_;
        item_.node_us = item_.until_us = item_.event.time_us;
    }
    void give_loss(std::uint64_t from, std::uint64_t record_us) {
        begin(TraceItem::Kind::Lost, from);
        item_.loss = losses_[loss_++];
        const std::uint64_t until = item_.loss.until_us > 0 ? item_.loss.until_us : record_us;
        item_.until_us = std::max(until, item_.node_us);
        item_.until_ns = std::max(item_.main_ns, main_of(item_.until_us));
    }
    void give_unload() {
        begin(TraceItem::Kind::Unloaded, unloads_.top().first);
        item_.count = unloads_.top().second;
        unloads_.pop();
    }
    void give_end() {
        begin(TraceItem::Kind::End, last_us_);
        item_.finished = walk_.finished();
        ended_ = true;
    }

    const trace_record::TraceScan& scan_;
    const MainClock& clock_;
    const std::uint16_t node_;
    StreamWalk walk_;
    std::vector<Event> records_;
    std::vector<LossRange> losses_;  // before the records
    std::size_t at_ = 0, loss_ = 0;
    bool loaded_all_ = false;
    std::priority_queue<Unload, std::vector<Unload>, std::greater<>> unloads_;
    std::uint64_t last_us_ = 0;
    std::int64_t last_ns_ = std::numeric_limits<std::int64_t>::min();
    bool ended_ = false;
    TraceItem item_;
};

StreamCursor::StreamCursor(const TraceIndex& index, const MainClock& clock, std::uint16_t node)
    : state_(std::make_unique<State>(index, clock, node)) {}
StreamCursor::StreamCursor(StreamCursor&&) noexcept = default;
StreamCursor::~StreamCursor() = default;

bool StreamCursor::advance() {
    return state_->advance();
}
const TraceItem& StreamCursor::item() const {
    return state_->item_;
}
std::uint64_t StreamCursor::left_out() const {
    return state_->walk_.left_out();
}

}  // namespace tmon_streams
