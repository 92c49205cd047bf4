// F8: ordering N streams of records in memory, by time (StreamMerge, `wait`) and by cause with matching (TraceSorter). Each
// stream sends to a random other one; blocks of 128 records arrive in turn. F9: vector stamps of the records in causal order,
// all of them kept (OrderStamps). Processor time of whole passes, best of several. `--streams N`: that number alone. `--only
// cause`: that figure alone.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include <tmon_order/order_stamps.hpp>
#include <tmon_order/stream_merges.hpp>
#include <tmon_order/trace_sorter.hpp>

#include "measure.hpp"

namespace {

using trace_record::Event;
using trace_record::EventKind;

constexpr std::uint32_t block_records = 128;
constexpr std::uint32_t records = 2'000'000;

// Records of each stream: a send to a random stream, or the receive of a message under way, by one clock.
std::vector<std::vector<Event>> history(std::uint16_t streams) {
    std::mt19937 random(streams);
    std::vector<std::vector<Event>> made(streams);
    std::vector<std::deque<Event>> under_way(streams);
    for (std::uint32_t i = 0; i < records; ++i) {
        const auto node = static_cast<std::uint16_t>(random() % streams);
        Event event;
        event.node = node;
        event.seq = static_cast<std::uint32_t>(made[node].size());
        event.time_us = i;
        event.bytes = 1000;
        if (under_way[node].empty()) {
            event.kind = EventKind::Send;
            event.peer = static_cast<std::uint16_t>((node + 1 + random() % (streams - 1U)) % streams);
            event.task = i;
            under_way[event.peer].push_back(event);
        } else {
            event.kind = EventKind::Receive;
            event.peer = under_way[node].front().node;
            event.task = under_way[node].front().task;
            under_way[node].pop_front();
        }
        made[node].push_back(event);
    }
    return made;
}

// Calls `block` for the blocks of all streams in turn.
template <class Block>
void arrive(const std::vector<std::vector<Event>>& streams, const Block& block) {
    bool any = true;
    for (std::size_t at = 0; any; at += block_records) {
        any = false;
        for (const std::vector<Event>& stream : streams) {
            if (at >= stream.size()) continue;
            any = true;
            block(std::span<const Event>(stream).subspan(at, std::min<std::size_t>(block_records, stream.size() - at)));
        }
    }
}

struct Sum : tmon_order::SortedItems {
    void item(const tmon_order::SortedItem& item) override { sum += item.event != nullptr ? item.event->task : 0; }
    std::uint64_t sum = 0;
};

double by_cause(const std::vector<std::vector<Event>>& streams) {
    Sum sum;
    const double begin = bench::cpu_seconds();
    tmon_order::TraceSorter sorter(static_cast<std::uint16_t>(streams.size()), sum, {});
    arrive(streams, [&](std::span<const Event> block) { sorter.records(block.front().node, block.front().seq, block, 0); });
    sorter.finish();
    const double seconds = bench::cpu_seconds() - begin;
    if (sorter.counts().reported != records) std::abort();
    return seconds;
}

double by_time(const std::vector<std::vector<Event>>& streams) {
    std::uint64_t count = 0;
    const double begin = bench::cpu_seconds();
    tmon_order::StreamMerge merge(tmon_order::MergeKind::Wait, static_cast<std::uint16_t>(streams.size()),
                                  [&](const Event&) { ++count; });
    arrive(streams, [&](std::span<const Event> block) { merge.records(block); });
    merge.finish();
    const double seconds = bench::cpu_seconds() - begin;
    if (count != records) std::abort();
    return seconds;
}

struct Link {
    tmon_order::RecordId id;
    std::vector<tmon_order::Cause> sources;
};

// The records in the order of time, which is causal here, with their sources.
std::vector<Link> in_causal_order(const std::vector<std::vector<Event>>& streams) {
    std::vector<Link> links(records);
    std::vector<tmon_order::RecordId> sends(records);
    for (const std::vector<Event>& stream : streams) {
        for (const Event& event : stream) {
            links[event.time_us].id = {event.node, event.seq};
            if (event.kind == EventKind::Send) sends[event.task] = links[event.time_us].id;
        }
    }
    for (const std::vector<Event>& stream : streams) {
        for (const Event& event : stream) {
            if (event.kind == EventKind::Receive) links[event.time_us].sources = {{sends[event.task]}};
        }
    }
    return links;
}

double stamped(const std::vector<Link>& links, std::uint16_t streams) {
    const double begin = bench::cpu_seconds();
    tmon_order::OrderStamps stamps(streams);
    for (const Link& link : links) stamps.record(link.id, link.sources);
    const double seconds = bench::cpu_seconds() - begin;
    if (stamps.stamp(links.back().id)[links.back().id.stream] != links.back().id.number + 1) std::abort();
    return seconds;
}

}  // namespace

int main(int argc, char** argv) {
    int repeat = 3, only = 0;
    const char* figure = "";
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::strcmp(argv[i], "--repeat") == 0) repeat = std::atoi(argv[i + 1]);
        if (std::strcmp(argv[i], "--streams") == 0) only = std::atoi(argv[i + 1]);
        if (std::strcmp(argv[i], "--only") == 0) figure = argv[i + 1];
    }
    for (const std::uint16_t streams : {16, 64, 256, 1024}) {
        if (only != 0 && only != streams) continue;
        const auto made = history(streams);
        if (std::strcmp(figure, "cause") == 0) {
            double best = 1e9;
            for (int i = 0; i < repeat; ++i) best = std::min(best, by_cause(made));
            std::printf("f8_cause_%u %.2f M-events/s\n", streams, records / best * 1e-6);
            continue;
        }
        const auto links = in_causal_order(made);
        double time = 1e9, cause = 1e9, stamp = 1e9;
        for (int i = 0; i < repeat; ++i) {
            time = std::min(time, by_time(made));
            cause = std::min(cause, by_cause(made));
            if (streams != 256) stamp = std::min(stamp, stamped(links, streams));
        }
        std::printf("f8_time_%u %.2f M-events/s\nf8_cause_%u %.2f M-events/s\n", streams, records / time * 1e-6, streams,
                    records / cause * 1e-6);
        if (streams != 256) std::printf("f9_stamps_%u %.2f M-events/s\n", streams, records / stamp * 1e-6);
    }
}
