#include <tmon_order/causal_sorter.hpp>

#include <algorithm>

#include <vocabulary/contract.hpp>

#include "sorter_state.hpp"

namespace tmon_order {

namespace {

constexpr std::uint64_t most_number = std::uint64_t{1} << 62;

}  // namespace

using Kind = SortedRecord::Kind;

CausalSorter::State::Stream& CausalSorter::State::stream_of(std::uint32_t stream) {
    EXPECTS(stream < streams.size(), "causal_sorter.stream");
    return streams[stream];
}

CausalSorter::CausalSorter(std::uint32_t streams, SortedOutput& output, Options options)
    : state_(std::make_unique<State>(streams, output, options)) {}
CausalSorter::CausalSorter(std::uint32_t streams, SortedOutput& output) : CausalSorter(streams, output, Options{}) {}
CausalSorter::~CausalSorter() = default;

void CausalSorter::insert(RecordId id, std::int64_t raw_ns, std::uint64_t payload, std::span<const End> ends) {
    EXPECTS(id.number < most_number, "causal_sorter.number");
    State& state = *state_;
    State::Stream& stream = state.stream_of(id.stream);
    if (state.window) {
        if (state.window->insert(id, raw_ns, payload, ends)) return;
        state.need_graph();
    }
    const StreamNumbers::Place place = stream.numbers.place(id.number);
    if (place == StreamNumbers::Place::Repeated) {
        ++state.counts.repeated;
        return;
    }
    ++state.counts.records;
    ++state.counts.steps;
    const std::uint32_t index = state.make_node(Kind::Record, id, id.number, payload);
    state.nodes[index].raw_ns = raw_ns;
    const bool placed = place == StreamNumbers::Place::New && !stream.ended;
    if (placed) {
        state.connect(index);
    } else {
        state.come_late(index, place == StreamNumbers::Place::Lost);
    }
    ++state.nodes[index].waits;  // until all of its ends are attached
    for (const End& end : ends) state.attach(index, end);
    if (placed) {
        for (const End& end : ends) state.see_in_order(id.stream, id.number, end);
        state.see_kept(id.stream);
    }
    --state.nodes[index].waits;
    state.no_longer_waits(index);
    state.settle();
    state.end_when_whole(id.stream);
    state.measure();
}

// Its place was given away: it is free at once, and moves nothing on its stream.
void CausalSorter::State::come_late(std::uint32_t index, bool was_lost) {
    Node& node = nodes[index];
    node.late = node.detached = true;
    node.awaits = 0;
    ++counts.late;
    StreamNumbers& numbers = streams[node.id.stream].numbers;
    if (was_lost) {
        --counts.lost;
        numbers.found(node.id.number);
    } else {
        numbers.add(node.id.number, node.id.number, none);
    }
}

void CausalSorter::State::lose(std::uint32_t stream, StreamNumbers::Range range, std::uint64_t payload, bool has_ends) {
    Stream& of = streams[stream];
    of.lossy = of.lossy || has_ends;
    counts.lost += range.second - range.first + 1;
    const std::uint32_t index = make_node(Kind::Lost, {stream, range.first}, range.second, payload);
    if (of.ended) {
        of.numbers.add(range.first, range.second, none);
        if (has_ends) of.why_ended = Assumed::Lost;
        nodes[index].late = nodes[index].detached = true;
        nodes[index].awaits = 0;
    } else {
        connect(index);
    }
    of.numbers.remember_lost(range);
    see_kept(stream);
    no_longer_waits(index);
    settle();
}

void CausalSorter::expect(std::span<const End> ends) {
    if (state_->window) state_->window->expect(ends);
}

void CausalSorter::lost(std::uint32_t stream, std::uint64_t first, std::uint64_t last, std::uint64_t payload, bool has_ends) {
    EXPECTS(first <= last && last < most_number, "causal_sorter.range");
    state_->need_graph();
    for (const StreamNumbers::Range& range : state_->stream_of(stream).numbers.missing(first, last))
        state_->lose(stream, range, payload, has_ends);
    state_->end_when_whole(stream);
}

void CausalSorter::finished(std::uint32_t stream, std::uint64_t total) {
    State::Stream& of = state_->stream_of(stream);
    of.total = std::max(total, of.total.value_or(0));
    state_->need_graph();
    state_->end_when_whole(stream);
}

void CausalSorter::State::end_when_whole(std::uint32_t stream) {
    const Stream& of = streams[stream];
    if (!of.ended && of.total && of.numbers.leading() >= *of.total) end(stream, StreamEnding::Finished);
}

void CausalSorter::ended(std::uint32_t stream, StreamEnding how) {
    state_->need_graph();
    if (!state_->stream_of(stream).ended) state_->end(stream, how);
}

void CausalSorter::State::end(std::uint32_t stream, StreamEnding how) {
    Stream& of = streams[stream];
    if (of.ended) return;
    for (const auto& [range, after_it] : of.numbers.holes()) lose(stream, range, no_payload, true);
    if (of.total && of.numbers.end() < *of.total) lose(stream, {of.numbers.end(), *of.total - 1}, no_payload, true);
    if (of.total) how = StreamEnding::Finished;
    const std::uint32_t index = make_node(Kind::End, {stream, of.numbers.end()}, of.numbers.end(), no_payload);
    nodes[index].ending = how;
    connect_end(index);
    of.ended = true;
    const bool whole = how == StreamEnding::Finished && options.ends_are_final;
    of.why_ended = of.lossy ? Assumed::Lost : whole ? Assumed::NeverBegan : Assumed::StreamEnded;
    stream_ended(stream);
    no_longer_waits(index);
    settle();
}

void CausalSorter::give_up(std::uint64_t steps) {
    state_->need_graph();
    if (state_->counts.steps >= steps) state_->give_up_before(state_->counts.steps - steps + 1);
}

bool CausalSorter::break_deadlocks() {
    if (state_->window && !state_->window->has_circle()) return false;
    state_->need_graph();
    bool any = false;
    while (state_->break_deadlocks()) any = true;
    return any;
}

void CausalSorter::finish() {
    State& state = *state_;
    state.need_graph();
    for (std::uint32_t stream = 0; stream < state.streams.size(); ++stream) state.end(stream, StreamEnding::Open);
    while (state.options.release == Release::AtOnce && state.pending > 0) {
        state.break_cycle();
        state.settle();
    }
}

bool CausalSorter::report_next() {
    return state_->report_earliest();
}
const SorterCounts& CausalSorter::counts() const {
    return state_->counts;
}
bool CausalSorter::has_ended(std::uint32_t stream) const {
    return state_->stream_of(stream).ended;
}

}  // namespace tmon_order
