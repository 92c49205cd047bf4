#include <tmon_sorted/order_comparison.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include <tmon_order/trace_sorter.hpp>
#include <tmon_sorted/stream_report.hpp>

#include "message_order.hpp"

namespace tmon_sorted {
namespace {

using tmon_order::MergeKind;
using tmon_order::SortedItem;
using trace_record::Event;

// Holds one order against the arrivals.
class Tally {
public:
    Tally(std::string name, std::uint16_t nodes) : order_(nodes) { figures_.name = std::move(name); }

    void came(const Event& event, std::uint64_t us) {
        now(us);
        waiting_.emplace(std::pair{event.node, event.seq}, us);
    }
    void reported(const Event& event) {
        const auto came = waiting_.find({event.node, event.seq});
        if (came == waiting_.end()) return;
        const std::uint64_t delay = now_us_ - came->second;
        waiting_.erase(came);
        figures_.delayed += delay > 0 ? 1 : 0;
        figures_.delay_sum_us += delay;
        figures_.most_delay_us = std::max(figures_.most_delay_us, delay);
        order_.event(event);
    }
    void lost(std::uint16_t node) { order_.lost(node); }
    void now(std::uint64_t us) {
        if (!waiting_.empty()) figures_.stalled_us += us - now_us_;
        now_us_ = us;
    }
    void held() { figures_.most_held = std::max<std::uint64_t>(figures_.most_held, waiting_.size()); }
    OrderFigures figures() {
        figures_.messages = order_.messages();
        figures_.backwards = order_.backwards();
        return figures_;
    }

private:
    OrderFigures figures_;
    MessageOrder order_;
    std::map<std::pair<std::uint16_t, std::uint32_t>, std::uint64_t> waiting_;  // when it came
    std::uint64_t now_us_ = 0;
};

class Sorted : public tmon_order::SortedItems {
public:
    Sorted(std::uint16_t nodes, tmon_order::Patience patience)
        : tally("cause", nodes), sorter(nodes, *this, {.rules = {}, .patience = std::move(patience)}) {}
    void item(const SortedItem& item) override {
        if (item.event != nullptr) tally.reported(*item.event);
        given_up += item.order.assumed == tmon_order::Assumed::GivenUp ? 1 : 0;
        late += item.event != nullptr && item.order.late ? 1 : 0;
    }
    Tally tally;
    std::uint64_t given_up = 0, late = 0;
    tmon_order::TraceSorter sorter;
};

struct Merged {
    Merged(MergeKind kind, std::uint16_t nodes)
        : tally(std::string(tmon_order::merge_name(kind)), nodes),
          merge(kind, nodes, [this](const Event& event) { tally.reported(event); }) {}
    Tally tally;
    tmon_order::StreamMerge merge;
};

}  // namespace

struct OrderComparison::State {
    State(std::uint16_t count, const std::vector<MergeKind>& kinds, bool sorts, tmon_order::Patience patience)
        : nodes(count), next(count, 0) {
        if (sorts) sorted.emplace(count, std::move(patience));
        for (const MergeKind kind : kinds) merges.push_back(std::make_unique<Merged>(kind, count));
    }
    void take(Event event, std::uint64_t came_us);
    void sort(const Event& event, std::uint64_t came_us);

