#include "top/records_view.hpp"

#include <algorithm>
#include <utility>

namespace cli {

using trace_record::Event;
using trace_record::EventKind;

std::string_view state_name(StreamSeen::State state) {
    constexpr std::string_view names[] = {"silent", "active", "idle", "finished"};
    return names[static_cast<std::size_t>(state)];
}

RecordsView::RecordsView(std::uint16_t nodes) : nodes_(nodes) {
    for (std::uint16_t node = 0; node < nodes; ++node) nodes_[node].seen.node = node;
}

void RecordsView::records(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events, std::uint64_t came_us) {
    if (next_ != nullptr) next_->records(node, first_seq, events, came_us);
    if (node < nodes_.size() && !events.empty()) {
        Node& its = nodes_[node];
        its.news = true;
        its.seen.came += events.size();
        its.seen.newest_us = std::max(its.seen.newest_us, events.back().time_us);
        const auto took = [came_us](const Event& event) {
            return static_cast<std::int64_t>(came_us) - static_cast<std::int64_t>(event.time_us);
        };
        its.least_us = std::min(its.least_us.value_or(took(events.back())), took(events.back()));
        its.seen.late_us = static_cast<std::uint64_t>(std::max<std::int64_t>(0, took(events.front()) - *its.least_us));
    }
}

void RecordsView::lost(const trace_record::LossRange& range) {
    if (next_ != nullptr) next_->lost(range);
}

void RecordsView::ended(std::uint16_t node, std::uint32_t total_records) {
    if (next_ != nullptr) next_->ended(node, total_records);
}

// Losses and ends count where the order has them: then it is known that nothing before them is on its way.
void RecordsView::item(const tmon_order::SortedItem& item) {
    using Kind = tmon_order::SortedRecord::Kind;
    StreamSeen& seen = nodes_[item.order.id.stream].seen;
    if (item.order.kind == Kind::End && item.order.ending == tmon_order::StreamEnding::Finished)
        seen.state = StreamSeen::State::Finished;
    if (item.order.kind == Kind::Lost) {
        seen.lost += item.loss->last_seq - item.loss->first_seq + std::uint64_t{1};
        seen.last_loss = *item.loss;
    }
    if (item.event == nullptr || item.order.late) return;
    const Event& event = *item.event;
    const bool to_node = event.peer < nodes_.size();
    if (event.kind == EventKind::Send && to_node) ++tasks_;
    if (event.kind == EventKind::SendCall && to_node && event.bytes != 0) ++messages_;
    // A cast is never counted, and a receive of one finds nothing to take away.
    if (event.kind == EventKind::Receive && item.order.source && tasks_ > 0) --tasks_;
    if (event.kind == EventKind::MessageReceive && item.order.source && messages_ > 0) --messages_;
}

RecordsSeen RecordsView::look(const tmon_order::TraceSorter& sorter) {
    const tmon_order::SorterCounts& counts = sorter.counts();
    RecordsSeen seen{.reported = counts.reported,
                     .held_back = sorter.held_back(),
                     .window = counts.window,
                     .unreported = counts.unreported,
                     .assumed = counts.assumed,
                     .late = counts.late,
                     .tasks_under_way = tasks_,
                     .messages_under_way = messages_};
    for (Node& node : nodes_) {
        if (node.seen.state != StreamSeen::State::Finished) {
            const bool news = std::exchange(node.news, false);
            if (news || node.seen.came > 0) node.seen.state = news ? StreamSeen::State::Active : StreamSeen::State::Idle;
        }
        seen.came += node.seen.came;
        seen.streams.push_back(node.seen);
    }
    return seen;
}

}  // namespace cli
