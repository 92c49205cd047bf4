#include "mean_task.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <hw_model/timing.hpp>
#include <oracle/session_result.hpp>
#include <topologies/generators.hpp>
#include <topologies/link_speeds.hpp>
#include <topologies/network.hpp>

#include <forks/child_pool.hpp>
#include <vocabulary/source_position.hpp>

namespace prediction {
namespace {

using trek_kernel::Moment;
using trek_kernel::UserProcess;

constexpr std::uint32_t most_of_table = 1'000'000, most_results = 512;
constexpr std::size_t most_levels = 4;  // that a program is measured on; deeper sub-tasks count like the last
constexpr auto compute = static_cast<std::size_t>(UserProcess::Compute);
constexpr std::size_t first_worker = 1;

// A table of times that were measured on the scenario's nodes.
trek_kernel::TaskTable stated_tasks(const scenario::Scenario& scenario, std::array<double, 5> times_s) {
    for (std::size_t i = 0; i < times_s.size(); ++i) {
        const auto process = static_cast<UserProcess>(i);
        const bool of_manager = process == UserProcess::Generate || process == UserProcess::PostProcess;
        times_s[i] /= work_factor(scenario, of_manager ? 0 : first_worker);
    }
    return equal_tasks(times_s);
}

MeanTask of_table(const scenario::Scenario& scenario) {
    MeanTask mean;
    mean.looked_at = std::clamp<std::uint32_t>(scenario.farm.tasks, 1, most_of_table);
    std::array<double, 5> times{};
    for (std::uint32_t task = 0; task < mean.looked_at; ++task) {
        const auto& segments = scenario.tasks.of(task).segments;
        for (std::size_t i = 0; i < times.size(); ++i) times[i] += static_cast<double>(segments[i].time_us);
    }
    for (double& time : times) time *= 1e-6 / mean.looked_at;
    mean.table = equal_tasks(times);
    mean.sizes = scenario.sizes;
    mean.compute_s = {
        times[compute] *
        work_factor(scenario, first_worker)};  // a split of the simulated application does not make its parts shorter
    return mean;
}

// Sums over a run of a program. Seconds and bytes.
struct ProgramReading {
    std::array<double, most_levels> compute{}, computed{};
    std::array<double, 5> time{}, times{};  // of every process
    double task_bytes = 0, tasks = 0, result_bytes = 0, results = 0;
};

ProgramReading read_program(const oracle::SessionResult& result) {
    ProgramReading reading;
    std::vector<std::array<double, 5>> began(result.simulated.nodes.size());
    for (const auto& [time, step] : result.truth.steps()) {
        const auto process = static_cast<std::size_t>(step.process);
        double& since = began[step.node.value()][process];
        if (step.moment == Moment::Begin) {
            since = time.in_seconds();
            continue;
        }
        const double took = time.in_seconds() - since;
        reading.time[process] += took;
        reading.times[process] += 1;
        if (step.process != UserProcess::Compute || step.node.value() == 0) continue;
        const std::size_t level = std::min<std::size_t>(step.node.value() - 1, most_levels - 1);
        reading.compute[level] += took;
        reading.computed[level] += 1;
    }
    for (const auto& event : result.truth.events()) {
        if (event.node != 0) continue;
        (event.is_result != 0 ? reading.result_bytes : reading.task_bytes) += event.bytes;
        (event.is_result != 0 ? reading.results : reading.tasks) += 1;
    }
    return reading;
}

double mean(double sum, double count) {
    return count > 0 ? sum / count : 0;
}

ProgramReading run_program(const scenario::Scenario& small) {
    return forks::run_in_child<ProgramReading>("a run to measure the cost of a task", [&] {
        oracle::SessionResult result;
        oracle::run_session(small, result,
                            {.progress = [](const session::Progress& progress) { return progress.results < most_results; }});
        return read_program(result);
    });
}

MeanTask of_program(const scenario::Scenario& scenario) {
    const std::size_t levels = scenario.farm.divides() ? std::min<std::size_t>(scenario.farm.depth + 1, most_levels) : 1;
    scenario::Scenario small = scenario;
    const scenario::Scenario plain = on_small_farm(scenario, 1, static_cast<std::uint32_t>(levels));
    small.machine = plain.machine;
    small.farm = plain.farm;
    small.farm.granularity = 1;
    small.best_tree = false;
    small.faults.reset();
    small.bugs.clear();  // the prediction is for a farm without bugs and faults
    small.reconfigurations.clear();
    small.monitor.reset();
    const ProgramReading reading = run_program(small);
    if (reading.results == 0 || reading.computed[0] == 0)
        throw vocabulary::RequestError(
            "the program made no result on one worker, so its tasks cannot be measured; see the output of 'magicwire run'");
    MeanTask task;
    task.looked_at = static_cast<std::uint32_t>(reading.computed[0]);
    task.sizes.task_bytes = static_cast<std::size_t>(std::llround(mean(reading.task_bytes, reading.tasks)));
    task.sizes.result_bytes = static_cast<std::size_t>(std::llround(mean(reading.result_bytes, reading.results)));
    std::array<double, 5> times{};
    for (std::size_t i = 0; i < times.size(); ++i) times[i] = mean(reading.time[i], reading.times[i]);
    times[compute] = mean(reading.compute[0], reading.computed[0]);
    task.table = stated_tasks(scenario, times);
    // Link processes cut into a computation. By how much, the same run shows with a task whose time is known.
    scenario::Scenario known = plain;
    known.monitor.reset();
    known.farm.granularity = 1;
    known.farm.tasks = std::min(scenario.farm.tasks, most_results);
    known.tasks = task.table;
    known.sizes = task.sizes;
    const ProgramReading twin = run_program(known);
    const double cut = std::max(0.0, mean(twin.compute[0], twin.computed[0]) - times[compute]);
    for (std::size_t level = 0; level < levels; ++level) {
        if (reading.computed[level] == 0) break;
        task.compute_s.push_back(std::max(0.0, mean(reading.compute[level], reading.computed[level]) - cut));
    }
    times[compute] = task.compute_s[0];
    task.table = stated_tasks(scenario, times);
    return task;
}

}  // namespace

namespace {

// The formulas know one kind of worker: of the mean of their clocks, by which together they compute as fast.
std::int64_t worker_clock_hz(const scenario::Scenario& scenario) {
    const auto& nodes = scenario.machine.nodes;
    const std::size_t end = std::min<std::size_t>(std::max(scenario.farm.nodes, 2U), nodes.size());
    if (end < 2) return nodes.front().clock_hz;
    const std::int64_t sum =
        std::accumulate(nodes.begin() + 1, nodes.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{},
                        [](std::int64_t all, const auto& node) { return all + node.clock_hz; });
    return sum / static_cast<std::int64_t>(end - 1);
}

bool is_edge(const farm_spec::FarmSpec& farm, vocabulary::NodeId a, vocabulary::NodeId b) {
    const auto is_child = [&farm](vocabulary::NodeId child, vocabulary::NodeId parent) {
        return child.value() < farm.nodes && farm.parent(child) == parent;
    };
    return is_child(a, b) || is_child(b, a);
}

}  // namespace

std::int64_t clock_hz_of(const scenario::Scenario& scenario, std::size_t node) {
    return node == 0 ? scenario.machine.nodes.front().clock_hz : worker_clock_hz(scenario);
}

double work_factor(const scenario::Scenario& scenario, std::size_t node) {
    return hw_model::work_factor(hw_model::processor_timing(scenario.costs), clock_hz_of(scenario, node));
}

std::vector<std::int64_t> farm_link_speeds(const scenario::Scenario& scenario) {
    const topologies::MachineDescription& machine = scenario.machine;
    std::set<std::int64_t> speeds;
    const topologies::Network network(machine);
    for (const topologies::Path& path : network.paths()) {
        const auto *a = std::get_if<topologies::NodeLink>(&path.a), *b = std::get_if<topologies::NodeLink>(&path.b);
        if (a == nullptr || b == nullptr) continue;
        const bool in_farm = scenario.best_tree || is_edge(scenario.farm, a->node, b->node);
        if (in_farm) speeds.insert(topologies::link_speed(machine, path.a));
    }
    if (speeds.empty()) return topologies::wire_speeds(machine);
    return {speeds.begin(), speeds.end()};
}

trek_kernel::TaskTable equal_tasks(const std::array<double, 5>& times_s) {
    trek_kernel::TaskDescription task{};
    for (std::size_t i = 0; i < times_s.size(); ++i)
        task.segments[i].time_us = static_cast<std::uint64_t>(std::llround(times_s[i] * 1e6));
    trek_kernel::TaskTable table;
    table.set(0, task);
    return table;
}

scenario::Scenario on_small_farm(const scenario::Scenario& scenario, std::size_t arity, std::uint32_t workers) {
    const topologies::Network network(scenario.machine);
    const auto& paths = network.paths();
    const bool switched =
        !scenario.machine.switches.empty() &&
        (scenario.best_tree || std::any_of(paths.begin(), paths.end(), [](const auto& path) { return !path.through.empty(); }));
    scenario::Scenario small;
    small.name = scenario.name;
    small.path = scenario.path;
    small.machine = topologies::k_ary_tree(arity, workers + 1, {.through_switches = switched});
    for (std::size_t i = 0; i < small.machine.nodes.size(); ++i)
        small.machine.nodes[i] = scenario.machine.nodes[std::min(i, scenario.machine.nodes.size() - 1)];
    for (topologies::NodeDescription& node : small.machine.nodes) node.link_bits_per_second = {};
    for (std::size_t i = first_worker; i < small.machine.nodes.size(); ++i)
        small.machine.nodes[i].clock_hz = worker_clock_hz(scenario);
    small.machine.link_bits_per_second = farm_link_speeds(scenario).front();
    if (scenario.machine.interrupt_master) small.machine.interrupt_master = vocabulary::NodeId(0);
    small.costs = scenario.costs;
    small.seed = scenario.seed;
    small.links = scenario.links;
    small.farm = scenario.farm;
    small.farm.tree = static_cast<farm_spec::TreeKind>(arity);
    small.farm.parents.clear();
    small.farm.nodes = workers + 1;
    small.monitor = scenario.monitor;
    small.quiet = scenario.quiet;
    small.patience = scenario.patience;
    small.limit = vocabulary::SimTime::s(1'000'000);  // the scenario's own is for as many tasks as it has
    return small;
}

void put_on_three_branches(scenario::Scenario& scenario, std::uint32_t workers) {
    using topologies::NodeLink;
    using vocabulary::LinkNo;
    using vocabulary::NodeId;
    topologies::MachineDescription& machine = scenario.machine;
    machine.nodes.resize(workers + 1, machine.nodes.back());
    machine.switches.clear();
    machine.weights.clear();
    machine.waste.clear();
    machine.boot_order.clear();
    machine.wires.assign(1, {topologies::HostEnd{}, NodeLink{NodeId(0), LinkNo(0)}});
    scenario.farm.tree = farm_spec::TreeKind::Given;
    scenario.farm.nodes = workers + 1;
    scenario.farm.parents.assign(workers + 1, std::nullopt);
    for (std::uint32_t worker = 1; worker <= workers; ++worker) {
        const auto id = [](std::uint32_t node) { return NodeId(static_cast<NodeId::value_type>(node)); };
        const std::uint32_t above = (worker - 1) / 3, branch = 1 + (worker - 1) % 3;
        scenario.farm.parents[worker] = id(above);
        machine.wires.push_back(
            {NodeLink{id(above), LinkNo(static_cast<LinkNo::value_type>(branch))}, NodeLink{id(worker), LinkNo(0)}});
    }
}

MeanTask mean_task(const scenario::Scenario& scenario) {
    return scenario.program.empty() && !scenario.farm_program ? of_table(scenario) : of_program(scenario);
}

}  // namespace prediction
