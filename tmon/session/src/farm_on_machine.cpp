#include <tmon_session/farm_on_machine.hpp>

#include <stdexcept>
#include <string>

namespace tmon_session {

using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;

trek_kernel::TrekCosts trek_costs(const topologies::CostTable& costs) {
    return {.size_message = static_cast<std::uint32_t>(costs.get("trek.size_message", "bytes")),
            .link_message = costs.time("trek.link_message"),
            .queue_operation = costs.time("trek.queue_operation"),
            .execute = costs.time("trek.execute"),
            .decision = costs.time("trek.decision"),
            .process_stack = static_cast<std::uint64_t>(costs.get("trek.process_stack", "bytes"))};
}

namespace {

LinkNo link_between(const topologies::Network& network, NodeId from, NodeId to) {
    for (std::uint8_t number = 0; number < 4; ++number) {
        const auto& neighbour = network.neighbour(from, LinkNo(number));
        if (neighbour && neighbour->node == to) return LinkNo(number);
    }
    throw std::runtime_error(
        "the farm's tree needs a link between n" + std::to_string(from.value()) + " and n" + std::to_string(to.value()) +
        ", and the machine has none; choose a machine of the farm's topology ('magicwire describe' prints its links)");
}

}  // namespace

trek_kernel::FarmSetup farm_setup(Multicomputer& machine, const trek_kernel::FarmConfig& config,
                                  const topologies::CostTable& costs, trek_kernel::Application& application,
                                  std::vector<trek_kernel::TrekObserver*> observers) {
    if (config.nodes > machine.node_count()) {
        throw std::runtime_error("the farm wants " + std::to_string(config.nodes) + " nodes and the machine has " +
                                 std::to_string(machine.node_count()));
    }
    trek_kernel::FarmSetup setup{.config = config,
                                 .costs = trek_costs(costs),
                                 .program_bytes = static_cast<std::uint32_t>(costs.get("trek.program_size", "bytes")),
                                 .places = {},
                                 .application = &application,
                                 .observers = std::move(observers),
                                 .host = machine.host_id()};
    const auto& network = machine.machine().network();
    const auto reached = network.hops(machine.host_id());
    for (std::size_t i = 0; i < config.nodes; ++i) {
        const NodeId node(static_cast<NodeId::value_type>(i));
        if (!reached[i] && !machine.description().without_host) {
            throw std::runtime_error(
                "the host cannot reach n" + std::to_string(i) + " of machine '" + machine.description().name +
                "', which the farm uses; wire and connect it, or give the farm fewer nodes; where a shape has no "
                "link to spare for the host, 'magicwire topology make --gateway' adds a node for it");
        }
        trek_kernel::TreePlace place;
        if (const auto up = trek_kernel::parent(config.tree, node)) {
            place.parent = {*up, link_between(network, node, *up)};
            place.level = trek_kernel::level(config.tree, node);
        }
        for (const NodeId down : trek_kernel::children(config.tree, node, config.nodes))
            place.children.push_back({down, link_between(network, node, down)});
        setup.places.push_back(std::move(place));
    }
    return setup;
}

void start_farm(Multicomputer& machine, trek_kernel::Farm& farm) {
    const trollius_os::Program master = farm.master(), slave = farm.slave();
    for (std::size_t i = farm.config().nodes; i-- > 0;) {
        const auto& program = i == 0 ? master : slave;
        machine.kernel(NodeId(static_cast<NodeId::value_type>(i)))
            .create({i == 0 ? "master" : "slave", trollius_os::Priority::Low, 0, program.stack_bytes,
                     [entry = program.entry](trollius_os::Api& api) { entry(api, 0); }});
    }
}

}  // namespace tmon_session
