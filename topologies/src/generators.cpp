#include <fmt/format.h>

#include <topologies/generators.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/machine_writer.hpp>
#include <vocabulary/source_position.hpp>

namespace topologies {
namespace {

constexpr NodeDescription t800_20{4ULL << 20, 20'000'000};
constexpr std::size_t wires_per_switch = ways_per_switch / 2;

NodeLink node_link(std::size_t node, std::size_t link) {
    return {NodeId(static_cast<NodeId::value_type>(node)), LinkNo(static_cast<LinkNo::value_type>(link))};
}

// The machine with its nodes and the host, still without wires between nodes.
MachineDescription nodes_and_host(const char* generator, const char* name, std::size_t node_count) {
    if (node_count < 1 || node_count > most_nodes) {
        throw vocabulary::InputError(
            {generator, 0, 0},
            fmt::format("{} nodes asked for, but a machine has 1 to {}; change their number", node_count, most_nodes));
    }
    MachineDescription machine;
    machine.name = fmt::format("{}_{}", name, node_count);
    machine.nodes.assign(node_count, t800_20);
    machine.wires.push_back({HostEnd{}, node_link(0, 0)});
    return machine;
}

// Replaces each direct wire by two wires to neighbouring ways of one C004, and connects these.
void route_through_switches(MachineDescription& machine) {
    std::vector<Wire> direct;
    direct.swap(machine.wires);
    machine.name += "_c004";
    std::size_t count = 0;
    for (const Wire& wire : direct) {
        if (std::holds_alternative<HostEnd>(wire.a)) {
            machine.wires.push_back(wire);
            continue;
        }
        const std::size_t which = count / wires_per_switch;
        const std::size_t first = count % wires_per_switch * 2;
        if (first == 0) machine.switches.push_back({fmt::format("x{}", which), {}});
        const SwitchId id(static_cast<SwitchId::value_type>(which));
        const WayNo near(static_cast<WayNo::value_type>(first));
        const WayNo far(static_cast<WayNo::value_type>(first + 1));
        machine.wires.push_back({wire.a, SwitchWay{id, near}});
        machine.wires.push_back({wire.b, SwitchWay{id, far}});
        machine.switches.back().connections.emplace_back(near, far);
        ++count;
    }
}

MachineDescription finished(MachineDescription machine, bool through_switches) {
    if (through_switches) route_through_switches(machine);
    return canonical_machine(std::move(machine));
}

// Workers 1, 2, ... fill the tree level by level: the children of i are arity * (i - 1) + 2 and the arity - 1 after it.
void wire_tree(MachineDescription& machine, std::size_t arity) {
    if (machine.nodes.size() > 1) machine.wires.push_back({node_link(0, 1), node_link(1, 0)});
    for (std::size_t child = 2; child < machine.nodes.size(); ++child) {
        const std::size_t parent = (child - 2) / arity + 1;
        const std::size_t link = (child - 2) % arity + 1;
        machine.wires.push_back({node_link(parent, link), node_link(child, 0)});
    }
}

}  // namespace

MachineDescription binary_tree(std::size_t node_count, bool through_switches) {
    MachineDescription machine = nodes_and_host("binary_tree", "btree", node_count);
    wire_tree(machine, 2);
    return finished(std::move(machine), through_switches);
}

MachineDescription ternary_tree(std::size_t node_count, bool through_switches) {
    MachineDescription machine = nodes_and_host("ternary_tree", "ttree", node_count);
    wire_tree(machine, 3);
    return finished(std::move(machine), through_switches);
}

MachineDescription chain(std::size_t node_count, bool through_switches) {
    MachineDescription machine = nodes_and_host("chain", "chain", node_count);
    wire_tree(machine, 1);
    return finished(std::move(machine), through_switches);
}

}  // namespace topologies
