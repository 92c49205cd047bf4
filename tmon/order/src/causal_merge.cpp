#include <tmon_order/causal_merge.hpp>

#include <utility>

#include <trace_record/trace_scan.hpp>

namespace tmon_order {

using tmon_streams::StreamCursor;
using tmon_streams::TraceItem;
using trace_record::EventClass;

void ReleasedList::item(const SortedItem& item) {
    if (item.event == nullptr || item.order.assumed == Assumed::Nothing) return;
    released_[item.event->node].push_back({item.event->seq, item.order.assumed, item.order.contradicted});
}

std::uint64_t feed_from(const std::string& path, TraceSorter& sorter) {
    std::uint64_t damaged = 0;
    const trace_record::TraceScan::Visits visits{
        [&](const trace_record::BlockPlace& block, std::span<const trace_record::Event> records) {
            if (block.placed) return sorter.records(block.node, block.first_seq, records, 0);
            damaged += records.size();
        },
        [&](const trace_record::LossRange& loss) { sorter.lost(loss); },
        [&](const trace_record::StreamEnd& end) { sorter.ended(end.node, end.total_records); }};
    const trace_record::TraceScan scan(path, visits);
    sorter.finish();
    return damaged;
}

ReleasedRecords released_in(const tmon_streams::TraceIndex& index, std::uint16_t nodes, std::uint64_t& left_out) {
    ReleasedList list(nodes);
    TraceSorter sorter(nodes, list, {});
    left_out = feed_from(index.scan().path(), sorter);
    left_out += sorter.left_out() + sorter.counts().repeated;
    return list.take();
}

struct CausalMerge::State : SortedOutput {
    State(std::uint16_t nodes, ReleasedRecords known, Options chosen)
        : clock(std::move(chosen.clock)),
          rules(chosen.rules ? std::move(chosen.rules) : record_rules(nodes)),
          released(std::move(known)),
          next_released(nodes, 0),
          items(nodes),
          sorter(nodes, *this, {.least_latency_ns = chosen.least_latency_ns, .release = CausalSorter::Release::OneByOne}) {}

    // The record of the last report_next().
    void report(const SortedRecord& record) override { given.order = record; }
    void pull(std::uint16_t node);
    const Released* released_at(std::uint16_t node, std::uint32_t seq);

    tmon_streams::MainClock clock;
    std::unique_ptr<OrderRules> rules;
    ReleasedRecords released;
    std::vector<std::size_t> next_released;
    std::vector<StreamCursor> cursors;
    std::vector<TraceItem> items;  // the newest of each node, not yet reported
    std::vector<End> ends;
    Item given;
    TraceItem shown;
    bool began = false;
    CausalSorter sorter;
};

const Released* CausalMerge::State::released_at(std::uint16_t node, std::uint32_t seq) {
    std::size_t& next = next_released[node];
    while (next < released[node].size() && released[node][next].seq < seq) ++next;
    return next < released[node].size() && released[node][next].seq == seq ? &released[node][next] : nullptr;
}

// The node's next item goes into the sorter.
void CausalMerge::State::pull(std::uint16_t node) {
    do {
        if (!cursors[node].advance()) return;
    } while (cursors[node].item().kind == TraceItem::Kind::Unloaded);
    const TraceItem& item = items[node] = cursors[node].item();
    if (item.kind == TraceItem::Kind::Lost) {
        const bool has_ends = item.loss.classes.has(EventClass::Task) || item.loss.classes.has(EventClass::Message);
        sorter.lost(node, item.loss.first_seq, item.loss.last_seq, 0, has_ends);
    } else if (item.kind == TraceItem::Kind::End) {
        sorter.ended(node, item.finished ? StreamEnding::Finished : StreamEnding::Open);
    } else {
        ends.clear();
        if (released_at(node, item.event.seq) == nullptr) rules->ends(item.event, ends);
        const std::int64_t raw = clock ? clock(item.event) : static_cast<std::int64_t>(item.event.time_us) * 1000;
        sorter.insert({node, item.event.seq}, raw, 0, ends);
    }
}

CausalMerge::CausalMerge(const tmon_streams::TraceIndex& index, std::uint16_t nodes, ReleasedRecords released, Options options)
    : state_(std::make_unique<State>(nodes, std::move(released), std::move(options))) {
    for (std::uint16_t node = 0; node < nodes; ++node) state_->cursors.emplace_back(index, state_->clock, node);
    for (std::uint16_t node = 0; node < nodes; ++node) state_->pull(node);
}
CausalMerge::~CausalMerge() = default;

const CausalMerge::Item* CausalMerge::next() {
    State& state = *state_;
    if (std::exchange(state.began, true)) state.pull(static_cast<std::uint16_t>(state.given.order.id.stream));
    if (!state.sorter.report_next()) return nullptr;
    const auto node = static_cast<std::uint16_t>(state.given.order.id.stream);
    state.shown = state.items[node];
    state.shown.main_ns = state.given.order.final_ns;
    state.given.item = &state.shown;
    if (state.shown.kind != TraceItem::Kind::Record) return &state.given;
    if (const Released* known = state.released_at(node, state.shown.event.seq)) {
        state.given.order.assumed = known->assumed;
        state.given.order.contradicted = known->contradicted;
    }
    return &state.given;
}

}  // namespace tmon_order
