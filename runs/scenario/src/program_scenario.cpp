#include <scenario/program_scenario.hpp>

#include <array>
#include <filesystem>

#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/shapes.hpp>
#include <topologies/strict_yaml.hpp>
#include <topologies/ubc_machine.hpp>
#include <vocabulary/is_file.hpp>

#include "scenario_parts.hpp"

namespace scenario {

topologies::MachineDescription machine_of_shape(const std::string& text, const vocabulary::SourcePosition& where) {
    try {
        if (text == "ubc:75") return topologies::ubc_machine();
        return topologies::make_shape(text, {.through_switches = false, .gateway = true});
    } catch (const vocabulary::InputError& error) {
        throw vocabulary::InputError(where, "'" + text + "' is neither a machine file nor a shape: " + error.message());
    }
}

namespace {

using farm_programs::Specification;
using farm_programs::Word;
using farm_spec::TreeKind;
using topologies::MachineDescription;
using vocabulary::InputError;
using vocabulary::LinkNo;
using vocabulary::NodeId;

// The tree as YAML whose places are those of the specification file.
topologies::YamlValue tree_value(const Word& tree) {
    const std::string before(static_cast<std::size_t>(std::max(0, tree.where.line - 1)), '\n');
    const std::string indent(static_cast<std::size_t>(std::max(0, tree.where.column - 1)), ' ');
    return topologies::YamlValue::parse(before + indent + tree.text + "\n", tree.where.file);
}

// Wires for each branch of a given tree, and the host at n0; nodes outside the tree are not there.
MachineDescription tree_machine(const farm_spec::FarmSpec& farm, const Word& tree) {
    MachineDescription machine = topologies::make_shape("chain:" + std::to_string(farm.nodes));
    machine.name = "tree_" + std::to_string(farm.nodes);
    machine.wires.clear();
    std::vector<std::uint8_t> used(farm.nodes, 0);
    const auto next_link = [&](NodeId node) {
        if (used[node.value()] == topologies::links_per_node)
            throw InputError(tree.where,
                             "n" + std::to_string(node.value()) +
                                 " would need more than 4 links, one of n0 being the host's; give it fewer children");
        return topologies::NodeLink{node, LinkNo(used[node.value()]++)};
    };
    machine.wires.push_back({topologies::HostEnd{}, next_link(NodeId(0))});
    for (const NodeId node : farm.members()) {
        for (const NodeId child : farm.children(node)) {
            const auto above = next_link(node);
            machine.wires.push_back({above, next_link(child)});
        }
    }
    return machine;
}

MachineDescription named_machine(Scenario& scenario, const Word& name) {
    const std::filesystem::path folder = std::filesystem::path(scenario.farm_program->path).parent_path();
    // A path from the command line is relative to the folder where it was typed.
    const bool typed = name.where.line == 0;
    const std::string path = (typed ? std::filesystem::path(name.text) : folder / name.text).lexically_normal().string();
    if (vocabulary::is_file(path)) {
        scenario.inputs.push_back({"machine", path, content_hash(path)});
        return topologies::read_machine(path);
    }
    return machine_of_shape(name.text, name.where);
}

MachineDescription regular_machine(const Specification& spec) {
    const std::string nodes = std::to_string(spec.farm.nodes);
    const std::string arity = std::to_string(farm_spec::arity(spec.farm.tree));
    return topologies::make_shape(spec.farm.tree == TreeKind::Chain ? "chain:" + nodes : "tree:" + arity + ":" + nodes);
}

}  // namespace

void apply_program_machine(Scenario& scenario) {
    const Specification& spec = *scenario.farm_program;
    if (spec.machine) {
        scenario.machine = named_machine(scenario, *spec.machine);
        topologies::check_bootable(scenario.machine, spec.machine->where);
        return;
    }
    if (spec.tree) {
        farm_spec::FarmSpec farm = spec.farm;
        read_given_tree(farm, tree_value(*spec.tree), topologies::most_nodes);
        scenario.machine = tree_machine(farm, *spec.tree);
        return;
    }
    scenario.machine = regular_machine(spec);
}

void apply_program_farm(Scenario& scenario) {
    const Specification& spec = *scenario.farm_program;
    const std::size_t nodes = scenario.machine.nodes.size();
    scenario.farm = spec.farm;
    scenario.best_tree = spec.best_tree;
    if (spec.tree) return read_given_tree(scenario.farm, tree_value(*spec.tree), nodes);
    if (spec.best_tree && spec.farm.nodes == 0) scenario.farm.nodes = static_cast<std::uint32_t>(nodes);
    if (scenario.farm.nodes <= nodes) return;
    throw InputError(spec.processors->where, "'total_processors' is " + std::to_string(spec.farm.nodes) + ", and machine '" +
                                                 scenario.machine.name + "' has " + std::to_string(nodes) +
                                                 " nodes; write fewer, or take a larger machine");
}

}  // namespace scenario
