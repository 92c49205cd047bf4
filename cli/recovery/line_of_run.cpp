#include "recovery/line_of_run.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "recovery/breakpoint_words.hpp"

namespace cli {

using namespace tmon_recovery;

void add_rule3(CLI::App& command, std::string& rule3) {
    command.add_option("--rule3", rule3, "of MRT. printed: as in the paper; arrival: with the flight of a message")
        ->check(CLI::IsMember({"printed", "arrival"}))
        ->type_name("RULE");
}

LoggingChoice logging_choice(const std::string& method, const std::string& rule3) {
    LoggingChoice choice;
    for (const Method one : {Method::Ros, Method::Mrt, Method::Consistent, Method::All})
        if (method == tmon_recovery::name_of(one)) choice.method = one;
    choice.rule3 = rule3 == "arrival" ? Rule3::Arrival : Rule3::Printed;
    choice.grain_ns = clock_grain_ns;
    return choice;
}

BreakpointSet breakpoint_set(const RecordedRun& run, const std::string& at, const std::string& causal) {
    if (at.empty() == causal.empty()) throw CLI::ValidationError("breakpoints", "name them by --at, or one by --causal");
    if (!at.empty()) return consistent_set(run, parse_breakpoints(run, "--at", at), at);
    const NamedBreakpoints one = parse_breakpoints(run, "--causal", causal);
    if (std::count(one.named.begin(), one.named.end(), true) != 1)
        throw CLI::ValidationError("--causal", "name one breakpoint; the others follow from it");
    return raised(run.graph(), one.set);
}

FoundLine line_of_run(const RecordedRun& run, const Intervals& intervals, const LoggingChoice& choice, const BreakpointSet& set,
                      const std::vector<bool>& only) {
    const EventGraph& graph = run.graph();
    FoundLine its;
    its.set = set;
    its.choice = choice;
    its.log = log_of(graph, intervals, choice);
    for (MessageNo number = 0; !only.empty() && number < its.log.size(); ++number) {
        const Message& message = graph.messages()[number];
        if (message.received != 0 && only[message.to] && !only[message.from]) its.log[number] = LogRule::Every;
    }
    its.line = recovery_line(graph, intervals, its.log, choice.method, set);
    for (ProcessNo process = 0; process < set.size(); ++process) its.latest.push_back(intervals.before(process, set[process]));
    its.crossing = crossing(graph, intervals, its.line, set);
    its.replay = predict(graph, intervals, its.log, its.line, set);
    its.distance_ns = distance_ns(graph, intervals, its.line, set);
    its.bound_ns = bound_ns(graph, intervals, choice, its.line, set);
    its.longest_ns = intervals.longest_ns();
    return its;
}

}  // namespace cli
