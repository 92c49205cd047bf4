// The folder of 'magicwire record SCENARIO': events.mwr and plan.json (docs/guide/checkpoints.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <tmon_recovery/event_graph.hpp>
#include <tmon_recovery/intervals.hpp>
#include <tmon_recovery/logging.hpp>
#include <tmon_recovery/run_record.hpp>

namespace cli {

std::string events_file(const std::string& folder);
bool is_recorded_run(const std::string& folder);  // it has events.mwr

// "2s", "500ms", "250us"; throws CLI::ValidationError with the option.
std::int64_t nanoseconds(const char* option, const std::string& text);
std::string seconds_text(std::int64_t ns);  // "1.250000 s"

inline constexpr std::int64_t clock_grain_ns = 2000;  // two clocks of microseconds, which are compared

// Checkpoints as the user names them: clock, time, interrupt.
tmon_recovery::CheckpointRule rule_named(const std::string& name);
const char* name_of(tmon_recovery::CheckpointRule rule);

// Throws vocabulary::InputError.
void write_plan(const std::string& folder, const tmon_recovery::CheckpointPlan& plan);
tmon_recovery::CheckpointPlan read_plan(const std::string& folder);

struct PlanOptions {
    std::string interval, checkpoints;  // empty: those of plan.json

    void add_to(CLI::App& command);
};

class RecordedRun {
public:
    // Throws vocabulary::InputError. Tells on standard error how far a record that was cut off holds.
    explicit RecordedRun(const std::string& folder, const PlanOptions& options = {});

    const tmon_recovery::RunRecord& record() const { return record_; }  // its messages have gone to the graph
    const tmon_recovery::EventGraph& graph() const { return *graph_; }
    const tmon_recovery::CheckpointPlan& plan() const { return plan_; }
    const std::string& line_of(std::uint16_t number) const;
    // The call of an event: "ring.c:12"; empty: unknown.
    const std::string& line_of(tmon_recovery::ProcessNo process, tmon_recovery::EventNo event) const;
    tmon_recovery::Intervals intervals() const;  // throws vocabulary::InputError: messages depend on each other in a circle
    int exit_code() const;                       // 0, or 4 for a record that was cut off

private:
    std::string file_;
    tmon_recovery::RunRecord record_;
    std::unique_ptr<tmon_recovery::EventGraph> graph_{};
    tmon_recovery::CheckpointPlan plan_{};
};

}  // namespace cli
