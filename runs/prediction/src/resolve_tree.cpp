#include <prediction/resolve_tree.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <farm_model/best_tree.hpp>
#include <scenario/bug_list_file.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/network.hpp>
#include <topologies/solver.hpp>
#include <vocabulary/source_position.hpp>

#include <scenario/fault_plan_check.hpp>
#include "measured_costs.hpp"

namespace prediction {
namespace {

using vocabulary::InputError;
using vocabulary::LinkNo;
using vocabulary::NodeId;

bool switches_are_free(const topologies::MachineDescription& machine) {
    return !machine.switches.empty() && std::all_of(machine.switches.begin(), machine.switches.end(),
                                                    [](const auto& one) { return one.connections.empty(); });
}

// The tree as a network of its own: link 0 of a worker leads to its parent, that of the manager to the host.
topologies::MachineDescription machine_of(const farm_spec::Parents& parents, const topologies::MachineDescription& target) {
    topologies::MachineDescription machine;
    machine.name = fmt::format("tree_{}", parents.size());
    machine.nodes.assign(parents.size(), {1U << 20, topologies::least_clock_hz});
    machine.nodes.front() = target.nodes.front();
    machine.nodes.front().link_bits_per_second = {};
    machine.link_bits_per_second = target.link_bits_per_second;
    std::vector<std::uint8_t> used(parents.size(), 1);
    machine.wires.push_back({topologies::HostEnd{}, topologies::NodeLink{NodeId(0), LinkNo(0)}});
    for (std::size_t node = 1; node < parents.size(); ++node) {
        const NodeId above = *parents[node], below(static_cast<NodeId::value_type>(node));
        machine.wires.push_back(
            {topologies::NodeLink{above, LinkNo(used[above.value()]++)}, topologies::NodeLink{below, LinkNo(0)}});
    }
    return machine;
}

// Nothing is connected yet, so the tree decides what will be: the switches are set for it, and the nodes renumbered.
farm_model::BestTree wire_best_tree(scenario::Scenario& scenario, const farm_model::Costs& costs) {
    const vocabulary::SourcePosition where{scenario.path, 0, 0};
    if (scenario.faults || !scenario.reconfigurations.empty()) {
        throw InputError(where,
                         "tree: best sets the switches of a machine on which nothing is connected, and renumbers its nodes, so "
                         "faults and reconfigurations have no fixed place; make the machine with 'magicwire topology solve'");
    }
    auto tree = farm_model::best_free_tree(scenario.farm, costs, {.most_nodes = scenario.farm.nodes});
    auto answer = topologies::solve(machine_of(tree.parents, scenario.machine), scenario.machine);
    if (const auto* nothing = std::get_if<topologies::NotFound>(&answer)) {
        throw InputError(where, fmt::format("tree: best: the switches of '{}' were not found to fit a tree of {} nodes ({}); "
                                            "lower farm.nodes",
                                            scenario.machine.name, tree.parents.size(), nothing->text()));
    }
    const std::string name = scenario.machine.name;
    scenario.machine = std::move(std::get<topologies::Solution>(answer).machine);
    scenario.machine.name = name;
    return tree;
}

farm_model::BestTree find_best_tree(const scenario::Scenario& scenario, const farm_model::Costs& costs) {
    try {
        return farm_model::best_tree(topologies::Network(scenario.machine), scenario.farm, costs,
                                     {.most_nodes = scenario.farm.nodes});
    } catch (const vocabulary::RequestError& error) {
        throw InputError({scenario.path, 0, 0}, fmt::format("tree: best: {}; wire or connect it", error.what()));
    }
}

// A run must not fail because its tasks are too short to be measured: then the tree is the best for longer ones.
farm_model::Costs costs_for_a_tree(const scenario::Scenario& scenario, std::string& remark) {
    try {
        return measured_costs(scenario);
    } catch (const InputError&) {
        throw;
    } catch (const vocabulary::RequestError&) {
        scenario::Scenario longer = scenario;
        longer.monitor.reset();
        longer.program.clear();
        longer.farm_program.reset();
        longer.farm.granularity = 1;
        trek_kernel::TaskDescription task{};
        task.segments[static_cast<std::size_t>(trek_kernel::UserProcess::Compute)].time_us = 10'000;
        longer.tasks = {};
        longer.tasks.set(0, task);
        remark = "\nfor tasks of 10 ms, unmonitored: the cost of a task of this farm could not be measured";
        return measured_costs(longer);
    }
}

}  // namespace

scenario::Scenario with_tree(scenario::Scenario scenario) {
    if (!scenario.best_tree) return scenario;
    std::string remark;
    const farm_model::Costs costs = costs_for_a_tree(scenario, remark);
    const bool wire = switches_are_free(scenario.machine);
    const farm_model::BestTree tree = wire ? wire_best_tree(scenario, costs) : find_best_tree(scenario, costs);
    scenario.farm.tree = farm_spec::TreeKind::Given;
    scenario.farm.parents = tree.parents;
    scenario.farm.nodes = static_cast<std::uint32_t>(tree.parents.size());
    scenario.best_tree = false;
    scenario::check_bugs(scenario.bugs, scenario.farm);
    if (scenario.faults) scenario::check_fault_plan(*scenario.faults, scenario.farm);
    scenario.tree_choice = farm_model::explained(tree, costs) + remark;
    if (wire) scenario.tree_choice += "\nthe switches, which were free, are set for this tree, and the nodes numbered along it";
    return scenario;
}

std::string tree_text(const scenario::Scenario& scenario) {
    std::string text;
    const std::string& choice = scenario.tree_choice;
    for (std::size_t at = 0; at < choice.size();) {
        const std::size_t end = std::min(choice.find('\n', at), choice.size());
        text += (at == 0 ? "  tree         " : "               ") + choice.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return text;
}

}  // namespace prediction
