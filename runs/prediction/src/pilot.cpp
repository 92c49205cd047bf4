#include "pilot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <oracle/farm_report.hpp>
#include <oracle/session_result.hpp>
#include <prediction/predict.hpp>

#include <forks/child_pool.hpp>
#include <oracle/farm_activity.hpp>
#include <vocabulary/source_position.hpp>
#include "table_shape.hpp"

namespace prediction {
namespace {

using trek_kernel::UserProcess;

// Bundles. A farm that has no more is run as a whole. A longer one is run for so many rounds of all its places, and on where
// the rate has not settled by then. A monitored one is run as a whole up to `most`: its buffers fill, and hold it up, later
// than its rate settles.
constexpr std::uint32_t whole_below = 4000, fewest = 1500, rounds = 20, most = 40'000;
constexpr double settled = 0.01;  // the halves of the window differ by no more
// A program is run as a whole where that costs about as little, since its beginning does not tell what it does later. The cost
// of its functions on the host is not known, either, and the host's clock must not influence the answer. So beyond the first
// results the bound is the modelled time of all nodes. The host simulates some hundred seconds of it in one second.
constexpr std::uint32_t first_of_program = 2000;
constexpr double most_node_seconds = 1000;
constexpr std::size_t results_of_mean_task = 512;  // the mean task is that of so many (mean_task.cpp)

bool is_program(const scenario::Scenario& scenario) {
    return !scenario.program.empty() || scenario.farm_program.has_value();
}

// The scenario without bugs and faults, and without files to write.
scenario::Scenario sound(const scenario::Scenario& scenario) {
    scenario::Scenario plain = scenario;
    plain.faults.reset();
    plain.bugs.clear();
    if (plain.tasks.bugs().empty()) return plain;
    plain.tasks = {};
    for (std::uint32_t task = 0; task < scenario.farm.tasks; ++task) {
        trek_kernel::TaskDescription description = scenario.tasks.of(task);
        for (auto& segment : description.segments) segment.bug = 0;
        plain.tasks.set(task, description);
    }
    return plain;
}

// Data that a run in the child tells beside its answer.
struct Run {
    PilotReading reading;
    bool finished = false;
    bool cut = false;        // ended here, since it had shown enough
    double halves = 1;       // rate in the second half of the window by that in the first
    double computation = 1;  // time in the window of a computation by that of the first ones
    double until_us = 0;     // of the nodes' clocks since monitoring began
};

// Mean over the computations that ended in that time.
double mean_computation(const std::vector<oracle::Work>& works, double from, double until) {
    double sum = 0, count = 0;
    for (const oracle::Work& work : works) {
        const double end = work.end.in_seconds();
        if (work.process != UserProcess::Compute || !work.ended || end < from || end >= until) continue;
        sum += (work.end - work.begin).in_seconds();
        count += 1;
    }
    return count > 0 ? sum / count : 0;
}

// Time of the tasks in the window divided by that of the tasks in the mean task. Messages cut into computations, here more,
// there less, so a small difference says nothing.
double computation_in_window(const scenario::Scenario& scenario, const oracle::SessionResult& result,
                             const std::vector<double>& arrivals, const oracle::SteadyWindow& window) {
    constexpr double of_messages = 0.05;
    if (arrivals.empty() || window.last <= window.first) return 1;
    const std::size_t bundles = std::max<std::size_t>(1, results_of_mean_task / std::max(1U, scenario.farm.granularity));
    const std::vector<oracle::Work> works = oracle::work_of(result.truth, result.simulated.counts.last_step);
    const double first = mean_computation(works, 0, arrivals[std::min(bundles, arrivals.size()) - 1]),
                 steady = mean_computation(works, arrivals[window.first], arrivals[window.last - 1]);
    if (first <= 0 || steady <= 0 || std::abs(steady / first - 1) < of_messages) return 1;
    return steady / first;
}

Run read(const scenario::Scenario& scenario, const oracle::SessionResult& result) {
    Run run;
    const oracle::Measured seen = oracle::measured(scenario, result);
    const oracle::FarmReport report = oracle::farm_report(scenario, result);
    run.finished = result.simulated.farm.finished;
    run.reading.tasks = result.simulated.tasks.completed;
    run.reading.rate = seen.tasks_per_second.value_or(0);
    run.reading.start_up_s = seen.start_up_s.value_or(0);
    run.reading.total_s = seen.total_s.value_or(0);
    run.reading.tasks_of_node.assign(scenario.farm.nodes, 0);
    run.reading.busy_of_node.assign(scenario.farm.nodes, 0);
    for (const oracle::FarmReport::Node& node : report.nodes) {
        run.reading.tasks_of_node[node.node.value()] = node.computed;
        run.reading.busy_of_node[node.node.value()] = node.steady_busy;
    }
    if (report.limit.node) run.reading.critical_node = report.limit.node->value();
    run.reading.critical_reason = report.limit.reason;
    std::vector<double> arrivals;
    double last_task = 0, began = result.simulated.counts.began.in_seconds();
    for (const auto& event : result.truth.events()) {
        if (event.node != 0) continue;
        const double now = static_cast<double>(event.time_us) * 1e-6;
        if (event.is_result == 0) last_task = now;
        if (event.is_result != 0 && event.kind == trace_record::EventKind::Receive) arrivals.push_back(now);
    }
    const oracle::SteadyWindow window = oracle::steady_window(arrivals, last_task);
    const auto [first, last] = window;
    const std::size_t middle = (first + last) / 2;
    if (middle > first && last - 1 > middle)
        run.halves = (arrivals[middle] - arrivals[first]) / static_cast<double>(middle - first) /
                     ((arrivals[last - 1] - arrivals[middle]) / static_cast<double>(last - 1 - middle));
    if (is_program(scenario)) run.computation = computation_in_window(scenario, result, arrivals, window);
    if (scenario.monitor && !result.simulated.nodes.empty()) began = result.simulated.nodes.front().ledger.began.in_seconds();
    if (!arrivals.empty()) run.until_us = (arrivals.back() - began) * 1e6;
    if (!run.finished && !arrivals.empty()) run.reading.total_s = arrivals.back() - began;
    return run;
}

// True when the first results of a program must suffice. The number of its tasks tells at once whether all of it may be run.
bool is_enough(const scenario::Scenario& scenario, const session::Progress& progress) {
    const std::uint32_t tasks = scenario.farm.tasks;
    if (!is_program(scenario) || progress.results < first_of_program || tasks <= first_of_program + first_of_program / 2)
        return false;
    const double node_seconds = progress.now.in_seconds() * static_cast<double>(scenario.farm.members().size());
    return tasks > most || node_seconds > most_node_seconds;
}

Run run_pilot(const scenario::Scenario& scenario) {
    const auto work = [&](std::size_t) {
        oracle::SessionResult result;
        bool cut = false;
        const auto go_on = [&](const session::Progress& progress) { return !(cut = cut || is_enough(scenario, progress)); };
        oracle::run_session(scenario, result, {.progress = go_on});
        const Run run = read(scenario, result);
        forks::Bytes bytes;
        for (const double figure : {static_cast<double>(run.reading.tasks), run.reading.rate, run.reading.start_up_s,
                                    run.reading.total_s, run.halves, run.computation, run.until_us, run.finished ? 1.0 : 0.0,
                                    cut ? 1.0 : 0.0, static_cast<double>(run.reading.critical_node)})
            bytes.put(figure);
        bytes.put_all(run.reading.tasks_of_node);
        bytes.put_all(run.reading.busy_of_node);
        bytes.put_text(run.reading.critical_reason);
        return bytes.take_bytes();
    };
    forks::ChildAnswer answer = std::move(forks::run_children(1, work, [](std::size_t) { return true; }).front());
    if (answer.how != forks::ChildAnswer::How::Done) forks::throw_failure("a pilot run of the farm", answer);
    forks::Bytes bytes(std::move(answer.bytes));
    Run run;
    run.reading.tasks = static_cast<std::uint32_t>(bytes.get<double>());
    for (double* figure :
         {&run.reading.rate, &run.reading.start_up_s, &run.reading.total_s, &run.halves, &run.computation, &run.until_us})
        *figure = bytes.get<double>();
    run.finished = bytes.get<double>() > 0;
    run.cut = bytes.get<double>() > 0;
    run.reading.critical_node = static_cast<std::uint32_t>(bytes.get<double>());
    run.reading.tasks_of_node = bytes.get_all<double>();
    run.reading.busy_of_node = bytes.get_all<double>();
    run.reading.critical_reason = bytes.get_text();
    return run;
}

std::string other_unload(const scenario::Scenario& scenario, double until_us, double total_s) {
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
    explicit Pilot(const scenario::Scenario& scenario) : scenario_(sound(scenario)) {}

    PilotReading read() {
        if (is_program(scenario_)) {
            run(scenario_.farm.tasks);
            run_.reading.computation = run_.computation;
        } else {
            read_table();
        }
        return judged();
    }

private:
    void read_table() {
        const std::uint32_t tasks = scenario_.farm.tasks, g = std::max(1U, scenario_.farm.granularity);
        const std::uint32_t bundles = (tasks + g - 1) / g;
        all_ = table_shape(scenario_, tasks, places());
        std::uint32_t some = std::clamp(rounds * places(), fewest, most);
        while (true) {
            const bool whole = bundles <= std::max(scenario_.monitor ? most : whole_below, some + some / 2);
            first_ = whole ? all_ : table_shape(scenario_, some * g, places());
            const bool alike = !rate_differs() && !total_differs();
            if (whole || some >= most || alike) run(whole ? tasks : some * g);
            if (whole || some >= most || (alike && has_settled())) break;
            some = std::min(most, 3 * some);
        }
        constexpr auto compute_process = static_cast<std::size_t>(UserProcess::Compute);
        if (all_.all[compute_process] > 0)
            run_.reading.computation = first_.middle[compute_process] / all_.all[compute_process];
    }
    std::uint32_t places() const {
        const auto workers = static_cast<std::uint32_t>(scenario_.farm.members().size()) - 1;
        return workers * (1 + scenario_.farm.buffers);
    }
    void run(std::uint32_t tasks) {
        scenario::Scenario shorter = scenario_;
        shorter.farm.tasks = tasks;
        run_ = run_pilot(shorter);
        if (!run_.finished && !(run_.cut && run_.reading.tasks > 0))
            throw vocabulary::RequestError(
                "a pilot run of the farm did not finish; see what 'magicwire run' of the scenario says");
        looked_at_ = run_.finished ? tasks : run_.reading.tasks;
        run_.reading.whole = run_.finished && tasks == scenario_.farm.tasks;
    }
    bool has_settled() const { return run_.reading.rate > 0 && std::abs(run_.halves - 1) <= settled; }
    bool rate_differs() const { return rate_difference(first_, all_) > settled; }
    bool total_differs() const { return total_difference(first_, all_) > settled; }

    // Adds the part after the pilot: for a table it is known, for a program not.
    void add_rest() {
        PilotReading& reading = run_.reading;
        const std::uint32_t tasks = scenario_.farm.tasks;
        const double rest = tasks - std::min(tasks, looked_at_);
        const bool differs = !is_program(scenario_) && (rate_differs() || total_differs());
        if (reading.rate > 0)
            reading.total_s += differs ? seconds_of_rest(first_, all_, scenario_, reading.rate) : rest / reading.rate;
        const double more = static_cast<double>(tasks) / std::max(1U, reading.tasks);
        for (double& of_node : reading.tasks_of_node) of_node *= more;
        if (is_program(scenario_) && rest == 0)
            doubt("all tasks were run; what the program does after them is not known");
        else if (is_program(scenario_))
            doubt(fmt::format("only the first {} of {} tasks were run; what the program does later is not known", looked_at_,
                              tasks));
        else if (rate_differs())
            doubt(fmt::format("its tasks differ, and only the first {} of {} were examined", looked_at_, tasks));
        else if (differs)
            doubt(fmt::format("the tasks after the first {} differ from these, so the total may", looked_at_));
    }
    void doubt(std::string sentence) { run_.reading.doubts.push_back(std::move(sentence)); }

    PilotReading judged() {
        PilotReading& reading = run_.reading;
        if (reading.whole) return std::move(reading);
        add_rest();
        if (scenario_.monitor) doubt(fmt::format("the monitor's buffers may fill after the first {} tasks", looked_at_));
        if (!has_settled())
            doubt(fmt::format("the rate had not settled after {} of {} tasks", looked_at_, scenario_.farm.tasks));
        if (auto other = other_unload(scenario_, run_.until_us, reading.total_s); !other.empty()) doubt(std::move(other));
        return std::move(reading);
    }

    scenario::Scenario scenario_;
    Run run_;
    TableShape first_, all_;  // for a table: the tasks that were looked at, and all
    std::uint32_t looked_at_ = 0;
};

}  // namespace

PilotReading pilot(const scenario::Scenario& scenario) {
    return Pilot(scenario).read();
}

}  // namespace prediction
