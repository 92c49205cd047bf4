#include <trek_hosted/farm_on_machine.hpp>

#include <optional>
#include <string>

#include <vocabulary/source_position.hpp>

namespace trek_hosted {

using vocabulary::LinkNo;
using vocabulary::NodeId;

trek_kernel::TrekCosts trek_costs(const topologies::CostTable& costs) {
    return {.size_message = static_cast<std::uint32_t>(costs.get("trek.size_message", "bytes")),
            .link_message = costs.work("trek.link_message"),
            .queue_operation = costs.work("trek.queue_operation"),
            .execute = costs.work("trek.execute"),
            .decision = costs.work("trek.decision"),
            .process_stack = static_cast<std::uint64_t>(costs.get("trek.process_stack", "bytes")),
            .heartbeat = costs.time("trek.heartbeat"),
            .silence = costs.time("trek.silence")};
}

namespace {

struct TreeLink {
    LinkNo above, below;  // link of the parent, link of the child
};

// The wire at the parent's lowest link, where there are several. Empty: they are no neighbours, and a way over others connects
// them.
std::optional<TreeLink> link_between(const topologies::Network& network, NodeId from, NodeId to) {
    for (std::uint8_t number = 0; number < 4; ++number) {
        const auto& neighbour = network.neighbour(from, LinkNo(number));
        if (neighbour && neighbour->node == to) return TreeLink{LinkNo(number), neighbour->link};
    }
    if (network.routes(from)[to.value()]) return std::nullopt;
    throw vocabulary::RequestError("the farm's tree needs a way from n" + std::to_string(from.value()) + " to n" +
                                   std::to_string(to.value()) +
                                   ", and the machine has none; 'magicwire describe' prints its links");
}

// How many workers are at and below each branch, from the leaves up.
void count_workers(std::vector<trek_kernel::TreePlace>& places) {
    std::vector<NodeId> order{NodeId(0)};
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (const trek_kernel::Branch& down : places[order[i].value()].children) order.push_back(down.node);
    }
    std::vector<std::uint32_t> workers(places.size(), 1);
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
        for (trek_kernel::Branch& down : places[node->value()].children) {
            down.workers = workers[down.node.value()];
            workers[node->value()] += down.workers;
        }
    }
}

}  // namespace

std::vector<trek_kernel::TreePlace> farm_places(trollius_hosted::Multicomputer& machine, const farm_spec::FarmSpec& config) {
    const auto& network = machine.network();
    const auto reached = network.hops(machine.host_id());
    std::vector<trek_kernel::TreePlace> places(config.nodes);
    for (const NodeId node : config.members()) {
        if (!reached[node.value()] && !machine.description().without_host) {
            throw vocabulary::RequestError(
                "the host cannot reach n" + std::to_string(node.value()) + " of machine '" + machine.description().name +
                "', which the farm uses; wire and connect it, or give the farm fewer nodes; where a shape has no "
                "link to spare for the host, 'magicwire topology make --gateway' adds a node for it");
        }
        trek_kernel::TreePlace place;
        if (const auto up = config.parent(node)) {
            const auto link = link_between(network, *up, node);
            place.parent = {.node = *up, .link = link ? link->below : LinkNo(), .over_network = !link};
            place.level = config.level(node);
        }
        for (const NodeId down : config.children(node)) {
            const auto link = link_between(network, node, down);
            place.children.push_back({.node = down, .link = link ? link->above : LinkNo(), .over_network = !link});
        }
        places[node.value()] = std::move(place);
    }
    count_workers(places);
    return places;
}

trek_kernel::FarmSetup farm_setup(trollius_hosted::Multicomputer& machine, const farm_spec::FarmSpec& config,
                                  const topologies::CostTable& costs, trek_kernel::Application& application,
                                  std::vector<trek_kernel::Witness*> witnesses, std::vector<trek_kernel::ProbePoint*> probes) {
    if (config.nodes > machine.node_count()) {
        throw vocabulary::RequestError("the farm wants " + std::to_string(config.nodes) + " nodes and the machine has " +
                                       std::to_string(machine.node_count()));
    }
    return {.config = config,
            .costs = trek_costs(costs),
            .program_bytes = static_cast<std::uint32_t>(costs.get("trek.program_size", "bytes")),
            .places = farm_places(machine, config),
            .application = &application,
            .witnesses = std::move(witnesses),
            .probes = std::move(probes),
            .host = machine.host_id()};
}

void start_farm(trollius_hosted::Multicomputer& machine, trek_kernel::Farm& farm) {
    const trollius_os::Program master = farm.master(), slave = farm.slave();
    for (const NodeId node : farm.config().leaves_first()) {
        const bool manager = node.value() == 0;
        const auto& program = manager ? master : slave;
        machine.kernel(node).create(
            {manager ? "master" : "slave", trollius_os::Priority::Low, 0, program.stack_bytes, program.code({})});
    }
}

}  // namespace trek_hosted
