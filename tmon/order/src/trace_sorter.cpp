#include <tmon_order/trace_sorter.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "pool.hpp"

namespace tmon_order {

using trace_record::Event;
using trace_record::LossRange;

struct TraceSorter::State : SortedOutput {
    struct Node {
        std::uint32_t next = 0;                            // the first number that was not passed on
        std::map<std::uint32_t, std::vector<Event>> held;  // blocks behind a gap, by first number
        std::map<std::uint32_t, LossRange> losses;         // reported, not yet passed on, by last number
    };

    State(std::uint16_t count, SortedItems& to, Options chosen)
        : items(to),
          clock(std::move(chosen.clock)),
          rules(std::move(chosen.rules)),
          nodes(count),
          sorter(count, *this, {.least_latency_ns = chosen.least_latency_ns, .ends_are_final = false}) {
        if (!rules) rules = record_rules(count);
    }

    void report(const SortedRecord& record) override;
    void pass(std::uint16_t node, const Event& event);
    void pass_block(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events);
    void pass_loss(LossRange range);
    void advance(std::uint16_t node);
    bool advance_by_loss(std::uint16_t node);

    SortedItems& items;
    tmon_streams::MainClock clock;
    std::unique_ptr<OrderRules> rules;
    std::vector<Node> nodes;
    Pool<Event> events;      // in the window
    Pool<LossRange> losses;  // likewise
    std::vector<End> ends;
    std::uint64_t left_out = 0, held_back = 0;
    CausalSorter sorter;
};

void TraceSorter::State::report(const SortedRecord& record) {
    SortedItem item;
    item.order = record;
    LossRange loss;
    if (record.kind == SortedRecord::Kind::Lost) {
        loss = record.payload == no_payload ? LossRange{} : losses[static_cast<std::uint32_t>(record.payload)];
        loss.node = static_cast<std::uint16_t>(record.id.stream);
        loss.first_seq = static_cast<std::uint32_t>(record.id.number);
        loss.last_seq = static_cast<std::uint32_t>(record.last);
        item.loss = &loss;
    }
    const auto index = static_cast<std::uint32_t>(record.payload);
    if (record.kind == SortedRecord::Kind::Record) item.event = &events[index];
    items.item(item);
    if (record.kind == SortedRecord::Kind::Record) events.release(index);
    if (record.kind == SortedRecord::Kind::Lost && record.payload != no_payload) losses.release(index);
}

void TraceSorter::State::pass(std::uint16_t node, const Event& record) {
    const std::uint32_t index = events.take();
    Event& event = events[index];
    event = record;
    event.node = node;
    ends.clear();
    // A record whose place was given away has no partner: that one was released without it.
    if (event.seq >= nodes[node].next) rules->ends(event, ends);
    const std::uint64_t before = sorter.counts().repeated;
    sorter.insert({node, event.seq}, tmon_streams::time_on(clock, event), index, ends);
    if (sorter.counts().repeated > before) events.release(index);
}

// From the first record that is not passed on, or all of a block that comes late.
void TraceSorter::State::pass_block(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
        Event event = block[i];
        event.seq = first_seq + static_cast<std::uint32_t>(i);
        pass(node, event);
        nodes[node].next = std::max(nodes[node].next, event.seq + 1);
    }
}

void TraceSorter::State::pass_loss(LossRange range) {
    const std::uint32_t index = losses.take();
    losses[index] = range;
    nodes[range.node].next = range.last_seq + 1;
    sorter.lost(range.node, range.first_seq, range.last_seq, index, may_hold_ends(range));
}

// Passes on what is not behind a gap any more.
void TraceSorter::State::advance(std::uint16_t index) {
    Node& node = nodes[index];
    while (true) {
        const auto block = node.held.begin();
        if (block != node.held.end() && block->first <= node.next) {
            const std::uint32_t first = block->first;
            const std::vector<Event> records = std::move(block->second);
            node.held.erase(block);
            held_back -= records.size();
            pass_block(index, first, records);
        } else if (!advance_by_loss(index)) {
            return;
        }
    }
}

bool TraceSorter::State::advance_by_loss(std::uint16_t index) {
    Node& node = nodes[index];
    while (!node.losses.empty() && node.losses.begin()->first < node.next) node.losses.erase(node.losses.begin());
    if (node.losses.empty()) return false;
    LossRange range = node.losses.begin()->second;
    if (range.first_seq > node.next) return false;
    range.first_seq = node.next;
    if (!node.held.empty()) range.last_seq = std::min(range.last_seq, node.held.begin()->first - 1);
    pass_loss(range);
    return true;
}

TraceSorter::TraceSorter(std::uint16_t nodes, SortedItems& items, Options options)
    : state_(std::make_unique<State>(nodes, items, std::move(options))) {}
TraceSorter::~TraceSorter() = default;

void TraceSorter::records(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events,
                          std::uint64_t /*came_us*/) {
    State& state = *state_;
    if (node >= state.nodes.size() || events.size() > 0xFFFF'FFFFULL - first_seq) {
        state.left_out += events.size();
        return;
    }
    State::Node& of = state.nodes[node];
    if (first_seq <= of.next) {
        state.pass_block(node, first_seq, events);
    } else if (auto& held = of.held[first_seq]; held.size() < events.size()) {
        state.held_back += events.size() - held.size();
        held.assign(events.begin(), events.end());
    }
    state.advance(node);
}

void TraceSorter::lost(const LossRange& range) {
    State& state = *state_;
    if (range.node >= state.nodes.size() || range.last_seq < range.first_seq || range.last_seq == 0xFFFF'FFFF) return;
    auto& losses = state.nodes[range.node].losses;
    if (range.last_seq < state.nodes[range.node].next) return;
    const auto [known, fresh] = losses.try_emplace(range.last_seq, range);
    if (!fresh && range.first_seq < known->second.first_seq) known->second = range;
    state.advance(range.node);
}

void TraceSorter::ended(std::uint16_t node, std::uint32_t total_records) {
    if (node >= state_->nodes.size()) return;
    state_->sorter.finished(node, total_records);
}

void TraceSorter::finish() {
    State& state = *state_;
    for (std::uint16_t node = 0; node < state.nodes.size(); ++node) {
        auto& of = state.nodes[node];
        while (!of.held.empty() || !of.losses.empty()) {
            const std::uint32_t block = of.held.empty() ? 0xFFFF'FFFF : of.held.begin()->first;
            const std::uint32_t loss = of.losses.empty() ? 0xFFFF'FFFF : of.losses.begin()->second.first_seq;
            LossRange gap;
            gap.node = node;
            gap.first_seq = of.next;
            gap.last_seq = std::min(block, loss) - 1;
            if (gap.first_seq <= gap.last_seq && of.next < std::min(block, loss)) state.pass_loss(gap);
            state.advance(node);
        }
    }
    state.sorter.finish();
}

const SorterCounts& TraceSorter::counts() const {
    return state_->sorter.counts();
}
std::uint64_t TraceSorter::left_out() const {
    return state_->left_out;
}
std::uint64_t TraceSorter::held_back() const {
    return state_->held_back;
}

}  // namespace tmon_order
