#include "pilot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include <tmon_session/farm_report.hpp>
#include <tmon_session/predict.hpp>
#include <tmon_session/session.hpp>

#include "child_pool.hpp"
#include "farm_activity.hpp"

namespace tmon_session {
namespace {

using trek_kernel::UserProcess;

// Bundles. A farm that has no more is run as a whole; of a longer one so many rounds of all its places, and more where the rate
// has not settled by then.
constexpr std::uint32_t whole_below = 4000, fewest = 1500, rounds = 20, most = 40'000;
constexpr std::uint32_t most_of_program = 2000;  // tasks; what a user's functions cost the host is not known
constexpr double settled = 0.01;                 // the halves of the window differ by no more

bool is_program(const Scenario& scenario) {
    return !scenario.program.empty() || scenario.farm_program.has_value();
}

// As it should be, and nothing written.
Scenario sound(const Scenario& scenario) {
    Scenario plain = scenario;
    plain.faults.reset();
    plain.bugs.clear();
    plain.vcd.clear();
    plain.watches.clear();
    if (plain.tasks.bugs().empty()) return plain;
    plain.tasks = {};
    for (std::uint32_t task = 0; task < scenario.farm.tasks; ++task) {
        trek_kernel::TaskDescription description = scenario.tasks.of(task);
        for (auto& segment : description.segments) segment.bug = 0;
        plain.tasks.set(task, description);
    }
    return plain;
}

double mean(const std::vector<double>& values, std::size_t first, std::size_t last) {
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += values[i];
    return last > first ? sum / static_cast<double>(last - first) : 0;
}

// What a run in the child says, beside what goes into the answer.
struct Run {
    PilotReading reading;
    bool finished = false;
    double halves = 1;    // rate in the second half of the window by that in the first
    double differ = 0;    // computation of the tasks in the second half by that in the first, less one; of a program
    double until_us = 0;  // of the nodes' clocks since monitoring began
};

Run read(const Scenario& scenario, const SessionResult& result) {
    Run run;
    const Observed seen = observed(scenario, result);
    const FarmReport report = farm_report(scenario, result);
    run.finished = result.farm.finished;
    run.reading.tasks = result.tasks.completed;
    run.reading.rate = seen.tasks_per_second.value_or(0);
    run.reading.start_up_s = seen.start_up_s.value_or(0);
    run.reading.total_s = seen.total_s.value_or(0);
    run.reading.tasks_of_node.assign(scenario.farm.nodes, 0);
    run.reading.busy_of_node.assign(scenario.farm.nodes, 0);
    for (const FarmReport::Node& node : report.nodes) {
        run.reading.tasks_of_node[node.node.value()] = node.computed;
        run.reading.busy_of_node[node.node.value()] = node.steady_busy;
    }
    if (report.limit.node) run.reading.critical_node = report.limit.node->value();
    run.reading.critical_reason = report.limit.reason;
    std::vector<double> arrivals, computed;
    double last_task = 0, began = result.farm_began.in_seconds();
    for (const auto& event : result.truth.events()) {
        if (event.node != 0) continue;
        const double now = static_cast<double>(event.time_us) * 1e-6;
        if (event.is_result == 0) last_task = now;
        if (event.is_result != 0 && event.kind == trace_record::EventKind::Receive) arrivals.push_back(now);
    }
    for (const Work& work : work_of(result.truth, result.farm_ended)) {
        if (work.process == UserProcess::Compute && work.ended) computed.push_back((work.end - work.begin).in_seconds());
    }
    const auto [first, last] = steady_window(arrivals, last_task);
    const std::size_t middle = (first + last) / 2;
    if (middle > first && last - 1 > middle)
        run.halves = (arrivals[middle] - arrivals[first]) / static_cast<double>(middle - first) /
                     ((arrivals[last - 1] - arrivals[middle]) / static_cast<double>(last - 1 - middle));
    const double early = mean(computed, 0, computed.size() / 2), late = mean(computed, computed.size() / 2, computed.size());
    run.differ = early > 0 ? late / early - 1 : 0;
    if (scenario.monitor && !result.nodes.empty()) began = result.nodes.front().ledger.began.in_seconds();
    if (!arrivals.empty()) run.until_us = (arrivals.back() - began) * 1e6;
    if (!run.finished && !arrivals.empty()) run.reading.total_s = arrivals.back() - began;
    return run;
}

Run run_pilot(const Scenario& scenario, std::uint32_t stop_at) {
    const auto work = [&](std::size_t) {
        SessionResult result;
        const auto go_on = [&](const Progress& progress) { return stop_at == 0 || progress.results < stop_at; };
        run_session(scenario, result, {.progress = go_on});
        const Run run = read(scenario, result);
        Bytes bytes;
        for (const double figure :
             {static_cast<double>(run.reading.tasks), run.reading.rate, run.reading.start_up_s, run.reading.total_s, run.halves,
              run.differ, run.until_us, run.finished ? 1.0 : 0.0, static_cast<double>(run.reading.critical_node)})
            bytes.put(figure);
        bytes.put_all(run.reading.tasks_of_node);
        bytes.put_all(run.reading.busy_of_node);
        bytes.put_text(run.reading.critical_reason);
        return bytes.take_bytes();
    };
    ChildAnswer answer = std::move(run_children(1, work, [](std::size_t) { return true; }).front());
    if (answer.how != ChildAnswer::How::Done) throw std::runtime_error("a pilot run of the farm failed: " + answer.failure);
    Bytes bytes(std::move(answer.bytes));
    Run run;
    run.reading.tasks = static_cast<std::uint32_t>(bytes.get<double>());
    for (double* figure :
         {&run.reading.rate, &run.reading.start_up_s, &run.reading.total_s, &run.halves, &run.differ, &run.until_us})
        *figure = bytes.get<double>();
    run.finished = bytes.get<double>() > 0;
    run.reading.critical_node = static_cast<std::uint32_t>(bytes.get<double>());
    run.reading.tasks_of_node = bytes.get_all<double>();
    run.reading.busy_of_node = bytes.get_all<double>();
    run.reading.critical_reason = bytes.get_text();
    return run;
}

// Mean times of the tasks that the rate is taken from, by process.
std::array<double, 3> middle_of(const trek_kernel::TaskTable& table, std::uint32_t tasks) {
    std::array<double, 3> mean{};
    const auto first = static_cast<std::uint32_t>(0.30 * tasks),
               last = std::max(first + 1, static_cast<std::uint32_t>(0.85 * tasks));
    for (std::uint32_t task = first; task < last; ++task) {
        for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += static_cast<double>(table.of(task).segments[i].time_us);
    }
    for (double& time : mean) time /= last - first;
    return mean;
}

// By how much the tasks that a pilot has looked at differ from those that count, as a part of the latter.
double difference(const trek_kernel::TaskTable& table, std::uint32_t some, std::uint32_t all) {
    const auto seen = middle_of(table, some), whole = middle_of(table, all);
    double most_different = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const double larger = std::max(seen[i], whole[i]);
        if (larger >= 1) most_different = std::max(most_different, std::abs(seen[i] - whole[i]) / larger);
    }
    return most_different;
}

std::string other_unload(const Scenario& scenario, double until_us, double total_s) {
    if (!scenario.monitor || !scenario.monitor->unload) return {};
    const auto& commands = scenario.monitor->unload->commands();
    for (std::size_t i = 0; i + 1 < commands.size(); ++i) {
        const auto change = static_cast<double>(commands[i].until_us);
        if (change > 0.3 * until_us && change < total_s * 1e6)
            return fmt::format("the unload sequence changes at {:.0f} us, and the pilot run lasted until {:.0f} us", change,
                               until_us);
    }
    return {};
}

class Pilot {
public:
    explicit Pilot(const Scenario& scenario) : scenario_(sound(scenario)) {}

