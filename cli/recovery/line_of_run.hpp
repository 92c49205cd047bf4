// The recovery line of breakpoints in a recorded run, with its figures: for the commands line and replay.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <tmon_recovery/intervals.hpp>
#include <tmon_recovery/recovery_line.hpp>

#include "recovery/recorded_run.hpp"

namespace cli {

struct FoundLine {
    tmon_recovery::BreakpointSet set;
    tmon_recovery::GlobalCheckpoint line, latest;
    tmon_recovery::LoggingChoice choice;
    tmon_recovery::Log log;
    tmon_recovery::Crossing crossing;
    tmon_recovery::Replay replay;
    std::int64_t distance_ns = 0, bound_ns = 0, longest_ns = 0;
};

void add_rule3(CLI::App& command, std::string& rule3);
// Words of --method and --rule3.
tmon_recovery::LoggingChoice logging_choice(const std::string& method, const std::string& rule3);
// By --at or --causal; the other is empty. Throws as consistent_set() does.
tmon_recovery::BreakpointSet breakpoint_set(const RecordedRun& run, const std::string& at, const std::string& causal);
// `only`: the processes that shall run, and get all packets of others from the log; empty: all run.
FoundLine line_of_run(const RecordedRun& run, const tmon_recovery::Intervals& intervals,
                      const tmon_recovery::LoggingChoice& choice, const tmon_recovery::BreakpointSet& set,
                      const std::vector<bool>& only = {});

}  // namespace cli
