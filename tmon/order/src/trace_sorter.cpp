#include <tmon_order/trace_sorter.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "pool.hpp"

namespace tmon_order {

using trace_record::Event;
using trace_record::LossRange;

namespace {

constexpr std::size_t together = 16;  // records whose ends are known before the first of them is inserted

// Sends of one node, all together some 20 MB: where receives are lost, nothing may say so.
std::size_t most_waiting(std::size_t nodes) {
    constexpr std::size_t all = std::size_t{1} << 16, least = 256;
    return std::max(least, all / std::max<std::size_t>(nodes, 1));
}

}  // namespace

struct TraceSorter::State : SortedOutput {
    struct Held {
        std::vector<Event> records;
        std::uint64_t arrived = 0;  // records of all nodes, when it came
    };
    struct Node {
        std::uint32_t next = 0;                     // the first number that was not passed on
        std::map<std::uint32_t, Held> held;         // blocks behind a gap, by first number
        std::map<std::uint32_t, LossRange> losses;  // reported, not yet passed on, by last number
    };

    struct Past {
        std::uint64_t us, steps, arrived;
    };

    State(std::uint16_t count, SortedItems& to, Options chosen)
        : items(to),
          clock(std::move(chosen.clock)),
          rules(std::move(chosen.rules)),
          patience(std::move(chosen.patience)),
          nodes(count),
          states(count, patience.suspect_after_us),
          sorter(count, *this,
                 {.least_latency_ns = chosen.least_latency_ns, .most_waiting = most_waiting(count), .ends_are_final = false}) {
        if (!rules) rules = record_rules(count);
    }

    void report(const SortedRecord& record) override;
    void pass(std::uint16_t node, const Event& record, std::uint32_t seq, std::span<const End> ends);
    void pass_some(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events);
    void pass_block(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events);
    void pass_loss(LossRange range);
    void advance(std::uint16_t node);
    bool advance_by_loss(std::uint16_t node);
    bool close_gap(std::uint16_t node);
    void pass_time(std::uint64_t came_us);
    void lose_patience();
    void look_for_circles();
    void look_for_end(std::uint16_t node);
    void give_up(Past before);
    void crash(std::uint16_t node, CrashWord word);

