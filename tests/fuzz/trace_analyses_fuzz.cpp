// The analyses of a stored trace with its farm, as `magicwire detrek -p` and `magicwire clocks` run them: the records are any.
#include <tmon_clocks/causality_check.hpp>
#include <tmon_clocks/clock_adjustment.hpp>
#include <tmon_detrek/detrek.hpp>
#include <tmon_streams/trace_store.hpp>

#include "checked_trace.hpp"
#include "fuzz_target.hpp"

// A .spf, "---", a trace file.
FUZZ_TARGET(trace_analyses, input) {
    fuzz::put("a.spf", fuzz::part(input));
    const std::string trace = fuzz::put("a.mwt", fuzz::with_checksums(std::string(input)));
    const auto result = tmon_detrek::run_detrek({.prefix = fuzz::file("a"), .verbose = true});
    fuzz::require(!result.text.empty() && !result.json.empty(), "an analysis says nothing");
    const tmon_streams::StoredTrace stored = tmon_streams::load_trace(trace);
    const tmon_clocks::ClockAdjustment clocks(stored.trace);
    for (const tmon_streams::Stream& stream : stored.trace.streams) {
        for (const auto part : stream.parts) {
            for (const tmon_streams::Event& event : part) clocks.adjusted(event);
        }
    }
}
