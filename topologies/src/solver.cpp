#include <topologies/solver.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include <topologies/machine_checks.hpp>
#include <topologies/machine_writer.hpp>
#include <topologies/network.hpp>
#include <vocabulary/contract.hpp>

#include "solver_demands.hpp"
#include "solver_search.hpp"

namespace topologies {
namespace {

NodeId node_id(std::size_t node) {
    return NodeId(static_cast<NodeId::value_type>(node));
}

// The target in the numbers of the search, and the way back.
class Target {
public:
    explicit Target(const MachineDescription& machine) : machine_(machine) {
        way_of_.resize((machine.nodes.size() + 1) * links_per_node);
    }

    // The host's first connections only, as many as are wanted, so that host wire 0 is taken before 1.
    SeatingProblem problem(const WantedGraph& graph, FirstPlacement placement, bool keep_places) {
        SeatingProblem p;
        p.net.resize(way_of_.size());
        p.switches = machine_.switches.size();
        p.wanted = graph.nodes;
        p.edges = graph.edges;
        p.place = std::move(placement.place);
        p.kinds_fit = std::move(placement.kinds_fit);
        p.kind_of_wanted = std::move(placement.kind_of_wanted);
        p.kind_of_socket = std::move(placement.kind_of_socket);
        p.keep_places = keep_places;
        for (const Wire& wire : machine_.wires) add_wire(p, wire);
        auto spare = static_cast<std::ptrdiff_t>(
            std::count_if(p.edges.begin(), p.edges.end(), [&](const auto& edge) { return edge.second == graph.nodes; }));
        for (std::size_t l = machine_.nodes.size() * links_per_node; l < p.net.size(); ++l) {
            if (p.net[l] && spare-- <= 0) p.net[l].reset();
        }
        return p;
    }

    // The settings that make the seating true.
    std::vector<std::vector<std::pair<WayNo, WayNo>>> settings(const SeatingProblem& p, const Seating& seating) const {
        std::vector<std::vector<std::pair<WayNo, WayNo>>> result(machine_.switches.size());
        const auto connect = [&result](const SwitchWay& a, const SwitchWay& b) {
            EXPECTS(a.which == b.which, "solver.connection_in_one_switch");
            result[a.which.value()].emplace_back(std::min(a.way, b.way), std::max(a.way, b.way));
        };
        for (std::size_t e = 0; e < p.edges.size(); ++e) {
            if (*p.net[seating.links[e].first] >= p.switches) continue;  // soldered
            SwitchWay at = *way_of_[seating.links[e].first];
            for (const std::size_t t : seating.trunks[e]) {
                const auto& [a, b] = trunk_ends_[t];
                const bool forward = a.which == at.which;
                connect(at, forward ? a : b);
                at = forward ? b : a;
            }
            connect(at, *way_of_[seating.links[e].second]);
        }
        return result;
    }

private:
    std::size_t link_number(const WireEnd& end) const {
        if (const auto* link = std::get_if<NodeLink>(&end)) return link->node.value() * links_per_node + link->link.value();
        return machine_.nodes.size() * links_per_node + std::get<HostEnd>(end).link.value();
    }

    void add_wire(SeatingProblem& p, const Wire& wire) {
        const auto *a = std::get_if<SwitchWay>(&wire.a), *b = std::get_if<SwitchWay>(&wire.b);
        if (a && b) {
            if (a->which == b->which) return;  // joins a switch with itself: of no use
            p.trunks.emplace_back(a->which.value(), b->which.value());
            trunk_ends_.emplace_back(*a, *b);
        } else if (!a && !b) {
            const std::size_t one = link_number(wire.a), other = link_number(wire.b);
            p.net[one] = p.net[other] = p.switches + p.soldered.size();
            p.soldered.emplace_back(one, other);
        } else {
            const SwitchWay& way = a ? *a : *b;
            const std::size_t link = link_number(a ? wire.b : wire.a);
            p.net[link] = way.which.value();
            way_of_[link] = way;
        }
    }

