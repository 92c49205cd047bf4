// Trace files: read whole, by an index, as a merge, sorted and as a summary; stored and read again.
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <tmon_sorted/sort_trace.hpp>
#include <tmon_sorted/sorted_lines.hpp>
#include <tmon_streams/trace_merge.hpp>
#include <tmon_streams/trace_store.hpp>
#include <tmon_streams/trace_summary.hpp>

#include "checked_trace.hpp"
#include "fuzz_target.hpp"
#include "same_trace.hpp"

namespace {

void merge(const std::string& path, std::uint16_t nodes) {
    const tmon_streams::TraceIndex index(path);
    tmon_streams::TraceMerge merged(index, nodes);
    std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
    while (const tmon_streams::TraceItem* item = merged.next()) {
        fuzz::require(item->main_ns >= last_ns, "the merge goes back in time");
        last_ns = item->main_ns;
    }
}

// Each record once, in the order of its node, and no final time before an earlier line's.
class Sorted : public tmon_order::SortedItems {
public:
    explicit Sorted(std::size_t nodes) : next_(nodes, 0) {}
    void item(const tmon_order::SortedItem& item) override {
        using Kind = tmon_order::SortedRecord::Kind;
        fuzz::require(!tmon_sorted::text_line(item).empty() && !tmon_sorted::json_line(item).empty(), "a line is empty");
        if (item.order.kind == Kind::End) return;
        fuzz::require(item.order.id.number == next_[item.order.id.stream], "a node's numbers have a gap or come twice");
        next_[item.order.id.stream] = item.order.last + 1;
        if (item.order.kind != Kind::Record) return;
        ++records_;
        if (item.stamp != nullptr) check_stamp(item);
        if (item.order.assumed == tmon_order::Assumed::Cycle) return;
        fuzz::require(item.order.final_ns >= last_ns_, "final times run backwards");
        last_ns_ = item.order.final_ns;
    }
    std::uint64_t records() const { return records_; }

private:
    // Nothing is known to precede that does not stand before.
    void check_stamp(const tmon_order::SortedItem& item) const {
        for (std::size_t node = 0; node < next_.size(); ++node)
            fuzz::require((*item.stamp)[node] <= next_[node], "a vector time claims a record that comes later");
        fuzz::require((*item.stamp)[item.order.id.stream] == item.order.last + 1, "a vector time lacks its own record");
    }
    std::vector<std::uint64_t> next_;
    std::int64_t last_ns_ = std::numeric_limits<std::int64_t>::min();
    std::uint64_t records_ = 0;
};

void sort(const std::string& path, const tmon_streams::Trace& trace) {
    Sorted sorted(trace.streams.size());
    const tmon_sorted::SortResult result = tmon_sorted::sort_trace({.trace = path, .progress = {}}, sorted);
    fuzz::require(sorted.records() == trace.size(), "the sort has other records than the trace");
    tmon_sorted::sort_text(result);
    tmon_sorted::sort_json(result);
    Sorted amortised(trace.streams.size());
    tmon_sorted::SortOptions options{.trace = path};
    options.amortise = options.stamps = true;
    tmon_sorted::sort_text(tmon_sorted::sort_trace(options, amortised));
    fuzz::require(amortised.records() == trace.size(), "the amortised sort has other records than the trace");
}

}  // namespace

FUZZ_TARGET(stored_trace, input) {
    const std::size_t way = fuzz::choose(input, 4);
    const std::string path = fuzz::put("data.mwt", way == 0 ? std::string(input) : fuzz::with_checksums(std::string(input)));
    const tmon_streams::StoredTrace stored = tmon_streams::load_trace(path);
    constexpr std::size_t most_nodes = 256;  // more take time and nothing else
    if (stored.trace.streams.size() > most_nodes) return;
    const tmon_streams::TraceSummary summary = tmon_streams::summarise(path);
    tmon_streams::summary_text(summary);
    tmon_streams::summary_json(summary);
    merge(path, static_cast<std::uint16_t>(stored.trace.streams.size()));
    sort(path, stored.trace);
    const std::string again = fuzz::file("again.mwt");
    tmon_streams::store_trace(stored.trace, again, stored.manifest, {.compress = way == 1, .force = true});
    fuzz::reads_again([&] { fuzz::require_same(stored.trace, tmon_streams::load_trace(again).trace); });
}
