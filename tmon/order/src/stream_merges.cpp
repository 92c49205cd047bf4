#include <tmon_order/stream_merges.hpp>

#include <algorithm>

#include <vocabulary/contract.hpp>

namespace tmon_order {

using trace_record::Event;

std::string_view merge_name(MergeKind kind) {
    constexpr std::string_view names[merge_kinds] = {"arrival", "oldest", "wait", "wait+flush+heartbeat"};
    return names[static_cast<std::size_t>(kind)];
}

StreamMerge::StreamMerge(MergeKind kind, std::uint16_t nodes, Report report)
    : kind_(kind),
      report_(std::move(report)),
      streams_(nodes),
      ended_(nodes, false),
      promised_us_(nodes, 0),
      next_us_(nodes, 0),
      waited_for_(nodes) {
    if (kind_ != MergeKind::Promise) return;
    for (std::uint16_t node = 0; node < nodes; ++node) waited_until_.emplace(0, node);
}

void StreamMerge::wait_for(std::uint16_t node) {
    ++waited_for_;
    if (kind_ == MergeKind::Promise) waited_until_.emplace(next_us_[node], node);
}

void StreamMerge::wait_no_more_for(std::uint16_t node) {
    --waited_for_;
    if (kind_ == MergeKind::Promise) waited_until_.erase({next_us_[node], node});
}

void StreamMerge::record(const Event& event) {
    EXPECTS(event.node < streams_.size(), "stream_merge.node");
    against_heartbeats_ += event.time_us < promised_us_[event.node] ? 1 : 0;
    if (kind_ == MergeKind::Arrival) return report_(event);
    std::deque<Event>& stream = streams_[event.node];
    if (is_waited_for(event.node)) wait_no_more_for(event.node);
    stream.push_back(event);
    ++held_;
    if (stream.size() == 1) {
        heads_.push_back({event.time_us, event.node});
        std::push_heap(heads_.begin(), heads_.end());
    }
    give_what_may_go();
}

void StreamMerge::ended(std::uint16_t node) {
    EXPECTS(node < streams_.size(), "stream_merge.ended");
    if (is_waited_for(node)) wait_no_more_for(node);
    ended_[node] = true;
    give_what_may_go();
}

void StreamMerge::heartbeat(std::uint16_t node, std::uint64_t before_us) {
    EXPECTS(node < streams_.size(), "stream_merge.heartbeat");
    promised_us_[node] = std::max(promised_us_[node], before_us);
    if (kind_ != MergeKind::Promise || before_us <= next_us_[node]) return;
    const bool waited = is_waited_for(node);
    if (waited) wait_no_more_for(node);
    next_us_[node] = before_us;
    if (!waited) return;
    wait_for(node);
    give_what_may_go();
}

// All records of the moment before are here.
void StreamMerge::moment(std::uint64_t came_us) {
    if (kind_ == MergeKind::Oldest && came_us != moment_us_) finish();
    moment_us_ = came_us;
}

void StreamMerge::finish() {
    give_while([] { return true; });
}

// Equal times go by node, as in the heap.
void StreamMerge::give_what_may_go() {
    if (kind_ == MergeKind::Wait) give_while([this] { return waited_for_ == 0; });
    if (kind_ != MergeKind::Promise) return;
    give_while([this] {
        const Head& head = heads_.front();
        return waited_until_.empty() || std::pair(head.time_us, head.node) < *waited_until_.begin();
    });
}

template <class Wanted>
void StreamMerge::give_while(Wanted wanted) {
    while (!heads_.empty() && wanted()) {
        std::pop_heap(heads_.begin(), heads_.end());
        const std::uint16_t node = heads_.back().node;
        heads_.pop_back();
        std::deque<Event>& stream = streams_[node];
        const Event event = stream.front();
        stream.pop_front();
        --held_;
        next_us_[node] = std::max(next_us_[node], event.time_us);
        if (!stream.empty()) {
            heads_.push_back({stream.front().time_us, node});
            std::push_heap(heads_.begin(), heads_.end());
        }
        if (is_waited_for(node)) wait_for(node);
        report_(event);
    }
}

}  // namespace tmon_order
