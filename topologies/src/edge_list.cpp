#include "edge_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include <topologies/machine_checks.hpp>
#include <topologies/machine_writer.hpp>
#include <vocabulary/contract.hpp>
#include <vocabulary/source_position.hpp>

namespace topologies {
namespace {

constexpr NodeDescription t800_20{4ULL << 20, 20'000'000};
constexpr std::size_t wires_per_switch = ways_per_switch / 2;

NodeLink node_link(std::size_t node, std::size_t link) {
    return {NodeId(static_cast<NodeId::value_type>(node)), LinkNo(static_cast<LinkNo::value_type>(link))};
}

std::optional<std::size_t> lowest_with_free_link(const EdgeList& network) {
    std::vector<std::size_t> degree(network.node_count);
    for (const auto& [a, b] : network.edges) {
        ++degree[a];
        ++degree[b];
    }
    const auto found = std::find_if(degree.begin(), degree.end(), [](std::size_t d) { return d < links_per_node; });
    if (found == degree.end()) return std::nullopt;
    return static_cast<std::size_t>(found - degree.begin());
}

// One more node in the first edge of n0; both ends of that edge keep their links.
void add_gateway(EdgeList& network) {
    const auto first = std::find_if(network.edges.begin(), network.edges.end(),
                                    [](const auto& edge) { return edge.first == 0 || edge.second == 0; });
    EXPECTS(first != network.edges.end(), "edge_list.gateway_has_an_edge");
    check_node_count("gateway", "machine", network.node_count + 1, 1, most_nodes, "ask for one node fewer, or for no gateway");
    const std::size_t gateway = network.node_count++;
    const std::size_t far = first->second;
    first->second = gateway;
    network.edges.insert(first + 1, {gateway, far});
    network.name += "_gateway";
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

}  // namespace

void check_node_count(const char* generator, const char* thing, std::size_t count, std::size_t least, std::size_t most,
                      const std::string& remedy) {
    if (count >= least && count <= most) return;
    throw vocabulary::InputError(
        {generator, 0, 0}, fmt::format("{} nodes asked for, but a {} has {} to {}; {}", count, thing, least, most, remedy));
}

MachineDescription wired_like(EdgeList network, const NetworkOptions& options) {
    auto host = lowest_with_free_link(network);
    if (!host && options.gateway) {
        host = network.node_count;
        add_gateway(network);
    }
    MachineDescription machine;
    machine.name = network.name;
    machine.nodes.assign(network.node_count, t800_20);
    machine.without_host = !host;
    std::vector<std::size_t> next_link(network.node_count);
    if (host) machine.wires.push_back({HostEnd{}, node_link(*host, next_link[*host]++)});
    for (const auto& [a, b] : network.edges) {
        EXPECTS(next_link[a] < links_per_node && next_link[b] < links_per_node && a != b, "edge_list.four_links_a_node");
        const NodeLink near = node_link(a, next_link[a]++);
        machine.wires.push_back({near, node_link(b, next_link[b]++)});
    }
    if (options.through_switches) route_through_switches(machine);
    return canonical_machine(std::move(machine));
}

}  // namespace topologies
