// line: the checkpoints from which a replay reaches breakpoints, and how long that takes.
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <tmon_recovery/recovery_line.hpp>

#include "frame/command.hpp"
#include "recovery/breakpoint_words.hpp"
#include "recovery/line_of_run.hpp"
#include "recovery/recorded_run.hpp"

namespace cli {
namespace {

using namespace tmon_recovery;

struct LineOptions {
    std::string folder, at, causal, method = "mrt", rule3 = "printed";
    PlanOptions plan;
    bool json = false;
};

std::string text_of(const RecordedRun& run, const Intervals& intervals, const FoundLine& its, const LineOptions& options) {
    const EventGraph& graph = run.graph();
    std::string text = "PROCESS  BREAKPOINT  OF        AT            CHECKPOINT  BACK  DISTANCE     LINE\n";
    for (ProcessNo process = 0; process < its.set.size(); ++process) {
        const Checkpoint& from = intervals.checkpoints()[its.line[process]];
        const std::int64_t now = graph.time(process, its.set[process]);
        text += fmt::format("{:<8} {:<11} {:<9} {:<13} {:<11} {:<5} {:<12} {}\n", fmt::format("P{}", process), its.set[process],
                            graph.events(process), seconds_text(now - graph.span(process).begin_ns), from.index,
                            its.latest[process] - its.line[process], seconds_text(now - from.time_ns),
                            run.line_of(process, its.set[process]));
    }
    // With many processes the user's own words are shorter.
    const std::string words = its.set.size() <= 16 ? "--at " + words_of(its.set)
                              : options.at.empty() ? "--causal " + options.causal
                                                   : "--at " + options.at;
    return text + fmt::format(
                      "\n{} messages of the replay come from the log, {} are in transit, {} are orphans and are swallowed\n"
                      "distance {}; predicted replay {}; bound {} ({}, T is {})\n"
                      "magicwire replay {} {}\n",
                      its.replay.fed, its.crossing.in_transit.size(), its.crossing.orphans.size(),
                      seconds_text(its.distance_ns), seconds_text(its.replay.takes_ns), seconds_text(its.bound_ns),
                      options.method, seconds_text(its.longest_ns), options.folder, words);
}

std::string json_of(const RecordedRun& run, const Intervals& intervals, const FoundLine& its, const LineOptions& options) {
    const EventGraph& graph = run.graph();
    nlohmann::ordered_json json{{"schema", "magicwire.line/1"},
                                {"whole", run.record().whole()},
                                {"method", options.method},
                                {"rule3", options.rule3},
                                {"checkpoints", name_of(run.plan().rule)},
                                {"interval_ns", run.plan().interval_ns},
                                {"longest_interval_ns", its.longest_ns},
                                {"distance_ns", its.distance_ns},
                                {"predicted_ns", its.replay.takes_ns},
                                {"bound_ns", its.bound_ns},
                                {"fed", its.replay.fed},
                                {"in_transit", its.crossing.in_transit.size()},
                                {"orphans", its.crossing.orphans.size()},
                                {"at", words_of(its.set)},
                                {"processes", nlohmann::ordered_json::array()}};
    for (ProcessNo process = 0; process < its.set.size(); ++process) {
        const Checkpoint& from = intervals.checkpoints()[its.line[process]];
        const std::string& line = run.line_of(process, its.set[process]);
        json["processes"].push_back({{"event", its.set[process]},
                                     {"events", graph.events(process)},
                                     {"line", line.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(line)},
                                     {"checkpoint", from.index},
                                     {"behind_event", from.after},
                                     {"back", its.latest[process] - its.line[process]},
                                     {"distance_ns", graph.time(process, its.set[process]) - from.time_ns},
                                     {"predicted_ns", its.replay.reached_ns[process]}});
    }
    return json.dump(2);
}

int line(const LineOptions& options) try {
    const RecordedRun run(options.folder, options.plan);
    const Intervals intervals = run.intervals();
    const FoundLine its = line_of_run(run, intervals, logging_choice(options.method, options.rule3),
                                      breakpoint_set(run, options.at, options.causal));
    if (options.json)
        put(json_of(run, intervals, its, options));
    else
        std::fputs(text_of(run, intervals, its, options).c_str(), stdout);
    return run.exit_code();
} catch (const BehindCut& error) {
    tell_error(exit_code::unknown, error.what());
    return exit_code::unknown;
}

}  // namespace

void add_line(CLI::App& app, int& result) {
    auto options = std::make_shared<LineOptions>();
    CLI::App* command =
        app.add_subcommand("line", "Where a replay of a recorded run begins to reach breakpoints, and how long it takes");
    command->add_option("DIR", options->folder, "folder of 'magicwire record SCENARIO'")->required()->check(file_name());
    command
        ->add_option("--at", options->at,
                     "breakpoints: events done (P0=412), the third event at a line (P1=ring.c:12#3), a time (P2=1.5s)")
        ->type_name("P0=EVENT,...");
    command->add_option("--causal", options->causal, "one breakpoint; others stop in the earliest states on which it depends")
        ->type_name("P0=EVENT");
    command->add_option("--method", options->method, "of logging")
        ->check(CLI::IsMember({"ros", "mrt", "consistent", "all"}))
        ->type_name("METHOD");
    add_rule3(*command, options->rule3);
    options->plan.add_to(*command);
    command->add_flag("--json", options->json, "print JSON");
    command->footer(
        "Processes without a breakpoint stop in the earliest states on which those with one depend.\n"
        "Breakpoints that depend on each other are told with the messages between them: exit code 3.\n\n"
        "Examples:\n  magicwire line rec --at P0=412,P1=jacobi.c:88#3\n  magicwire line rec --causal P2=88 --rule3 arrival\n"
        "  magicwire line rec --at P0=1.5s --method ros --json\n");
    command->callback([options, &result] { result = line(*options); });
}

}  // namespace cli