    PilotReading read() {
        const std::uint32_t tasks = scenario_.farm.tasks, g = std::max(1U, scenario_.farm.granularity);
        if (is_program(scenario_)) {
            run(tasks, tasks <= most_of_program + most_of_program / 2 ? 0 : most_of_program);
        } else {
            const std::uint32_t bundles = (tasks + g - 1) / g, at_once = places();
            std::uint32_t some = std::clamp(rounds * at_once, fewest, most);
            while (true) {
                const bool whole = bundles <= std::max(whole_below, some + some / 2);
                run(whole ? tasks : some * g, 0);
                if (whole || some >= most || (has_settled() && !differs())) break;
                some = std::min(most, 3 * some);
            }
        }
        return judged();
    }

private:
    std::uint32_t places() const {
        const auto workers = static_cast<std::uint32_t>(scenario_.farm.members().size()) - 1;
        return workers * (1 + scenario_.farm.buffers);
    }
    void run(std::uint32_t tasks, std::uint32_t stop_at) {
        Scenario shorter = scenario_;
        shorter.farm.tasks = tasks;
        run_ = run_pilot(shorter, stop_at);
        looked_at_ = stop_at > 0 ? run_.reading.tasks : tasks;
        run_.reading.whole = looked_at_ >= scenario_.farm.tasks;
        if (run_.finished || (run_.reading.tasks > 0 && stop_at > 0)) return;
        throw std::runtime_error("a pilot run of the farm did not finish; see what 'magicwire run' of the scenario says");
    }
    bool has_settled() const { return run_.reading.rate > 0 && std::abs(run_.halves - 1) <= settled; }
    bool differs() const {
        return is_program(scenario_) ? std::abs(run_.differ) > 0.03
                                     : difference(scenario_.tasks, looked_at_, scenario_.farm.tasks) > settled;
    }

    PilotReading judged() {
        PilotReading& reading = run_.reading;
        if (reading.whole) return std::move(reading);
        const std::uint32_t rest = scenario_.farm.tasks - std::min(scenario_.farm.tasks, looked_at_);
        if (reading.rate > 0) reading.total_s += rest / reading.rate;
        const double more = static_cast<double>(scenario_.farm.tasks) / std::max(1U, reading.tasks);
        for (double& tasks : reading.tasks_of_node) tasks *= more;
        const auto doubt = [&](std::string sentence) { reading.doubts.push_back(std::move(sentence)); };
        if (differs())
            doubt(
                fmt::format("its tasks differ, and only the first {} of {} were looked at", looked_at_, scenario_.farm.tasks));
        if (!has_settled())
            doubt(fmt::format("the rate had not settled after {} of {} tasks", looked_at_, scenario_.farm.tasks));
        if (auto other = other_unload(scenario_, run_.until_us, reading.total_s); !other.empty()) doubt(std::move(other));
        return std::move(reading);
    }

    Scenario scenario_;
    Run run_;
    std::uint32_t looked_at_ = 0;
};

}  // namespace

PilotReading pilot(const Scenario& scenario) {
    return Pilot(scenario).read();
}

}  // namespace tmon_session
