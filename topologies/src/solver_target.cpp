#include "solver_target.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <topologies/end_names.hpp>
#include <topologies/network.hpp>
#include <vocabulary/contract.hpp>
#include <vocabulary/source_position.hpp>

namespace topologies {

SolverTarget::SolverTarget(const MachineDescription& machine) : machine_(machine) {
    way_of_.resize(host_links() + host_connections);
}

std::size_t SolverTarget::link_number(const WireEnd& end) const {
    if (const auto* link = std::get_if<NodeLink>(&end)) return link->node.value() * links_per_node + link->link.value();
    return host_links() + std::get<HostEnd>(end).link.value();
}

void SolverTarget::add_wire(SeatingProblem& p, const Wire& wire) {
    const auto *a = std::get_if<SwitchWay>(&wire.a), *b = std::get_if<SwitchWay>(&wire.b);
    if (a && b) {
        if (a->which == b->which) return;  // joins a switch with itself: of no use
        p.trunks.emplace_back(a->which.value(), b->which.value());
        way_of_.push_back(*a);
        way_of_.push_back(*b);
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

void SolverTarget::add_present(SeatingProblem& p) const {
    std::vector<std::size_t> number(p.switches * ways_per_switch, nobody);
    for (std::size_t way = 0; way < way_of_.size(); ++way) {
        if (way_of_[way]) number[way_of_[way]->which.value() * ways_per_switch + way_of_[way]->way.value()] = way;
    }
    p.partner.assign(way_of_.size(), nobody);
    for (std::size_t x = 0; x < machine_.switches.size(); ++x) {
        for (const auto& [one, other] : machine_.switches[x].connections) {
            const std::size_t a = number[x * ways_per_switch + one.value()], b = number[x * ways_per_switch + other.value()];
            ++p.connections;
            if (a == nobody || b == nobody) continue;
            p.partner[a] = b;
            p.partner[b] = a;
        }
    }
}

bool SolverTarget::is_connected(const SeatingProblem& p, std::size_t link) const {
    return p.partner[link] != nobody || *p.net[link] >= p.switches;
}

// Leaves only the host links that the wanted wires may take: the named ones, those of the same numbers, or all. By default: the
// ones connected at present, then the lowest.
void SolverTarget::choose_host_links(SeatingProblem& p, const MachineDescription& wanted, const WantedGraph& graph,
                                     const SolverOptions& options) const {
    std::vector<bool> allowed(host_connections, options.any_host_link);
    const auto refuse = [&](const std::string& message) { throw vocabulary::InputError({wanted.name, 0, 0}, message); };
    const auto allow = [&](std::size_t number) {
        if (!p.net[host_links() + number])
            refuse(fmt::format("host.{} is to be used, but {} has nothing wired to it; name another connection of the host",
                               number, machine_.name));
        allowed[number] = true;
    };
    std::size_t asked = 0;
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
        if (graph.edges[e].second != graph.nodes) continue;
        ++asked;
        if (options.keep_links && options.host_links.empty() && !options.any_host_link) allow(graph.links[e].second);
    }
    for (const LinkNo number : options.host_links) allow(number.value());
    const auto count = [&] { return static_cast<std::size_t>(std::count(allowed.begin(), allowed.end(), true)); };
    if (!options.host_links.empty() && count() < asked)
        refuse(fmt::format("wants {} connections of the host, but may use only {}; name more of them", asked, count()));
    if (options.host_links.empty() && !options.keep_links && !options.any_host_link) {
        for (const bool connected : {true, false}) {
            for (std::size_t l = 0; l < host_connections && count() < asked; ++l)
                allowed[l] = allowed[l] || (p.net[host_links() + l] && (!connected || is_connected(p, host_links() + l)));
        }
    }
    for (std::size_t l = 0; l < host_connections; ++l) {
        if (!allowed[l]) p.net[host_links() + l].reset();
    }
}

SeatingProblem SolverTarget::problem(const MachineDescription& wanted, const WantedGraph& graph, FirstPlacement placement,
                                     const SolverOptions& options) {
    SeatingProblem p;
    p.net.resize(host_links() + host_connections);
    p.switches = machine_.switches.size();
    p.wanted = graph.nodes;
    p.edges = graph.edges;
    p.place = std::move(placement.place);
    p.kinds_fit = std::move(placement.kinds_fit);
    p.kind_of_wanted = std::move(placement.kind_of_wanted);
    p.kind_of_socket = std::move(placement.kind_of_socket);
    p.keep_places = options.keep_places;
    p.fewest_changes = options.fewest_changes;
    for (const Wire& wire : machine_.wires) add_wire(p, wire);
    add_present(p);
    choose_host_links(p, wanted, graph, options);
    if (!options.keep_links) return p;
    for (std::size_t e = 0; e < p.edges.size(); ++e) {
        const bool free = p.edges[e].second == p.wanted && (options.any_host_link || !options.host_links.empty());
        p.link_number.push_back(graph.links[e].first);
        p.link_number.push_back(free ? nobody : graph.links[e].second);
    }
    return p;
}

SeatingProblem SolverTarget::as_it_stands(const SeatingProblem& problem) const {
    SeatingProblem p = problem;
    p.switches = 0;
    p.trunks.clear();
    p.soldered.clear();
    p.partner.assign(p.net.size(), nobody);
    p.connections = 0;
    p.fewest_changes = false;
    std::vector<std::optional<std::size_t>> net(p.net.size());
    const Network network(machine_);
    for (const Path& path : network.paths()) {
        const std::size_t a = link_number(path.a), b = link_number(path.b);
        if (path.through.empty() || (problem.net[a] && problem.net[b])) {
            if (problem.net[a]) net[a] = p.soldered.size();
            if (problem.net[b]) net[b] = p.soldered.size();
            p.soldered.emplace_back(a, b);
            p.may_idle.push_back(!path.through.empty());
        }
    }
    p.net = std::move(net);
    return p;
}

Seating SolverTarget::with_trunks(const SeatingProblem& p, Seating seating) const {
    for (std::size_t e = 0; e < p.edges.size(); ++e) {
        seating.trunks[e].clear();
        for (std::size_t way = p.partner[seating.links[e].first]; way != nobody && way >= p.net.size();) {
            const std::size_t end = way - p.net.size();
            seating.trunks[e].push_back(end / 2);
            way = p.partner[p.trunk_end(end / 2, end % 2 == 0)];
        }
    }
    return seating;
}

Settings SolverTarget::settings(const SeatingProblem& p, const Seating& seating) const {
    Settings result(machine_.switches.size());
    for (std::size_t e = 0; e < p.edges.size(); ++e) {
        for (const auto& [one, other] : connections_of(p, seating, e)) {
            const SwitchWay &a = *way_of_[one], &b = *way_of_[other];
            EXPECTS(a.which == b.which, "solver.connection_in_one_switch");
            result[a.which.value()].emplace_back(std::min(a.way, b.way), std::max(a.way, b.way));
        }
    }
    return result;
}

}  // namespace topologies
