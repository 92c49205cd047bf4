#include <algorithm>
#include <tuple>
#include <utility>

#include "sorter_state.hpp"

namespace tmon_order {

std::uint32_t CausalSorter::State::make_node(SortedRecord::Kind kind, RecordId id, std::uint64_t last, std::uint64_t payload) {
    const std::uint32_t index = nodes.take();
    Node& node = nodes[index];
    node.kind = kind;
    node.id = id;
    node.last = last;
    node.payload = payload;
    node.step = counts.steps;
    ++pending;
    if (kind == SortedRecord::Kind::Record) {
        ++counts.window;
        ++counts.unreported;
    }
    return index;
}

// Puts the node behind the one before it on its stream. True: that one is reported.
bool CausalSorter::State::follow(std::uint32_t before_index, std::uint32_t index) {
    ++nodes[index].waits;
    if (before_index == none) return false;
    Node& before = nodes[before_index];
    before.next = index;
    --before.awaits;
    fading.push_back(before_index);
    if (!before.reported) return false;
    --nodes[index].waits;
    after(nodes[index], before.final_ns, before.id);
    return true;
}

void CausalSorter::State::connect(std::uint32_t index) {
    Node& node = nodes[index];
    Stream& stream = streams[node.id.stream];
    const StreamNumbers::Added beside = stream.numbers.add(node.id.number, node.last, index);
    if (node.id.number == 0 || follow(beside.before, index)) stream.frontier = index;
    if (beside.after == none) return;
    node.next = beside.after;
    --node.awaits;
}

// The end of a stream without holes has no number, and nothing follows.
void CausalSorter::State::connect_end(std::uint32_t index) {
    Stream& stream = streams[nodes[index].id.stream];
    nodes[index].awaits = 0;
    const std::uint32_t newest = stream.numbers.newest();
    if (newest == none || follow(newest, index)) stream.frontier = index;
}

void CausalSorter::State::after(Node& node, std::int64_t final_ns, RecordId cause) {
    // With equal times the first stream counts, whatever came first.
    const bool first = std::tie(cause.stream, cause.number) < std::tie(node.needed_by.stream, node.needed_by.number);
    if (final_ns < node.need_ns || (final_ns == node.need_ns && !first)) return;
    node.need_ns = final_ns;
    node.needed_by = cause;
}

void CausalSorter::State::no_longer_waits(std::uint32_t index) {
    Node& node = nodes[index];
    if (node.waits > 0 || node.queued) return;
    node.queued = true;
    freed.push_back(index);
}

// Section 2.6. A record that lost its place moves nothing: what follows from it is reported already.
void CausalSorter::State::set_time(Node& node) {
    Stream& stream = streams[node.id.stream];
    if (node.kind != SortedRecord::Kind::Record) {
        node.final_ns = node.need_ns;
        return;
    }
    if (!node.detached && node.need_ns != no_time && node.need_ns - node.raw_ns > stream.drift_ns) {
        stream.drift_ns = node.need_ns - node.raw_ns;
        stream.forced_by = node.needed_by;
    }
    node.final_ns = node.raw_ns + stream.drift_ns;
}

// All that precedes it is reported.
void CausalSorter::State::free_node(std::uint32_t index) {
    Node& node = nodes[index];
    set_time(node);
    if (options.release == Release::AtOnce) return report(index);
    free.push_back({node.final_ns, node.id, index});
    std::push_heap(free.begin(), free.end());
}

void CausalSorter::State::report(std::uint32_t index) {
    Node& node = nodes[index];
    give(node);
    node.reported = true;
    --pending;
    release_effects(index);
    for (std::uint32_t link = node.opened; link != none;) {
        const Link entry = links[link];
        links.release(link);
        link = entry.next;
        source_reported(entry.what, node);
    }
    node.opened = none;
    fading.push_back(index);
    Stream& stream = streams[node.id.stream];
    if (!node.detached) stream.frontier = node.next;
    if (node.next == none) return;
    Node& next = nodes[node.next];
    after(next, node.final_ns, node.id);
    --next.waits;
    no_longer_waits(node.next);
}

// A record with one source has it at hand already.
void CausalSorter::State::gather_sources(Node& node, SortedRecord& record) {
    no_longer_uses(given_shared);
    if (node.shared == none && node.more == none) return;
    given_shared = std::exchange(node.shared, none);
    if (given_shared != none && node.more == none) {
        record.several = shared_causes[given_shared].list;
        record.shared = shared_causes[given_shared].number;
        return;
    }
    gathered.clear();
    if (given_shared != none) {
        for (const Cause& cause : shared_causes[given_shared].list) {
            if (cause.id.stream != node.id.stream) gathered.push_back(cause);
        }
    }
    while (node.more != none) {
        gathered.push_back(further_causes[node.more].cause);
        further_causes.release(std::exchange(node.more, further_causes[node.more].next));
    }
    record.several = gathered;
}

void CausalSorter::State::give(Node& node) {
    SortedRecord record;
    record.kind = node.kind;
    record.id = node.id;
    record.last = node.last;
    record.payload = node.payload;
    const bool timed = node.final_ns != no_time;
    record.raw_ns = node.kind == SortedRecord::Kind::Record ? node.raw_ns : 0;
    record.final_ns = timed ? node.final_ns : 0;
    record.forced_by = streams[node.id.stream].forced_by;
    if (node.has_source) record.source = node.source;
    gather_sources(node, record);
    record.assumed = node.assumed;
    if (node.contradicted) record.contradicted = node.contradicted_by;
    record.late = node.late;
    record.ending = node.ending;
    if (node.kind == SortedRecord::Kind::Record) {
        const std::uint64_t waited = counts.steps - node.step;
        ++counts.reported;
        --counts.unreported;
        counts.assumed += node.assumed != Assumed::Nothing ? 1 : 0;
        counts.waited_sum += waited;
        counts.most_waited = std::max(counts.most_waited, waited);
    }
    output.report(record);
}

void CausalSorter::State::try_delete(std::uint32_t index) {
    Node& node = nodes[index];
    if (!node.used || !node.reported || node.awaits > 0) return;
    if (node.kind == SortedRecord::Kind::Record) --counts.window;
    drop_list(node.causes);
    drop_list(node.awaited);
    node.used = false;
    nodes.release(index);
}

// Figure 2 recurses where this takes the next of a list: a chain of a million records would overflow a stack.
void CausalSorter::State::settle() {
    for (std::size_t at = 0; at < freed.size(); ++at) free_node(freed[at]);
    freed.clear();
    for (const std::uint32_t index : fading) try_delete(index);
    fading.clear();
}

void CausalSorter::State::measure() {
    counts.window_sum += counts.window;
    counts.unreported_sum += counts.unreported;
    counts.most_window = std::max(counts.most_window, counts.window);
    counts.most_unreported = std::max(counts.most_unreported, counts.unreported);
}

bool CausalSorter::State::report_earliest() {
    if (free.empty() && pending > 0) {
        break_cycle();
        settle();
    }
    if (free.empty()) return false;
    std::pop_heap(free.begin(), free.end());
    const std::uint32_t index = free.back().node;
    free.pop_back();
    report(index);
    settle();
    return true;
}

// No record is free, and none will come: each frontier waits for one of the others. One whose source may be
// recorded late goes first, else the one with the least raw time.
void CausalSorter::State::break_cycle() {
    std::uint32_t chosen = none;
    for (const Stream& stream : streams) {
        if (stream.frontier == none || nodes[stream.frontier].waits == 0) continue;
        const Node& node = nodes[stream.frontier];
        const bool better =
            chosen == none || (node.loose != nodes[chosen].loose ? node.loose : node.raw_ns < nodes[chosen].raw_ns);
        if (better) chosen = stream.frontier;
    }
    if (chosen == none) return;
    Node& node = nodes[chosen];
    node.assumed = node.loose ? Assumed::Crossed : Assumed::Cycle;
    counts.contradictions += node.loose ? 0 : 1;
    leave_causes(chosen);
    node.waits = 0;
    no_longer_waits(chosen);
}

}  // namespace tmon_order