    std::uint16_t nodes;
    std::optional<Sorted> sorted;
    std::vector<std::unique_ptr<Merged>> merges;
    std::vector<std::uint32_t> next;  // one more than the newest number of each node
    ComparedOrders result;
};

void OrderComparison::State::take(Event event, std::uint64_t came_us) {
    if (event.seq < next[event.node]) {  // repeated: the merges have no numbers to tell it by
        ++result.left_out;
        return;
    }
    next[event.node] = event.seq + 1;
    ++result.records;
    if (sorted) sort(event, came_us);
    for (const auto& merged : merges) {
        merged->merge.moment(came_us);
        merged->tally.came(event, came_us);
        merged->merge.record(event);
        merged->tally.held();
    }
}

void OrderComparison::State::sort(const Event& event, std::uint64_t came_us) {
    sorted->tally.came(event, came_us);
    sorted->sorter.records(event.node, event.seq, {&event, 1}, came_us);
    sorted->tally.held();
    const auto& counts = sorted->sorter.counts();
    result.window.push_back({static_cast<std::uint32_t>(counts.window), static_cast<std::uint32_t>(counts.unreported)});
}

OrderComparison::OrderComparison(std::uint16_t nodes, std::vector<MergeKind> merges, bool sorts, tmon_order::Patience patience)
    : state_(std::make_unique<State>(nodes, merges, sorts, std::move(patience))) {}
OrderComparison::~OrderComparison() = default;

void OrderComparison::records(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events,
                              std::uint64_t came_us) {
    if (node >= state_->nodes) {
        state_->result.left_out += events.size();
        return;
    }
    for (std::size_t i = 0; i < events.size(); ++i) {
        Event event = events[i];
        event.node = node;
        event.seq = first_seq + static_cast<std::uint32_t>(i);
        state_->take(event, came_us);
    }
}

void OrderComparison::lost(const trace_record::LossRange& range) {
    if (state_->sorted) state_->sorted->sorter.lost(range);
    state_->result.lost += range.last_seq >= range.first_seq ? range.last_seq - range.first_seq + std::uint64_t{1} : 0;
    if (range.node >= state_->nodes) return;
    if (state_->sorted) state_->sorted->tally.lost(range.node);
    for (const auto& merged : state_->merges) merged->tally.lost(range.node);
}

void OrderComparison::ended(std::uint16_t node, std::uint32_t total_records) {
    if (state_->sorted) state_->sorted->sorter.ended(node, total_records);
    if (node >= state_->nodes) return;
    for (const auto& merged : state_->merges) merged->merge.ended(node);
}

void OrderComparison::moment(std::uint64_t came_us) {
    if (state_->sorted) {
        state_->sorted->tally.now(came_us);
        state_->sorted->sorter.moment(came_us);
    }
    for (const auto& merged : state_->merges) {
        merged->merge.moment(came_us);
        merged->tally.now(came_us);
    }
}

void OrderComparison::heartbeat(std::uint16_t node, std::uint64_t before_us, std::uint64_t came_us) {
    if (node >= state_->nodes) return;
    ++state_->result.heartbeats;
    moment(came_us);
    if (state_->sorted) state_->sorted->sorter.heartbeat(node, before_us, came_us);
    for (const auto& merged : state_->merges) merged->merge.heartbeat(node, before_us);
}

ComparedOrders OrderComparison::finish() {
    State& state = *state_;
    ComparedOrders& result = state.result;
    result.nodes = state.nodes;
    if (state.sorted) {
        result.standings = standings_of(state.sorted->sorter.streams());
        state.sorted->sorter.finish();
        result.standings = with_words(std::move(result.standings), state.sorted->sorter.streams());
        result.given_up = state.sorted->given_up;
        result.late = state.sorted->late;
        result.lost = state.sorted->sorter.counts().lost;
        result.left_out += state.sorted->sorter.left_out();
        result.contradictions = state.sorted->sorter.counts().contradictions;
        result.orders.push_back(state.sorted->tally.figures());
    }
    for (const auto& merged : state.merges) {
        merged->merge.finish();
        result.orders.push_back(merged->tally.figures());
        result.against_heartbeats = merged->merge.against_heartbeats();
    }
    std::uint64_t total = 0, unreported = 0;
    for (const WindowSample& sample : result.window) {
        total += sample.total;
        unreported += sample.unreported;
    }
    const double count = result.window.empty() ? 1 : static_cast<double>(result.window.size());
    result.mean_window = static_cast<double>(total) / count;
    result.mean_unreported = static_cast<double>(unreported) / count;
    return std::move(result);
}

}  // namespace tmon_sorted
