#include <topologies/solution_report.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include <topologies/end_names.hpp>
#include <topologies/link_speeds.hpp>
#include <topologies/network.hpp>

#include "quantity.hpp"
#include "report_words.hpp"

namespace topologies {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t connections_in_a_row = 12;

std::size_t wired_ways(const MachineDescription& machine, std::size_t which) {
    std::size_t count = 0;
    for (const Wire& wire : machine.wires) {
        for (const WireEnd& end : {wire.a, wire.b}) {
            const auto* way = std::get_if<SwitchWay>(&end);
            count += way && way->which.value() == which ? 1 : 0;
        }
    }
    return count;
}

// "28 through one switch, 5 through 2 switches"
std::string through_text(const std::vector<Path>& edges) {
    std::map<std::size_t, std::size_t> count;
    for (const Path& path : edges) ++count[path.through.size()];
    std::vector<std::string> parts;
    for (const auto& [switches, paths] : count)
        parts.push_back(fmt::format("{} {}", paths,
                                    switches == 0   ? "by a wire"
                                    : switches == 1 ? "through one switch"
                                                    : fmt::format("through {} switches", switches)));
    return fmt::format("{}", fmt::join(parts, ", "));
}

// The neighbour at each link of each wanted node.
std::vector<std::array<std::string, links_per_node>> neighbours(const Solution& solution) {
    std::vector<std::array<std::string, links_per_node>> result(solution.place.size());
    const auto note = [&](const WireEnd& near, const WireEnd& far, std::vector<std::string> through) {
        const auto* link = std::get_if<NodeLink>(&near);
        if (!link) return;
        const auto* to = std::get_if<NodeLink>(&far);
        std::string text = to ? node_name(to->node) : end_name(solution.machine, far);
        if (!through.empty()) text += fmt::format(" by {}", fmt::join(through, "+"));
        result[link->node.value()][link->link.value()] = text;
    };
    for (const Path& path : solution.edges) {
        auto through = switch_names(solution.machine, path.through);
        note(path.a, path.b, through);
        std::reverse(through.begin(), through.end());
        note(path.b, path.a, through);
    }
    return result;
}

std::string placement_text(const Solution& solution) {
    std::string text = fmt::format("  {:<6} {:<6} {:<7} {:<14} {:<14} {:<14} {}\n", "node", "place", "RAM", "link 0", "link 1",
                                   "link 2", "link 3");
    const auto far = neighbours(solution);
    for (std::size_t k = 0; k < solution.place.size(); ++k) {
        std::string line = fmt::format("  {:<6} {:<6} {:<7}", fmt::format("n{}", k), node_name(solution.place[k]),
                                       byte_size_text(solution.machine.nodes[k].ram_bytes));
        for (const std::string& one : far[k]) line += fmt::format(" {:<14}", one.empty() ? "-" : one);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string settings_text(const MachineDescription& machine) {
    std::string text;
    for (std::size_t s = 0; s < machine.switches.size(); ++s) {
        const SwitchDescription& one = machine.switches[s];
        const std::size_t wired = wired_ways(machine, s), used = 2 * one.connections.size();
        text += fmt::format("  {}: {} of {} wired ways used, {} free\n", one.name, used, wired, wired - used);
        for (std::size_t c = 0; c < one.connections.size(); ++c) {
            const bool first = c % connections_in_a_row == 0;
            const bool last = c + 1 == one.connections.size() || (c + 1) % connections_in_a_row == 0;
            text += fmt::format("{}{}-{}{}", first ? "    " : " ", one.connections[c].first.value(),
                                one.connections[c].second.value(), last ? "\n" : "");
        }
    }
    return text;
}

std::string changes_text(const SolutionReport& from, const Solution& solution) {
    const SettingChanges& changes = solution.changes;
    std::string text =
        fmt::format("{} made, {} taken away, {} kept", counted(changes.made, "connection"), changes.taken_away, changes.kept);
    if (solution.least_changes) {
        text += *solution.least_changes == changes.made + changes.taken_away
                    ? "; no solution whose edges pass a switch at most once changes fewer"
                    : fmt::format(
                          "; no solution whose edges pass a switch at most once changes fewer than {}; it is unknown whether "
                          "one changes fewer than this",
                          *solution.least_changes);
    }
    if (const auto speeds = wire_speeds(from.target);
        from.link_bits_per_second != 0 && (speeds.size() > 1 || from.link_bits_per_second != speeds.front())) {
        std::vector<std::string> texts;
        for (const std::int64_t speed : speeds) texts.push_back(bit_rate_text(speed));
        text += fmt::format("\n{} wants links of {}; those of {} run at {}", from.wanted.name,
                            bit_rate_text(from.link_bits_per_second), from.target.name, fmt::join(texts, " and "));
    }
    return text;
}

Json json_head(const SolutionReport& from, bool found) {
    return {{"schema", "magicwire.solve/1"},
            {"wanted", from.wanted.name},
            {"target", from.target.name},
            {"seed", from.seed},
            {"found", found}};
}

// Numbers of links in use at each node, and the pieces that the paths join.
struct NetworkShape {
    std::size_t edges = 0, host_edges = 0, least_degree = 0, most_degree = 0, pieces = 0;
};

NetworkShape shape_of(const MachineDescription& machine, const Network& network) {
    NetworkShape shape;
    std::vector<std::size_t> degree(machine.nodes.size());
    for (const Path& path : network.paths()) {
        const auto *a = std::get_if<NodeLink>(&path.a), *b = std::get_if<NodeLink>(&path.b);
        ++(a && b ? shape.edges : shape.host_edges);
        if (a) ++degree[a->node.value()];
        if (b) ++degree[b->node.value()];
    }
    const auto [least, most] = std::minmax_element(degree.begin(), degree.end());
    shape.least_degree = *least;
    shape.most_degree = *most;
    std::vector<bool> seen(machine.nodes.size());
    for (std::size_t n = 0; n < seen.size(); ++n) {
        if (seen[n]) continue;
        ++shape.pieces;
        const auto hops = network.hops(NodeId(static_cast<NodeId::value_type>(n)));
        for (std::size_t m = n; m < seen.size(); ++m) seen[m] = seen[m] || hops[m].has_value();
    }
    return shape;
}

}  // namespace

std::string solution_text(const SolutionReport& from, const Solution& solution) {
    return fmt::format("{} on {}: {} and {} placed; {}\n\nPlacement\n{}\nSettings\n{}\n{}\n{} of {} free; seed {}, {}\n",
                       from.wanted.name, from.target.name, counted(solution.place.size(), "node"),
                       counted(solution.edges.size(), "edge"), through_text(solution.edges), placement_text(solution),
                       settings_text(solution.machine), changes_text(from, solution),
                       counted(solution.machine.nodes.size() - solution.place.size(), "node"), from.target.name, from.seed,
                       counted(solution.steps, "step"));
}

std::string solution_json(const SolutionReport& from, const Solution& solution) {
    const MachineDescription& machine = solution.machine;
    Json json = json_head(from, true);
    json["steps"] = solution.steps;
    json["tries"] = solution.tries;
    json["changes"] = {
        {"made", solution.changes.made}, {"taken_away", solution.changes.taken_away}, {"kept", solution.changes.kept}};
    if (solution.least_changes) json["least_changes"] = *solution.least_changes;
    if (from.link_bits_per_second != 0)
        json["link_bits_per_second"] = {{"wanted", from.link_bits_per_second}, {"target", wire_speeds(from.target).front()}};
    json["placement"] = Json::array();
    for (std::size_t k = 0; k < solution.place.size(); ++k)
        json["placement"].push_back({{"node", fmt::format("n{}", k)}, {"place", node_name(solution.place[k])}});
    json["edges"] = Json::array();
    for (const Path& path : solution.edges)
        json["edges"].push_back({{"a", end_name(machine, path.a)},
                                 {"b", end_name(machine, path.b)},
                                 {"through", switch_names(machine, path.through)}});
    json["switches"] = Json::array();
    for (std::size_t s = 0; s < machine.switches.size(); ++s) {
        Json connections = Json::array();
        for (const auto& [a, b] : machine.switches[s].connections) connections.push_back(Json::array({a.value(), b.value()}));
        const std::size_t wired = wired_ways(machine, s), used = 2 * machine.switches[s].connections.size();
        json["switches"].push_back({{"name", machine.switches[s].name},
                                    {"connections", std::move(connections)},
                                    {"used_ways", used},
                                    {"free_ways", wired - used}});
    }
    return json.dump(2);
}

std::string not_found_json(const SolutionReport& from, const NotFound& result) {
    Json json = json_head(from, false);
    json["steps"] = result.steps;
    json["tries"] = result.tries;
    json["impossible"] = result.impossible;
    json["edges"] = result.edges;
    json["unplaced"] = result.unplaced;
    json["soldered"] = result.soldered;
    json["text"] = result.text();
    return json.dump(2);
}

std::string check_text(const MachineDescription& machine) {
    const Network network(machine);
    const NetworkShape shape = shape_of(machine, network);
    const auto diameter = network.diameter();
    const std::string degree = shape.least_degree == shape.most_degree
                                   ? fmt::format("{} at every node", shape.most_degree)
                                   : fmt::format("{} to {}", shape.least_degree, shape.most_degree);
    const std::string host = machine.without_host    ? "none: a network on its own, which cannot be booted"
                             : shape.host_edges == 0 ? "wired, but connected to no node"
                                                     : counted(shape.host_edges, "connection");
    return fmt::format(
        "{} is realisable\n  nodes     {}\n  switches  {}\n  edges     {} between nodes\n  degree    {}\n"
        "  host      {}\n  pieces    {}{}\n",
        machine.name, machine.nodes.size(), machine.switches.size(), shape.edges, degree, host, shape.pieces,
        diameter ? fmt::format(", diameter {}", counted(*diameter, "hop")) : "");
}

std::string check_json(const MachineDescription& machine) {
    const Network network(machine);
    const NetworkShape shape = shape_of(machine, network);
    const auto diameter = network.diameter();
    const Json json = {{"schema", "magicwire.check/1"},
                       {"name", machine.name},
                       {"nodes", machine.nodes.size()},
                       {"switches", machine.switches.size()},
                       {"edges", shape.edges},
                       {"host_edges", shape.host_edges},
                       {"least_degree", shape.least_degree},
                       {"most_degree", shape.most_degree},
                       {"pieces", shape.pieces},
                       {"diameter", diameter ? Json(*diameter) : Json()}};
    return json.dump(2);
}

}  // namespace topologies
