#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <schedule/schedule.hpp>

#include "probe_run.hpp"

namespace schedule {
namespace {

using vocabulary::SimTime;

constexpr std::size_t most_fill_lines = 4, most_trial_lines = 8, most_node_lines = 16;

double ms(SimTime time) {
    return static_cast<double>(time.in_ps()) * 1e-9;
}

std::string percent(const std::optional<double>& value) {
    return value ? fmt::format("{:.2f} %", *value) : "not known";
}

std::string short_plan(const MonitorPlan& plan) {
    std::string text;
    for (const auto& command : plan.commands) {
        const bool last = &command == &plan.commands.back();
        text += fmt::format("{}{}{}/{}", text.empty() ? "" : " ", last ? "" : fmt::format("{} us: ", command.until_us),
                            command.lower, command.upper);
    }
    return text;
}

std::string first_bound_text(const FillForecast& forecast) {
    const std::string measured = fmt::format("{} by the twin", forecast.measured_bound);
    return "  first bound  " +
           (forecast.predicted_bound ? fmt::format("{} by the prediction, {}", *forecast.predicted_bound, measured)
                                     : measured) +
           ": while a buffer is unloaded, new records find room\n";
}

// A line for each part of a long sentence.
std::string in_lines(std::string sentence) {
    for (std::size_t at = sentence.find("; "); at != std::string::npos; at = sentence.find("; ", at + 1))
        sentence.replace(at, 2, ";\n    ");
    return sentence;
}

std::string measured_fill_text(const TrialSeries& series) {
    std::string text = "  fill         measured only, there is no prediction: " + in_lines(series.forecast.refused) + "\n";
    for (std::size_t i = 0; i < std::min(series.fill.size(), most_fill_lines); ++i) {
        const NodeFill& fill = series.fill[i];
        text += fmt::format("    n{} makes {:.3f} records/ms of tasks and results, without probes: full after {:.3f} ms\n",
                            fill.node, fill.per_ms, fill.full_after_ms);
    }
    return text;
}

// The prediction made before any run of the farm, beside the figures of its twin.
std::string fill_text(const TrialSeries& series) {
    const FillForecast& forecast = series.forecast;
    if (!forecast.refused.empty()) return measured_fill_text(series);
    std::string text = fmt::format("  {:<8} {:>18} {:>10} {:>9} {:>24} {:>10}\n", "fill", "records/ms: predicted", "twin",
                                   "error", "full after ms: predicted", "twin");
    for (std::size_t i = 0; i < std::min(series.fill.size(), most_fill_lines); ++i) {
        const NodeFill& fill = series.fill[i];
        if (!fill.predicted_per_ms) continue;
        text += fmt::format("    {:<6} {:>21.3f} {:>10.3f} {:>+7.1f} % {:>24.3f} {:>10.3f}\n", fmt::format("n{}", fill.node),
                            *fill.predicted_per_ms, fill.per_ms, 100 * (*fill.predicted_per_ms / fill.per_ms - 1),
                            fill.predicted_full_after_ms.value_or(0), fill.full_after_ms);
    }
    text += "    records of tasks and results, without the effects of monitoring; full: both buffers, if nothing is unloaded\n";
    if (!forecast.left_out.empty()) text += fmt::format("    not in the prediction: events of class {}\n", forecast.left_out);
    for (const std::string& caveat : forecast.caveats) text += "    caution: " + caveat + "\n";
    return text;
}

std::size_t tried(const TrialSeries& series) {
    return static_cast<std::size_t>(std::count_if(series.trials.begin(), series.trials.end(),
                                                  [](const MonitorTrial& trial) { return trial.failure.empty(); }));
}

// Runs that failed. In an interrupted search some were never begun; these have not failed.
std::string failed_text(const TrialSeries& series) {
    const auto failed = [](const MonitorTrial& trial) { return !trial.failure.empty() && trial.failure != not_run; };
    const auto first = std::find_if(series.trials.begin(), series.trials.end(), failed);
    if (first == series.trials.end()) return {};
    return fmt::format("  failed       {} runs, so nothing is known about their sequences. The first, {}: {}\n",
                       std::count_if(first, series.trials.end(), failed), short_plan(first->plan), first->failure);
}

std::string head(const TrialSeries& series, const std::string& what) {
    std::string text = fmt::format("{} (seed {})\n", what, series.seed);
    text += fmt::format("  buffers      2 of {} records on each node; a message carries up to {}\n", series.buffer,
                        series.in_message);
    text += fill_text(series) + first_bound_text(series.forecast);
    text += fmt::format("  tried        {} sequences, {}\n", tried(series),
                        series.cut_after == 0
                            ? fmt::format("each in a whole run of {} tasks", series.tasks)
                            : fmt::format("each in a run cut after {} of {} results", series.cut_after, series.tasks));
    text += failed_text(series);
    if (series.interrupted)
        text += "  interrupted  the search was not finished: the results cover the sequences tried until then\n";
    return text;
}

std::string trial_line(const MonitorTrial& trial, char mark) {
    return fmt::format("  {} {:<28} {:>10} {:>10} {:>10} {:>10.2f}\n", mark, short_plan(trial.plan),
                       percent(trial.slow_down_percent), trial.exposure.lost, trial.unrecorded, trial.exposure.mean);
}

// The chosen plan and those that another limit would choose: no other has less of both.
std::string trial_table(const TrialSeries& series, const std::optional<std::size_t>& chosen) {
    std::vector<std::size_t> front;
    for (std::size_t i = 0; i < series.trials.size(); ++i)
        if (series.trials[i].slow_down_percent) front.push_back(i);
    std::stable_sort(front.begin(), front.end(), [&](std::size_t a, std::size_t b) {
        const MonitorTrial &x = series.trials[a], &y = series.trials[b];
        return std::pair(*x.slow_down_percent, x.missing()) < std::pair(*y.slow_down_percent, y.missing());
    });
    std::vector<std::size_t> kept;
    for (const std::size_t i : front) {
        const bool better = kept.empty() || series.trials[i].missing() < series.trials[kept.back()].missing();
        if (better || (chosen && i == *chosen)) kept.push_back(i);
    }
    if (kept.empty()) return {};
    std::string text = fmt::format("\n    {:<28} {:>10} {:>10} {:>10} {:>10}\n", "lower/upper bound", "slow-down", "lost",
                                   "unrecorded", "exposed");
    const std::size_t step = std::max<std::size_t>(1, (kept.size() + most_trial_lines - 1) / most_trial_lines);
    for (std::size_t k = 0; k < kept.size(); ++k) {
        const bool is_chosen = chosen && kept[k] == *chosen;
        if (k % step == 0 || k + 1 == kept.size() || is_chosen)
            text += trial_line(series.trials[kept[k]], is_chosen ? '*' : ' ');
    }
    return text +
           "    lost: buffers full; unrecorded: of classes that are switched off; exposed: records that a crash of a random "
           "node at a\n    random moment destroys, on average\n";
}

std::string sequence_lines(const MonitorPlan& plan) {
    std::string text;
    for (const auto& command : plan.commands)
        text += fmt::format("    {:>10} {:>6} {:>6}\n", command.until_us, command.lower, command.upper);
    return text;
}

std::string crash_text(const TraceExposure& exposure) {
    const NodeExposure* worst = exposure.worst();
    if (worst == nullptr && exposure.made == 0) return "no record was made\n";
    if (worst == nullptr) return "a crash can destroy nothing: no record found room\n";
    return fmt::format("a crash destroys {:.2f} records on average, at worst {}: n{} at {:.3f} ms\n", exposure.mean,
                       worst->worst, worst->node, ms(worst->worst_at));
}

std::string after_a_fault(const MonitorTrial& trial) {
    std::string text;
    if (trial.taken_along() > 0)
        text += fmt::format("               {} more were on nodes that died or could not be reached at the end\n",
                            trial.taken_along());
    if (trial.strike_us > 0)
        text += fmt::format("               a fault strikes at {} us of the monitors' clocks; the trace {}\n", trial.strike_us,
                            trial.certain ? "names a fault for certain" : "does not name one for certain");
    return text;
}

std::string expectation(const Schedule& schedule) {
    const MonitorTrial& trial = schedule.series.trials[*schedule.chosen];
    const TraceExposure& e = trial.exposure;
    std::string text =
        trial.cut ? "  expected     likely, from the part that was run: " : "  expected     certain, it was run whole: ";
    text += fmt::format("slow-down {} to result {} of {}, {} of {} records lost for want of room",
                        percent(trial.slow_down_percent), trial.common.results, schedule.series.tasks,
                        trial.expected_lost(schedule.series.tasks), trial.cut ? "all" : fmt::format("{}", e.made));
    if (trial.unrecorded > 0) text += fmt::format(", {} not made", trial.unrecorded);
    text += "\n" + after_a_fault(trial) + "               " + crash_text(e);
    if (trial.common.parted)
        text +=
            "  caution      the run and its twin have different numbers of results: after the fault they did different work. "
            "The\n"
            "               slow-down does not hold for the farm without the fault; for that, remove the fault\n";
    return text;
}

std::string none_text(const Schedule& schedule) {
    if (schedule.series.interrupted)
        return fmt::format("\nNot known: the search was interrupted before a sequence kept the slow-down within {:g} %.\n",
                           schedule.limit_percent);
    if (!schedule.cheapest) return "\nNo sequence could be compared with the twin: no result came back in both.\n";
    const MonitorTrial& trial = schedule.series.trials[*schedule.cheapest];
    return fmt::format(
        "\nNone of the tried sequences keeps the slow-down within {:g} %: the least is {}, with {}, and loses {} of {} "
        "records.\n"
        "Ask for a higher limit, or make the tasks longer.\n",
        schedule.limit_percent, percent(trial.slow_down_percent), short_plan(trial.plan), trial.exposure.lost,
        trial.exposure.made);
}

std::string limit_text(const Schedule& schedule, const ScheduleCheck& check) {
    if (!check.limit_known())
        return fmt::format("whether the limit of {:g} % is kept; after the fault the run did less work than its twin",
                           schedule.limit_percent);
    std::string text = fmt::format("the limit of {:g} % is {}kept", schedule.limit_percent, check.limit_kept ? "" : "NOT ");
    if (check.common.parted)
        text += fmt::format(" to result {} of {}, as far as run and twin can be compared", check.common.results,
                            schedule.series.tasks);
    return text;
}

std::string check_text(const Schedule& schedule, const ScheduleCheck& check) {
    const MonitorTrial& trial = schedule.series.trials[*schedule.chosen];
    std::string text = fmt::format("\n  {:<24} {:>14} {:>14}\n", "", "expected", "whole run");
    text += fmt::format("  {:<24} {:>14} {:>14}\n", "slow-down", percent(trial.slow_down_percent),
                        percent(check.slow_down_percent));
    text += fmt::format("  {:<24} {:>14} {:>14}\n", "lost for want of room", trial.expected_lost(schedule.series.tasks),
                        check.lost);
    if (check.taken_along)
        text += fmt::format("  {:<24} {:>14} {:>14}\n", "on nodes that died",
                            trial.cut ? "not known" : fmt::format("{}", trial.taken_along()), *check.taken_along);
    if (!check.verdict.empty()) text += "  verdict: " + check.verdict + "\n";
    text += !check.limit_known() ? "Not known: " : check.as_expected() ? "As expected: " : "NOT as expected: ";
    text += limit_text(schedule, check);
    if (!check.verdict_as_expected) text += "; the verdict is less certain than in the search";
    return text + (check.loss_as_expected ? "; no more records were lost than expected.\n"
                                          : "; more or fewer records were lost than expected.\n");
}

}  // namespace

std::string schedule_text(const Schedule& schedule, const std::string& command, const ScheduleCheck* check) {
    std::string text = head(schedule.series, fmt::format("Unload sequence for {}: least loss with at most {:g} % slow-down",
                                                         schedule.series.scenario, schedule.limit_percent));
    text += trial_table(schedule.series, schedule.chosen);
    if (!schedule.chosen) return text + none_text(schedule);
    const MonitorPlan& plan = schedule.series.trials[*schedule.chosen].plan;
    if (schedule.series.interrupted) text += "\n  The best so far:\n";
    text += "\n  sequence     until us  lower  upper\n" + sequence_lines(plan);
    text += "  events       " + plan.classes_text() + "\n" + expectation(schedule) + "  to use       " + command + "\n";
    return text + (check != nullptr ? check_text(schedule, *check) : "");
}

namespace {

std::string no_proof_text(const LossProof& proof) {
    switch (proof.outcome) {
        case LossProof::Outcome::Proven:
            return "proven";
        case LossProof::Outcome::WithoutLoss:
            return "some decisions lose nothing until the run ends or is cut, and no tried sequence makes them";
        case LossProof::Outcome::TooManyWays:
            return fmt::format("there are more than {} paths of decisions to a first loss", most_ways);
        case LossProof::Outcome::TooLong:
            return fmt::format("a path has more than {} decisions before its first loss", longest_way);
        case LossProof::Outcome::Failed:
            return "the proof failed: " + proof.failure;
        case LossProof::Outcome::Interrupted:
            return "the proof was interrupted";
    }
    return {};
}

std::string exclusion_text(const Exclusion& excluded) {
    const std::string of_size = fmt::format("with monitor.buffer={}", excluded.buffer);
    if (excluded.proof.every_sequence_loses())
        return fmt::format(
            "Certain: none exists {}. Whatever the managers decide, a record is lost:\n"
            "  each of the {} paths of decisions was followed to its first loss.\n",
            of_size, excluded.proof.followed);
    const std::size_t constant = excluded.tried - excluded.changing;
    std::string text = fmt::format(
        "Not known whether one exists {}: none of {} constant sequences and of {} that change in\n"
        "  time loses nothing, the best loses {}.\n",
        of_size, excluded.all_constant ? fmt::format("all {}", constant) : fmt::format("{}", constant), excluded.changing,
        excluded.least_lost);
    if (excluded.failed > 0)
        text += fmt::format("  For {} more the answer is not known, since their runs failed. The first: {}\n", excluded.failed,
                            excluded.first_failure);
    return text + "  No proof that none exists: " + no_proof_text(excluded.proof) + ".\n";
}

std::string nothing_ran_text(const NoLoss& answer) {
    if (answer.series.interrupted) return "\nWithout a crash: not known; interrupted before a sequence was tried.\n";
    return tried(answer.series) == 0 ? "\nWithout a crash: not known; no sequence could be run, see 'failed' above.\n"
                                     : "\nWithout a crash: not known; no run made a record. Ask for other classes of events.\n";
}

std::string no_larger_buffer_text(const NoLoss& answer) {
    const std::string none = answer.largest_tried > 0
                                 ? fmt::format("No larger buffer up to monitor.buffer={} helped", answer.largest_tried)
                                 : std::string("No larger buffer is known to help");
    return "  " + none + ".\n";
}

std::string unknown_buffer_text(const UnknownBuffer& unknown) {
    return fmt::format("  The search ended at monitor.buffer={}, whose result is not known, since a run failed: {}\n",
                       unknown.buffer, unknown.failure);
}

std::string overflow_text(const NoLoss& answer) {
    const auto& trials = answer.series.trials;
    const char* how = answer.series.cut_after == 0 ? "Certain: it was run whole." : "Likely: the run was cut.";
    if (answer.without_overflow) {
        const MonitorTrial& trial = trials[*answer.without_overflow];
        return fmt::format(
            "\nWithout a crash: a sequence that loses nothing exists: {} loses none of {} records, slow-down {}; no cheaper "
            "one\n"
            "  among those tried. {}\n",
            short_plan(trial.plan), trial.exposure.made, percent(trial.slow_down_percent), how);
    }
    if (!answer.least_lossy) return nothing_ran_text(answer);
    const MonitorTrial& best = trials[*answer.least_lossy];
    if (answer.series.interrupted)
        return fmt::format(
            "\nWithout a crash: not known; the search was interrupted. The best of the {} tried, {}, loses {} of {} records "
            "for "
            "want\n  of room.\n",
            tried(answer.series), short_plan(best.plan), best.exposure.lost, best.exposure.made);
    std::string text = fmt::format(
        "\nWithout a crash: every tried sequence loses records. The best of {}, {}, loses {} of {} records for want of "
        "room.\n",
        tried(answer.series), short_plan(best.plan), best.exposure.lost, best.exposure.made);
    if (answer.excluded) text += "  " + exclusion_text(*answer.excluded);
    if (answer.series.interrupted) return text;
    const std::string unknown = answer.unknown ? unknown_buffer_text(*answer.unknown) : std::string();
    if (!answer.least_buffer) return text + no_larger_buffer_text(answer) + unknown;
    text += fmt::format("  Smallest buffer found that loses nothing: monitor.buffer={}, with {}: slow-down {}. {}\n",
                        *answer.least_buffer, short_plan(answer.with_least_buffer->plan),
                        percent(answer.with_least_buffer->slow_down_percent), how);
    if (answer.one_less) text += "  One record less: " + exclusion_text(*answer.one_less);
    return text + unknown;
}

std::string crash_at_any_time_text(const NoLoss& answer) {
    if (!answer.least_lossy) return {};
    std::string text =
        "\nUp to a crash of any node at any time: none exists. Certain: a record can be lost from the moment it is made until "
        "the\n"
        "  next node has it, and that takes time whatever the sequence and the buffer";
    if (!answer.least_exposed)
        return text + ".\n\n  least exposed  none: every tried sequence loses all its records for want of room\n";
    const MonitorTrial& trial = answer.series.trials[*answer.least_exposed];
    const TraceExposure& e = trial.exposure;
    text += e.shortest_stay ? fmt::format(".\n  In the run below never less than {:.3f} ms (n{}), at most {:.3f} ms.\n",
                                          ms(*e.shortest_stay), e.shortest_on, ms(*e.longest_stay))
                            : ".\n";
    text += fmt::format("\n  least exposed  {}, slow-down {}, {} records lost for want of room\n                 ",
                        short_plan(trial.plan), percent(trial.slow_down_percent), e.lost);
    text += crash_text(e);
    text += fmt::format("\n    {:<6} {:>16} {:>16} {:>10}\n", "crash", "records, worst", "at ms", "mean");
    for (std::size_t i = 0; i < std::min(e.nodes.size(), most_node_lines); ++i)
        text += fmt::format("    {:<6} {:>16} {:>16.3f} {:>10.2f}\n", fmt::format("n{}", e.nodes[i].node), e.nodes[i].worst,
                            ms(e.nodes[i].worst_at), e.nodes[i].mean);
    if (e.nodes.size() > most_node_lines) text += fmt::format("    and {} more\n", e.nodes.size() - most_node_lines);
    return text;
}

std::string calls_text(const NoLoss& answer) {
    if (!answer.least_exposed) return {};
    const CallExposure& calls = answer.series.trials[*answer.least_exposed].exposure.calls;
    if (calls.calls == 0) return {};
    return fmt::format(
        "\nA crash in a user's function: of {} calls {} begin when a crash would destroy no record (worst {} records), and\n"
        "  {} end so (worst {}). {}\n",
        calls.calls, calls.safe_at_begin, calls.worst_at_begin, calls.safe_at_end, calls.worst_at_end,
        calls.safe_at_end > calls.safe_at_begin ? "Pending records leave while a function computes."
                                                : "The functions are too short for pending records to leave meanwhile.");
}

}  // namespace

std::string no_loss_text(const NoLoss& answer, const std::string& command) {
    std::string text = head(answer.series, "No loss on " + answer.series.scenario) + overflow_text(answer) +
                       crash_at_any_time_text(answer) + calls_text(answer);
    if (!command.empty())
        text += fmt::format("\n  to use the least exposed{}\n    {}\n",
                            answer.series.interrupted ? " of the tried sequences" : "", command);
    return text;
}

}  // namespace schedule