    SortedItems& items;
    tmon_streams::MainClock clock;
    std::unique_ptr<OrderRules> rules;
    const Patience patience;
    std::vector<Node> nodes;
    StreamStates states;
    std::deque<Past> past;  // so many insertions and arrivals at some moments, the oldest first
    std::uint64_t arrived = 0, next_try = 0, next_try_us = 0, next_circle = 0;
    std::size_t crashes_said = 0;
    Pool<Event> events;      // in the window
    Pool<LossRange> losses;  // likewise
    std::vector<End> ends;   // of the next records, and the index of each one's first end
    std::vector<std::uint32_t> first_ends;
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
    const auto node = static_cast<std::uint16_t>(record.id.stream);
    if (record.kind == SortedRecord::Kind::Lost) states.lost(node, record.id.number, record.last);
    if (record.kind == SortedRecord::Kind::End && record.ending == StreamEnding::Finished) states.finished(node);
    if (record.kind == SortedRecord::Kind::Record && record.late) states.late(node);
    const auto index = static_cast<std::uint32_t>(record.payload);
    if (record.kind == SortedRecord::Kind::Record) item.event = &events[index];
    items.item(item);
    if (record.kind == SortedRecord::Kind::Record) events.release(index);
    if (record.kind == SortedRecord::Kind::Lost && record.payload != no_payload) losses.release(index);
}

void TraceSorter::State::pass(std::uint16_t node, const Event& record, std::uint32_t seq, std::span<const End> its_ends) {
    const std::uint32_t index = events.take();
    Event& event = events[index];
    event = record;
    event.node = node;
    event.seq = seq;
    const std::uint64_t before = sorter.counts().repeated, lost_before = sorter.counts().lost;
    sorter.insert({node, seq}, tmon_streams::time_on(clock, event), index, its_ends);
    if (sorter.counts().repeated > before) events.release(index);
    if (sorter.counts().lost < lost_before) states.found(node);
}

// The sorter learns of all their ends before the first one, since it must fetch its places for them from memory.
void TraceSorter::State::pass_some(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> some) {
    ends.clear();
    first_ends.assign(1, 0);
    std::uint32_t seq = first_seq;
    for (const Event& record : some) {
        // A record whose place was given away has no partner: that one was released without it.
        if (seq >= nodes[node].next) {
            Event event = record;
            event.node = node;
            event.seq = seq;
            rules->ends(event, ends);
        }
        first_ends.push_back(static_cast<std::uint32_t>(ends.size()));
        nodes[node].next = std::max(nodes[node].next, ++seq);
    }
    sorter.expect(ends);
    for (std::uint32_t i = 0; i < some.size(); ++i)
        pass(node, some[i], first_seq + i, std::span(ends).subspan(first_ends[i], first_ends[i + 1] - first_ends[i]));
}

// From the first record that is not passed on, or all of a block that comes late.
void TraceSorter::State::pass_block(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> block) {
    for (std::size_t at = 0; at < block.size(); at += together) {
        const std::size_t count = std::min(together, block.size() - at);
        pass_some(node, first_seq + static_cast<std::uint32_t>(at), block.subspan(at, count));
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
            const std::vector<Event> records = std::move(block->second.records);
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

// The gap before the first block or loss that is held back. False: none is.
bool TraceSorter::State::close_gap(std::uint16_t index) {
    Node& node = nodes[index];
    if (node.held.empty() && node.losses.empty()) return false;
    const std::uint32_t block = node.held.empty() ? 0xFFFF'FFFF : node.held.begin()->first;
    const std::uint32_t loss = node.losses.empty() ? 0xFFFF'FFFF : node.losses.begin()->second.first_seq;
    LossRange gap;
    gap.node = index;
    gap.first_seq = node.next;
    gap.last_seq = std::min(block, loss) - 1;
    if (gap.first_seq <= gap.last_seq && node.next < std::min(block, loss)) pass_loss(gap);
    advance(index);
    return true;
}

void TraceSorter::State::pass_time(std::uint64_t came_us) {
    states.moment(came_us);
    for (; crashes_said < patience.crashes.size() && patience.crashes[crashes_said].at_us <= came_us; ++crashes_said)
        crash(patience.crashes[crashes_said].node, CrashWord::Person);
}

// From time to time, since it looks at all that waits.
void TraceSorter::State::lose_patience() {
    const std::uint64_t records = patience.give_up_records, us = patience.give_up_us;
    const std::uint64_t now_us = states.now_us();
    if ((records == 0 && us == 0) || arrived < next_try || now_us < next_try_us) return;
    next_try = arrived + std::max<std::uint64_t>(records > 0 ? 1 : 0, records / 8);
    next_try_us = now_us + std::max<std::uint64_t>(us > 0 ? 1 : 0, us / 8);
    Past now{now_us, sorter.counts().steps, arrived};
    past.push_back(now);
    const auto long_ago = [&](const Past& then) { return then.us + us <= now_us && then.arrived + records <= arrived; };
    while (past.size() > 1 && long_ago(past[1])) past.pop_front();
    if (long_ago(past.front())) give_up(past.front());
}

// It is known when its last record comes or is lost, however long they still wait for causes.
void TraceSorter::State::look_for_end(std::uint16_t node) {
    if (sorter.has_ended(node)) states.finished(node);
}

// So seldom that it costs a record a few nanoseconds.
void TraceSorter::State::look_for_circles() {
    const SorterCounts& counts = sorter.counts();
    if (counts.steps < next_circle || counts.unreported == 0) return;
    const bool found = sorter.break_deadlocks();
    next_circle = counts.steps + 64 + 2 * nodes.size() + (found ? 0 : 6 * nodes.size() + 2 * counts.window);
}

// The records and blocks that came until then and still wait.
void TraceSorter::State::give_up(Past before) {
    sorter.give_up(sorter.counts().steps - before.steps);
    for (std::uint16_t node = 0; node < nodes.size(); ++node) {
        const auto waits = [&] {
            return std::any_of(nodes[node].held.begin(), nodes[node].held.end(),
                               [&](const auto& held) { return held.second.arrived <= before.arrived; });
        };
        while (waits()) close_gap(node);
    }
}

void TraceSorter::State::crash(std::uint16_t node, CrashWord word) {
    if (node >= nodes.size() || states.state(node) == StreamState::Finished) return;
    while (close_gap(node)) {
    }
    states.crashed(node, word);
    sorter.ended(node, StreamEnding::Crashed);
}

TraceSorter::TraceSorter(std::uint16_t nodes, SortedItems& items, Options options)
    : state_(std::make_unique<State>(nodes, items, std::move(options))) {}
TraceSorter::~TraceSorter() = default;

void TraceSorter::records(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events, std::uint64_t came_us) {
    State& state = *state_;
    if (node >= state.nodes.size() || events.size() > 0xFFFF'FFFFULL - first_seq) {
        state.left_out += events.size();
        return;
    }
    state.pass_time(came_us);
    state.states.records(node, events.size());
    state.arrived += events.size();
    State::Node& of = state.nodes[node];
    if (first_seq <= of.next) {
        state.pass_block(node, first_seq, events);
    } else if (auto& held = of.held[first_seq]; held.records.size() < events.size()) {
        state.held_back += events.size() - held.records.size();
        held.records.assign(events.begin(), events.end());
        held.arrived = state.arrived;
    }
    state.advance(node);
    state.look_for_end(node);
    state.look_for_circles();
    state.lose_patience();
}

void TraceSorter::lost(const LossRange& range) {
    State& state = *state_;
    if (range.node >= state.nodes.size() || range.last_seq < range.first_seq || range.last_seq == 0xFFFF'FFFF) return;
    state.states.report(range.node);
    auto& losses = state.nodes[range.node].losses;
    if (range.last_seq < state.nodes[range.node].next) return;
    const auto [known, fresh] = losses.try_emplace(range.last_seq, range);
    if (!fresh && range.first_seq < known->second.first_seq) known->second = range;
    state.advance(range.node);
    state.look_for_end(range.node);
}

void TraceSorter::ended(std::uint16_t node, std::uint32_t total_records) {
    if (node >= state_->nodes.size()) return;
    state_->states.report(node);
    state_->sorter.finished(node, total_records);
    state_->look_for_end(node);
}

void TraceSorter::heartbeat(std::uint16_t node, std::uint64_t /*before_us*/, std::uint64_t came_us) {
    moment(came_us);
    if (node < state_->nodes.size()) state_->states.heartbeat(node);
}

void TraceSorter::moment(std::uint64_t came_us) {
    state_->pass_time(came_us);
    state_->lose_patience();
}

void TraceSorter::crashed(std::uint16_t node, CrashWord word) {
    state_->crash(node, word);
}

void TraceSorter::finish() {
    State& state = *state_;
    for (std::uint16_t node = 0; node < state.nodes.size(); ++node) {
        while (state.close_gap(node)) {
        }
    }
    for (; state.crashes_said < state.patience.crashes.size(); ++state.crashes_said)
        state.crash(state.patience.crashes[state.crashes_said].node, CrashWord::Person);
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
const StreamStates& TraceSorter::streams() const {
    return state_->states;
}

}  // namespace tmon_order