    const MachineDescription& machine_;
    std::vector<std::optional<SwitchWay>> way_of_;  // by link: where its wire leads
    std::vector<std::pair<SwitchWay, SwitchWay>> trunk_ends_;
};

// New number of each node of the target: the wanted ones first.
std::vector<NodeId> new_numbers(const std::vector<NodeId>& place, std::size_t sockets) {
    std::vector<std::optional<NodeId>> chosen(sockets);
    for (std::size_t k = 0; k < place.size(); ++k) chosen[place[k].value()] = node_id(k);
    std::vector<NodeId> result;
    std::size_t next = place.size();
    for (const auto& number : chosen) result.push_back(number ? *number : node_id(next++));
    return result;
}

MachineDescription solved_machine(const MachineDescription& wanted, const MachineDescription& target,
                                  const std::vector<NodeId>& place,
                                  std::vector<std::vector<std::pair<WayNo, WayNo>>> settings) {
    MachineDescription machine = target;
    machine.name = fmt::format("{}_on_{}", wanted.name, target.name);
    const auto number = new_numbers(place, target.nodes.size());
    for (std::size_t s = 0; s < number.size(); ++s) machine.nodes[number[s].value()] = target.nodes[s];
    for (Wire& wire : machine.wires) {
        for (WireEnd* end : {&wire.a, &wire.b}) {
            if (auto* link = std::get_if<NodeLink>(end)) link->node = number[link->node.value()];
        }
    }
    for (std::size_t x = 0; x < settings.size(); ++x) machine.switches[x].connections = std::move(settings[x]);
    if (wanted.interrupt_master) {
        machine.interrupt_master = wanted.interrupt_master;
    } else if (target.interrupt_master) {
        machine.interrupt_master = number[target.interrupt_master->value()];
    }
    machine.unreachable_allowed = wanted.unreachable_allowed || wanted.without_host || place.size() < target.nodes.size();
    machine = canonical_machine(std::move(machine));
    check_machine(machine);
    return machine;
}

// Soldered wires of nodes that are not used are left out.
std::vector<Path> edges_in_use(const MachineDescription& solved, const WantedGraph& graph) {
    const auto is_used = [&graph](const WireEnd& end) {
        const auto* link = std::get_if<NodeLink>(&end);
        return link ? link->node.value() < graph.nodes : graph.wants_host;
    };
    const Network network(solved);
    std::vector<Path> used;
    std::copy_if(network.paths().begin(), network.paths().end(), std::back_inserter(used),
                 [&is_used](const Path& path) { return is_used(path.a) && is_used(path.b); });
    return used;
}

}  // namespace

std::string NotFound::text() const {
    const std::string in_the_way = soldered == 0 ? "" : fmt::format(", {} soldered wires were in the way", soldered);
    return fmt::format("not found within {} steps; {} of {} edges could not be placed{}; nothing proves it impossible", steps,
                       unplaced, edges, in_the_way);
}

std::variant<Solution, NotFound> solve(const MachineDescription& wanted, const MachineDescription& target,
                                       const SolverOptions& options) {
    const WantedGraph graph = wanted_graph(wanted);
    Target sockets(target);
    const SeatingProblem problem =
        sockets.problem(graph, first_placement(wanted, graph, target, options.keep_places), options.keep_places);
    const SeatingSearch search = search_seating(problem, options.seed, options.steps);
    if (!search.found) return NotFound{graph.edges.size(), search.unplaced, search.soldered, search.steps};

    Solution solution;
    for (const std::size_t socket : search.found->place) solution.place.push_back(node_id(socket));
    solution.machine = solved_machine(wanted, target, solution.place, sockets.settings(problem, *search.found));
    solution.steps = search.steps;
    solution.edges = edges_in_use(solution.machine, graph);
    return solution;
}

}  // namespace topologies
