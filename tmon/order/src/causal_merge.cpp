#include <tmon_order/causal_merge.hpp>

#include <utility>

#include <tmon_streams/trace_merge.hpp>

namespace tmon_order {

using tmon_streams::StreamCursor;
using tmon_streams::time_on;
using tmon_streams::TraceItem;

namespace {

constexpr std::uint64_t records_between_looks = 1U << 14;
constexpr std::size_t no_limit = std::size_t{1} << 40;

struct Releases : SortedOutput {
    explicit Releases(std::uint16_t nodes) : list(nodes) {}
    void report(const SortedRecord& record) override {
        if (record.kind != SortedRecord::Kind::Record || record.assumed == Assumed::Nothing) return;
        const auto sources = static_cast<std::uint32_t>(record.shared != 0 ? record.several.size() : 0);
        list[record.id.stream].push_back(
            {static_cast<std::uint32_t>(record.id.number), record.assumed, record.contradicted, sources});
    }
    ReleasedRecords list;
};

}  // namespace

FirstPass first_pass(const tmon_streams::TraceIndex& index, std::uint16_t nodes, const tmon_streams::MainClock& clock,
                     const std::function<bool(std::uint64_t)>& goes_on) {
    Releases releases(nodes);
    CausalSorter sorter(nodes, releases, {.most_waiting = no_limit});
    const std::shared_ptr<OrderRules> rules = record_rules(nodes, true);
    std::vector<End> ends;
    std::uint64_t records = 0;
    tmon_streams::TraceMerge merge(index, nodes, clock);
    while (const TraceItem* item = merge.next()) {
        if (item->kind == TraceItem::Kind::Lost) {
            sorter.lost(item->node, item->loss.first_seq, item->loss.last_seq, 0, may_hold_ends(item->loss));
        } else if (item->kind == TraceItem::Kind::End) {
            sorter.ended(item->node, item->finished ? StreamEnding::Finished : StreamEnding::Open);
        } else if (item->kind == TraceItem::Kind::Record) {
            ends.clear();
            rules->ends(item->event, ends);
            sorter.insert({item->node, item->event.seq}, time_on(clock, item->event), 0, ends);
            if (++records % records_between_looks == 0 && goes_on && !goes_on(records))
                return {.released = {}, .rules = {}, .counts = {}, .whole = false};
        }
    }
    sorter.finish();
    return {std::move(releases.list), rules, sorter.counts(), merge.left_out(), true};
}

struct CausalMerge::State : SortedOutput {
    State(std::uint16_t nodes, ReleasedRecords known, Options chosen)
        : clock(std::move(chosen.clock)),
          rules(chosen.rules ? std::move(chosen.rules) : record_rules(nodes, true)),
          released(std::move(known)),
          next_released(nodes, 0),
          items(nodes),
          sorter(nodes, *this,
                 {.least_latency_ns = chosen.least_latency_ns,
                  .release = CausalSorter::Release::OneByOne,
                  .most_waiting = no_limit}) {
        rules->begin_again();
    }

    // The record of the last report_next().
    void report(const SortedRecord& record) override { given.order = record; }
    void pull(std::uint16_t node);
    const Released* released_at(std::uint16_t node, std::uint32_t seq);

    tmon_streams::MainClock clock;
    std::shared_ptr<OrderRules> rules;
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
        sorter.lost(node, item.loss.first_seq, item.loss.last_seq, 0, may_hold_ends(item.loss));
    } else if (item.kind == TraceItem::Kind::End) {
        sorter.ended(node, item.finished ? StreamEnding::Finished : StreamEnding::Open);
    } else {
        ends.clear();
        rules->ends(item.event, ends);
        if (const Released* known = released_at(node, item.event.seq)) {
            std::erase_if(ends, [&](const End& end) { return end.role == Role::Target && known->sources == 0; });
            for (End& end : ends) end.sources_that_come = known->sources;
        }
        sorter.insert({node, item.event.seq}, time_on(clock, item.event), 0, ends);
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
