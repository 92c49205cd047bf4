#include <instrumentation/trace_buffers.hpp>

#include <algorithm>
#include <utility>

#include <vocabulary/contract.hpp>

namespace instrumentation {

using trace_record::ClassSet;
using trace_record::Event;
using trace_record::LossCause;
using trace_record::LossRange;

namespace {

bool adjoin(const LossRange& a, const LossRange& b) {
    return a.last_seq + 1 == b.first_seq;
}

// b lies behind a in sequence numbers, but not necessarily in time.
void join(LossRange& a, const LossRange& b) {
    a.last_seq = b.last_seq;
    a.from_us = std::min(a.from_us, b.from_us);
    a.until_us = std::max(a.until_us, b.until_us);
    a.classes = ClassSet::from_bits(static_cast<std::uint8_t>(a.classes.bits() | b.classes.bits()));
}

}  // namespace

TraceBuffers::TraceBuffers(std::size_t records_each, std::unique_ptr<BufferPolicy> policy)
    : records_each_(records_each),
      limit_(2 * records_each),
      policy_(std::move(policy)),
      waiting_(2 * records_each),
      leaving_(2 * records_each) {}

Recorded TraceBuffers::find_room() {
    Event& event = without_room_;
    event.seq = next_seq_;
    const bool ask = policy_ != nullptr && !waiting_.empty();
    const BufferPolicy::Choice choice = ask ? policy_->when_full(event, waiting_) : BufferPolicy::Choice();
    if (choice.what == BufferPolicy::Choice::What::Wait) return Recorded::Full;
    ++next_seq_;
    if (choice.what == BufferPolicy::Choice::What::LoseNew) {
        lose(event, choice.cause);
        return Recorded::Lost;
    }
    EXPECTS(choice.index < waiting_.size(), "buffer_policy.index");
    lose(waiting_[choice.index], choice.cause);
    waiting_.rerase(waiting_.begin() + static_cast<std::ptrdiff_t>(choice.index));
    waiting_.push_back(event);
    return Recorded::Lost;
}

TraceBuffers::Both TraceBuffers::record(const Event& partner, const Event& event) {
    const Recorded first = record(partner);
    if (first == Recorded::Full) return {first, first};
    const Recorded second = record(event);
    if (first == Recorded::Lost || second != Recorded::Full) return {first, second};
    waiting_.pop_back();
    --next_seq_;
    return {second, second};
}

void TraceBuffers::skip(Event event, LossCause cause) {
    event.seq = next_seq_++;
    lose(event, cause);
}

// Waiting records leave as they lie; only those beyond a buffer full are copied back.
std::span<const Event> TraceBuffers::start_leaving() {
    EXPECTS(count() > 0 && !is_leaving_, "trace_buffers.start_leaving");
    waiting_.swap(leaving_);
    if (leaving_.size() > records_each_) {
        const auto rest = leaving_.begin() + static_cast<std::ptrdiff_t>(records_each_);
        waiting_.insert(waiting_.end(), rest, leaving_.end());
        leaving_.erase_end(waiting_.size());
    }
    is_leaving_ = true;
    limit_ = records_each_;
    return {leaving_.linearize(), leaving_.size()};
}

void TraceBuffers::leave_done() {
    EXPECTS(is_leaving_, "trace_buffers.leave_done");
    leaving_.clear();
    is_leaving_ = false;
    limit_ = 2 * records_each_;
}

void TraceBuffers::lose(const Event& event, LossCause cause) {
    const LossRange one{event.node,    event.seq,    event.seq, cause, ClassSet::of(trace_record::class_of(event.kind)),
                        event.time_us, event.time_us};
    const auto behind = std::partition_point(losses_.begin(), losses_.end(),
                                             [&](const LossRange& range) { return range.last_seq < event.seq; });
    auto at = losses_.insert(behind, one);
    if (std::next(at) != losses_.end() && adjoin(*at, *std::next(at)) && std::next(at)->cause == cause) {
        join(*at, *std::next(at));
        losses_.erase(std::next(at));
    }
    if (at != losses_.begin() && adjoin(*std::prev(at), *at) && std::prev(at)->cause == cause) {
        join(*std::prev(at), *at);
        losses_.erase(at);
    }
    if (losses_.size() > room() + 1) join_two_losses();
}

// Between two ranges that do not adjoin lies a record that was kept. So with more ranges than records, two of them adjoin.
void TraceBuffers::join_two_losses() {
    const auto at = std::adjacent_find(losses_.begin(), losses_.end(), adjoin);
    if (at == losses_.end()) return;
    join(*at, *std::next(at));
    at->cause = LossCause::BufferFull;
    losses_.erase(std::next(at));
}

std::vector<LossRange> TraceBuffers::take_losses() {
    return std::exchange(losses_, {});
}

}  // namespace instrumentation
