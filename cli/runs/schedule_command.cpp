// schedule: chooses how to monitor a scenario.
#include <charconv>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <scenario/scenario.hpp>
#include <schedule/schedule.hpp>
#include <text/output_file.hpp>
#include <text/shell_words.hpp>

#include "frame/command.hpp"
#include "frame/progress_line.hpp"
#include "frame/run_options.hpp"
#include "frame/scenario_options.hpp"

namespace cli {
namespace {

using scenario::Scenario;
using schedule::MonitorPlan;

struct ScheduleOptions {
    ScenarioOptions scenario;
    std::string limit, out;
    std::uint64_t results = schedule::default_schedule_results;
    bool no_loss = false, run = false, force = false;
};

double limit_of(std::string text) {
    if (!text.empty() && text.back() == '%') text.pop_back();
    double limit = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(limit) || limit < 0)
        throw CLI::ValidationError("--max-overhead", "'" + text + "' is no number of percent from 0 up, such as 5%");
    return limit;
}

void check_options(const ScheduleOptions& options) {
    if (options.limit.empty() == !options.no_loss)
        throw CLI::ValidationError("schedule", "no goal is given; use --max-overhead 5% or --no-loss");
    if (options.no_loss && options.run)
        throw CLI::ValidationError("--run", "goes with --max-overhead; --no-loss runs whole farms anyway");
    if (!options.out.empty()) text::check_output_file(options.out, options.force ? text::Replace::Yes : text::Replace::No);
}

std::string use_command(const ScenarioOptions& options, const Scenario& scenario, const MonitorPlan& plan) {
    std::string line =
        options.repeat("run", scenario.seed) + " --set " + text::shell_word("monitor.unload=" + plan.setting_text());
    if (plan.classes != scenario.monitor->classes)
        line += " --set " + text::shell_word("monitor.events=" + plan.classes_text());
    return line;
}

// The thesis' file, with its origin as comments.
void write_sequence(const ScheduleOptions& options, const Scenario& scenario, const MonitorPlan& plan, bool whole_search) {
    if (options.out.empty()) return;
    const std::string why = options.no_loss ? "--no-loss, least exposed" : "--max-overhead " + options.limit;
    text::write_text_file(
        options.out,
        fmt::format("# <Time us> <LowerBound> <UpperBound>; magicwire schedule {} {}, seed {}; events: {}{}\n{}",
                    options.scenario.file, why, scenario.seed, plan.classes_text(),
                    whole_search ? "" : "; the search was interrupted", plan.sequence_text()),
        options.force ? text::Replace::Yes : text::Replace::No);
}

// Printed whatever becomes of the file.
void put_at_once(const std::string& text) {
    put(text);
    std::fflush(stdout);
}

int by_limit(const ScheduleOptions& options, const Scenario& scenario, const schedule::ScheduleProgress& progress) {
    const auto schedule = schedule::compute_schedule(scenario, limit_of(options.limit), options.results, progress);
    const MonitorPlan* plan = schedule.chosen ? &schedule.series.trials[*schedule.chosen].plan : nullptr;
    const std::string command = plan != nullptr ? use_command(options.scenario, scenario, *plan) : std::string();
    std::optional<schedule::ScheduleCheck> check;
    std::exception_ptr failure;  // of the check: the result of the search is printed all the same
    if (plan != nullptr && options.run && interrupted == 0) try {
            check = schedule::check_schedule(scenario, schedule, progress);
        } catch (const std::exception&) {
            failure = std::current_exception();
        }
    const auto* checked = check ? &*check : nullptr;
    put_at_once(options.scenario.json ? schedule::schedule_json(schedule, command, checked)
                                      : schedule::schedule_text(schedule, command, checked));
    if (plan != nullptr) write_sequence(options, scenario, *plan, !schedule.series.interrupted);
    if (interrupted != 0) {
        if (plan != nullptr && options.run && !check)
            tell_error(exit_code::interrupted, "interrupted before the whole run of --run");
        return exit_code::interrupted;
    }
    if (failure) std::rethrow_exception(failure);
    if (plan == nullptr) return exit_code::found;
    if (check && !check->limit_known()) return exit_code::unknown;
    return check && !check->as_expected() ? exit_code::self_check : exit_code::nothing_found;
}

int no_loss(const ScheduleOptions& options, const Scenario& scenario, const schedule::ScheduleProgress& progress) {
    const auto answer = schedule::compute_no_loss(scenario, options.results, progress);
    const MonitorPlan* plan = answer.least_exposed ? &answer.series.trials[*answer.least_exposed].plan : nullptr;
    const std::string command = plan != nullptr ? use_command(options.scenario, scenario, *plan) : std::string();
    put_at_once(options.scenario.json ? schedule::no_loss_json(answer, command) : schedule::no_loss_text(answer, command));
    if (plan != nullptr) write_sequence(options, scenario, *plan, !answer.series.interrupted);
    if (interrupted != 0) return exit_code::interrupted;
    return answer.without_overflow ? exit_code::nothing_found : exit_code::found;
}

int schedule(const ScheduleOptions& options) {
    check_options(options);
    if (!options.limit.empty()) limit_of(options.limit);
    const Scenario scenario = options.scenario.read();
    stop_at_interrupt();
    ProgressLine line;
    const schedule::ScheduleProgress progress = [&](const char* step, std::size_t done, std::size_t all) {
        return line.steps(step, done, all);
    };
    return options.no_loss ? no_loss(options, scenario, progress) : by_limit(options, scenario, progress);
}

}  // namespace

void add_schedule(CLI::App& app, int& result) {
    auto options = std::make_shared<ScheduleOptions>();
    CLI::App* command =
        app.add_subcommand("schedule", "Choose the unload sequence: least loss within a limit of slow-down, or no loss at all");
    options->scenario.add_to(*command);
    command->add_option("--max-overhead", options->limit, "largest slow-down in percent, such as 5%")->type_name("PERCENT");
    command->add_flag("--no-loss", options->no_loss,
                      "find a sequence that loses nothing, or say why there is none and which buffer has one");
    command->add_flag("--run", options->run,
                      "run the whole scenario with the sequence, and compare it with the expected figures");
    command->add_option("-o,--out", options->out, "new file for the sequence, three numbers a line as in the thesis")
        ->type_name("FILE")
        ->check(file_name());
    command->add_flag("-f,--force", options->force, "replace that file");
    command
        ->add_option_function<std::string>(
            "--results", [options](const std::string& text) { options->results = whole_number("--results", text); },
            "cut the runs of the search when the manager has this many results; 0: never")
        ->type_name("NUMBER")
        ->default_str(fmt::format("{}", schedule::default_schedule_results));
    command->footer(
        "Examples:\n  magicwire schedule examples/thesis/dc16_late.yaml --max-overhead 25% --run\n"
        "  magicwire schedule examples/thesis/dc16_late.yaml --max-overhead 25% --results 300 -o dc16.unload\n"
        "  magicwire schedule examples/thesis/dc8.yaml --no-loss --set monitor.buffer=16\n"
        "Exit codes: 0 found; 1 none of the tried sequences meets the goal; 4 the whole run cannot be compared;\n5 the whole "
        "run was not as expected; 130 interrupted.\n");
    command->callback([options, &result] { result = schedule(*options); });
}

}  // namespace cli
