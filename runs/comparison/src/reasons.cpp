#include "reasons.hpp"

#include <cmath>

#include <fmt/format.h>

namespace comparison {
namespace {

std::string per_cent(double share) {
    return fmt::format("{:.1f} %", 100 * share);
}
std::string time(double us) {
    return us >= 1e4 ? fmt::format("{:.1f} ms", us * 1e-3) : fmt::format("{:.0f} us", us);
}

bool has_steady_state(const Row& row) {
    return row.number("rate").has_value();
}

// Times that a rate over all includes, and a steady rate does not.
std::string warm_up_and_tail(const Row& row) {
    const auto total = row.number("total_us"), start = row.number("start_up_us"), down = row.number("wind_down_us"),
               after = row.number("post_process_us");
    if (!total || !start || !down || *total <= 0) return "too few tasks";
    return fmt::format("of its {}, start-up takes {}, the wind-down {}, and result_receiver after the last result {}",
                       time(*total), per_cent(*start / *total), per_cent(*down / *total), per_cent(after.value_or(0) / *total));
}

// The part that a pilot run did not see; empty: it was the same farm.
std::string pilot_reason(const Row& row) {
    const auto pilot = row.number("pilot_tasks"), tasks = row.number("tasks");
    const std::string doubts = row.text("doubts");
    if (!pilot || !tasks || *pilot >= *tasks) return doubts;
    const std::string part = fmt::format("the prediction's pilot run had {:.0f} of {:.0f} tasks", *pilot, *tasks);
    return doubts.empty() ? part : part + ": " + doubts;
}

std::string tasks_differ(const Row& row) {
    const auto mean = row.number("task_us"), steady = row.number("steady_task_us");
    if (!mean || !steady || *mean <= 0 || std::abs(*steady / *mean - 1) <= 0.02) return {};
    return fmt::format("a task of the steady state takes {}, the mean task {}", time(*steady), time(*mean));
}

std::string limit(const Row& row) {
    const std::string reason = row.text("limit_reason");
    return reason.empty() ? "the limit of its rate is not known" : reason;
}

std::string of_the_formulas(const Row& row) {
    if (!has_steady_state(row)) return "they are for a steady state, which this farm does not reach: " + warm_up_and_tail(row);
    const std::string tasks = tasks_differ(row);
    if (row.text("limit") == "workers" && !tasks.empty()) return "they take all tasks as equal, and " + tasks;
    return (tasks.empty() ? "" : tasks + "; ") + limit(row);
}

std::string of_the_prediction(const Row& row) {
    const std::string pilot = pilot_reason(row);
    if (!has_steady_state(row))
        return "the farm has no steady state: " + warm_up_and_tail(row) + (pilot.empty() ? "" : "; " + pilot);
    return pilot.empty() ? limit(row) : pilot;
}

}  // namespace

std::optional<double> difference(std::optional<double> predicted, std::optional<double> run) {
    if (!predicted || !run || *run <= 0 || *predicted <= 0) return std::nullopt;
    return *predicted / *run - 1;
}

std::vector<std::string> reasons_of(const Row& row) {
    std::vector<std::string> reasons;
    if (const std::string why = row.text("why_unfinished"); !why.empty()) {
        // A prediction is of a farm that finishes.
        reasons.push_back(fmt::format("the run did not finish ({}): {}", row.text("end"), why));
        return reasons;
    }
    const auto in_us = [&](const char* measure) {
        const auto seconds = row.number(measure);
        return seconds ? std::optional(*seconds * 1e6) : std::nullopt;
    };
    const auto say = [&](const char* what, std::optional<double> apart, const std::string& why) {
        if (apart && std::abs(*apart) > agreement) reasons.push_back(fmt::format("{} {:+.1f} %: {}", what, 100 * *apart, why));
    };
    const auto predicted = difference(row.number("predicted_rate"), row.rate()),
               formulas = difference(row.number("formula_rate"), row.rate());
    // Without a pilot's rate of its own, the prediction has that of the formulas.
    const bool are_one = predicted && formulas && std::abs(*predicted - *formulas) < 0.001;
    say(are_one ? "predicted rate, which is that of the formulas," : "predicted rate", predicted, of_the_prediction(row));
    if (!are_one) say("formulas", formulas, of_the_formulas(row));
    say("predicted total", difference(in_us("predicted_total_s"), row.number("total_us")), of_the_prediction(row));
    say("predicted start-up", difference(in_us("predicted_start_up_s"), row.number("start_up_us")), of_the_prediction(row));
    return reasons;
}

}  // namespace comparison
