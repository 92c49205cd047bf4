// evaluate: what each method would log of a recorded run.
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <tmon_recovery/on_the_fly.hpp>

#include "frame/command.hpp"
#include "recovery/line_of_run.hpp"
#include "recovery/recorded_run.hpp"

namespace cli {
namespace {

using namespace tmon_recovery;

struct EvaluateOptions {
    std::string folder, rule3 = "printed";
    PlanOptions plan;
    bool json = false;
};

constexpr std::size_t most_on_the_fly = 128;  // processes: each gets a row of every other

struct MethodRow {
    LoggingChoice choice;
    LogCounts counts;
    std::optional<LogCounts> on_the_fly{};
    std::int64_t coordination_ns = 0;  // the longest of a process
    std::uint64_t row_bytes = 0, piggyback_bytes = 0;
};

std::int64_t mean_flight_ns(const EventGraph& graph) {
    double sum = 0;
    std::size_t count = 0;
    for (MessageNo number = 0; number < graph.messages().size(); ++number) {
        if (graph.messages()[number].received == 0) continue;
        sum += static_cast<double>(graph.flight_ns(number));
        ++count;
    }
    return count == 0 ? 0 : static_cast<std::int64_t>(sum / static_cast<double>(count));
}

MethodRow row_of(const EventGraph& graph, const Intervals& intervals, const LoggingChoice& choice, std::int64_t flight_ns) {
    MethodRow row{choice, count(graph, log_of(graph, intervals, choice))};
    if (choice.method > Method::Mrt || graph.processes() > most_on_the_fly) return row;
    const OnTheFly its = on_the_fly(graph, intervals, choice.method, flight_ns);
    row.on_the_fly = count(graph, its.log);
    row.coordination_ns = *std::max_element(its.waits_ns.begin(), its.waits_ns.end());
    row.row_bytes = its.row_bytes;
    row.piggyback_bytes = its.piggyback_bytes;
    return row;
}

struct Evaluation {
    std::int64_t took_ns = 0, longest_ns = 0, flight_ns = 0;
    std::size_t checkpoints = 0, forced = 0;
    std::vector<MethodRow> rows;
};

Evaluation evaluation_of(const RecordedRun& run, Rule3 rule3) {
    const EventGraph& graph = run.graph();
    const Intervals intervals = run.intervals();
    Evaluation all;
    for (ProcessNo process = 0; process < graph.processes(); ++process)
        all.took_ns = std::max(all.took_ns, graph.span(process).end_ns - graph.span(process).begin_ns);
    all.longest_ns = intervals.longest_ns();
    all.flight_ns = mean_flight_ns(graph);
    all.checkpoints = intervals.checkpoints().size();
    for (const Checkpoint& its : intervals.checkpoints()) all.forced += its.forced;
    for (const Method method : {Method::Ros, Method::Mrt, Method::Consistent, Method::All})
        all.rows.push_back(row_of(graph, intervals, {method, rule3, clock_grain_ns}, all.flight_ns));
    return all;
}

std::string text_of(const RecordedRun& run, const Evaluation& all) {
    std::string text = fmt::format(
        "{} processes, {}, {} messages, mean flight {:.1f} us\n"
        "{} checkpoints, one each {} ({}), {} of them forced; T is {}\n\n"
        "METHOD      LOGGED    SHARE    RULE 1    RULE 2    RULE 3    ANSWERS   ON THE FLY  COORDINATION\n",
        run.graph().processes(), seconds_text(all.took_ns), all.rows.front().counts.messages,
        static_cast<double>(all.flight_ns) * 1e-3, all.checkpoints, seconds_text(run.plan().interval_ns),
        name_of(run.plan().rule), all.forced, seconds_text(all.longest_ns));
    for (const MethodRow& row : all.rows) {
        const LogCounts& its = row.counts;
        text += fmt::format("{:<10}  {:<8}  {:>5.2f} %  {:<8}  {:<8}  {:<8}  {:<8}", tmon_recovery::name_of(row.choice.method),
                            its.logged, 100 * its.share(), its.higher, its.needed, its.late, its.answers_logged);
        text +=
            row.on_the_fly ? fmt::format("  {:<10}  {}\n", row.on_the_fly->logged, seconds_text(row.coordination_ns)) : "\n";
    }
    return text;
}

nlohmann::ordered_json json_of(const MethodRow& row) {
    const LogCounts& its = row.counts;
    nlohmann::ordered_json json{{"method", tmon_recovery::name_of(row.choice.method)},
                                {"logged", its.logged},
                                {"share", its.share()},
                                {"rule_1", its.higher},
                                {"rule_2", its.needed},
                                {"rule_3", its.late},
                                {"answers_logged", its.answers_logged},
                                {"bytes_logged", its.bytes_logged},
                                {"on_the_fly", nullptr}};
    if (row.on_the_fly)
        json["on_the_fly"] = {{"logged", row.on_the_fly->logged},
                              {"coordination_ns", row.coordination_ns},
                              {"row_bytes", row.row_bytes},
                              {"piggyback_bytes", row.piggyback_bytes}};
    return json;
}

std::string json_of(const RecordedRun& run, const Evaluation& all, const std::string& rule3) {
    nlohmann::ordered_json json{{"schema", "magicwire.evaluate/1"},
                                {"processes", run.graph().processes()},
                                {"whole", run.record().whole()},
                                {"took_ns", all.took_ns},
                                {"checkpoints", name_of(run.plan().rule)},
                                {"interval_ns", run.plan().interval_ns},
                                {"checkpoints_taken", all.checkpoints},
                                {"checkpoints_forced", all.forced},
                                {"longest_interval_ns", all.longest_ns},
                                {"mean_flight_ns", all.flight_ns},
                                {"messages", all.rows.front().counts.messages},
                                {"answers", all.rows.front().counts.answers},
                                {"bytes", all.rows.front().counts.bytes},
                                {"rule3", rule3},
                                {"methods", nlohmann::ordered_json::array()}};
    for (const MethodRow& row : all.rows) json["methods"].push_back(json_of(row));
    return json.dump(2);
}

int evaluate(const EvaluateOptions& options) {
    const RecordedRun run(options.folder, options.plan);
    const Evaluation all = evaluation_of(run, options.rule3 == "arrival" ? Rule3::Arrival : Rule3::Printed);
    if (options.json)
        put(json_of(run, all, options.rule3));
    else
        std::fputs(text_of(run, all).c_str(), stdout);
    return run.exit_code();
}

}  // namespace

void add_evaluate(CLI::App& app, int& result) {
    auto options = std::make_shared<EvaluateOptions>();
    CLI::App* command =
        app.add_subcommand("evaluate", "What checkpoints and message logs would cost a recorded run, by method");
    command->add_option("DIR", options->folder, "folder of 'magicwire record SCENARIO'")->required()->check(file_name());
    add_rule3(*command, options->rule3);
    options->plan.add_to(*command);
    command->add_flag("--json", options->json, "print JSON");
    command->footer(
        "Methods: ros and mrt of Thoai and Volkert; to compare, lines without orphans (consistent), and logs of all messages.\n"
        "A record that was cut off is evaluated as far as it holds: exit code 4.\n\n"
        "Examples:\n  magicwire evaluate rec\n  magicwire evaluate rec --interval 250ms --checkpoints clock\n"
        "  magicwire evaluate rec --rule3 arrival --json\n");
    command->callback([options, &result] { result = evaluate(*options); });
}

}  // namespace cli
