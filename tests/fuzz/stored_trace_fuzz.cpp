// Trace files: read whole, by an index, as a merge and as a summary; stored and read again.
#include <limits>

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
    const std::string again = fuzz::file("again.mwt");
    tmon_streams::store_trace(stored.trace, again, stored.manifest, {.compress = way == 1, .force = true});
    fuzz::reads_again([&] { fuzz::require_same(stored.trace, tmon_streams::load_trace(again).trace); });
}
