#include <tmon_order/stream_merges.hpp>

#include <algorithm>

#include <vocabulary/contract.hpp>

namespace tmon_order {

using trace_record::Event;

std::string_view merge_name(MergeKind kind) {
    constexpr std::string_view names[merge_kinds] = {"arrival", "oldest", "wait"};
    return names[static_cast<std::size_t>(kind)];
}

StreamMerge::StreamMerge(MergeKind kind, std::uint16_t nodes, Report report)
    : kind_(kind), report_(std::move(report)), streams_(nodes), ended_(nodes, false), waited_for_(nodes) {}

void StreamMerge::record(const Event& event) {
    EXPECTS(event.node < streams_.size(), "stream_merge.node");
    if (kind_ == MergeKind::Arrival) return report_(event);
    std::deque<Event>& stream = streams_[event.node];
    waited_for_ -= is_waited_for(event.node) ? 1 : 0;
    stream.push_back(event);
    ++held_;
    if (stream.size() == 1) {
        heads_.push_back({event.time_us, event.node});
        std::push_heap(heads_.begin(), heads_.end());
    }
    if (kind_ == MergeKind::Wait) give_while([this] { return waited_for_ == 0; });
}

void StreamMerge::ended(std::uint16_t node) {
    EXPECTS(node < streams_.size(), "stream_merge.ended");
    waited_for_ -= is_waited_for(node) ? 1 : 0;
    ended_[node] = true;
    if (kind_ == MergeKind::Wait) give_while([this] { return waited_for_ == 0; });
}

// All records of the moment before are here.
void StreamMerge::moment(std::uint64_t came_us) {
    if (kind_ == MergeKind::Oldest && came_us != moment_us_) finish();
    moment_us_ = came_us;
}

void StreamMerge::finish() {
    give_while([] { return true; });
}

void StreamMerge::give_while(const std::function<bool()>& wanted) {
    while (!heads_.empty() && wanted()) {
        std::pop_heap(heads_.begin(), heads_.end());
        const std::uint16_t node = heads_.back().node;
        heads_.pop_back();
        std::deque<Event>& stream = streams_[node];
        const Event event = stream.front();
        stream.pop_front();
        --held_;
        if (!stream.empty()) {
            heads_.push_back({stream.front().time_us, node});
            std::push_heap(heads_.begin(), heads_.end());
        }
        waited_for_ += is_waited_for(node) ? 1 : 0;
        report_(event);
    }
}

}  // namespace tmon_order
