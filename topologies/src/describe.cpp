#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include <topologies/describe.hpp>
#include <topologies/end_names.hpp>
#include <topologies/link_speeds.hpp>
#include <topologies/machine_writer.hpp>
#include <topologies/network.hpp>

#include "quantity.hpp"
#include "report_words.hpp"

namespace topologies {
namespace {

using Json = nlohmann::ordered_json;

// The ends soldered to the ways of one switch, in order of the ways.
std::map<WayNo, WireEnd> wires_of(const MachineDescription& machine, std::size_t which) {
    std::map<WayNo, WireEnd> result;
    const auto note = [&](const WireEnd& end, const WireEnd& far) {
        const auto* way = std::get_if<SwitchWay>(&end);
        if (way && way->which.value() == which) result.emplace(way->way, far);
    };
    for (const Wire& wire : machine.wires) {
        note(wire.a, wire.b);
        note(wire.b, wire.a);
    }
    return result;
}

// The ends soldered to the connections of the host, in order of the connections.
std::map<LinkNo, WireEnd> host_wires(const MachineDescription& machine) {
    std::map<LinkNo, WireEnd> result;
    for (const Wire& wire : machine.wires) {
        if (const auto* a = std::get_if<HostEnd>(&wire.a)) result.emplace(a->link, wire.b);
        if (const auto* b = std::get_if<HostEnd>(&wire.b)) result.emplace(b->link, wire.a);
    }
    return result;
}

class TextDescription {
public:
    explicit TextDescription(const MachineDescription& machine)
        : machine_(machine), network_(machine), speeds_(wire_speeds(machine)) {}

    std::string run() {
        text_ = fmt::format("Machine {}\n", machine_.name);
        nodes();
        host();
        links();
        if (!machine_.switches.empty()) line("switches", fmt::format("{} C004", machine_.switches.size()));
        if (!machine_.control.empty()) control();
        if (machine_.interrupt_master)
            line("interrupt",
                 fmt::format("from {} to the event pins of all other nodes", node_name(*machine_.interrupt_master)));
        if (!machine_.waste.empty()) line("waste", "do not compute: " + node_list(canonical_machine(machine_).waste));
        if (!machine_.boot_order.empty()) boot_order();
        diameter();
        paths();
        switches();
        boards();
        return text_;
    }

private:
    void line(const std::string& word, const std::string& rest) { text_ += fmt::format("  {:<9} {}\n", word, rest); }

    // Equal nodes share a line, in order of the lowest of each kind.
    void nodes() {
        std::vector<std::pair<NodeDescription, std::vector<NodeId>>> kinds;
        for (std::size_t n = 0; n < machine_.nodes.size(); ++n) {
            const NodeDescription& node = machine_.nodes[n];
            auto same = std::find_if(kinds.begin(), kinds.end(), [&node](const auto& kind) { return kind.first == node; });
            if (same == kinds.end()) same = kinds.insert(same, {node, {}});
            same->second.push_back(NodeId(static_cast<NodeId::value_type>(n)));
        }
        std::string word = "nodes";
        for (const auto& [node, ids] : kinds) {
            const char* const code = node.core == NodeCore::T800 ? ", machine code" : "";
            line(word, fmt::format("{} T800 at {} with {} RAM{}{}: {}", ids.size(), frequency_text(node.clock_hz),
                                   byte_size_text(node.ram_bytes), own_link_speeds(node), code, node_list(ids)));
            word.clear();
        }
    }

    std::string own_link_speeds(const NodeDescription& node) const {
        if (node.link_bits_per_second == NodeDescription{}.link_bits_per_second) return "";
        std::vector<std::string> texts;
        for (const std::int64_t speed : node.link_bits_per_second)
            texts.push_back(bit_rate_text(speed != 0 ? speed : machine_.link_bits_per_second));
        const bool equal = std::count(texts.begin(), texts.end(), texts.front()) == std::ssize(texts);
        return equal ? fmt::format(", links at {}", texts.front())
                     : fmt::format(", links 0 to 3 at {}", fmt::join(texts, ", "));
    }

    void links() {
        std::map<std::int64_t, std::size_t, std::greater<>> of_speed;
        std::size_t between = 0;
        for (const Path& path : network_.paths()) {
            if (!std::holds_alternative<NodeLink>(path.a) || !std::holds_alternative<NodeLink>(path.b)) continue;
            ++between;
            ++of_speed[link_speed(machine_, path.a)];
        }
        if (of_speed.empty()) of_speed[machine_.link_bits_per_second] = 0;
        std::vector<std::string> parts;
        for (const auto& [speed, count] : of_speed)
            parts.push_back(of_speed.size() == 1 ? "at " + bit_rate_text(speed)
                                                 : fmt::format("{} at {}", count, bit_rate_text(speed)));
        line("links", fmt::format("{} between nodes{} {}", between, of_speed.size() == 1 ? "" : ":", fmt::join(parts, ", ")));
    }

    void host() {
        const auto wires = host_wires(machine_);
        if (wires.empty()) return line("host", "none: a network on its own");
        if (wires.size() == 1 && wires.begin()->first == LinkNo(0))
            return line("host", "wired to " + end_name(machine_, wires.begin()->second));
        std::string word = "host";
        for (const auto& [connection, far] : wires) {
            line(word, fmt::format("connection {} wired to {}", connection.value(), end_name(machine_, far)));
            word.clear();
        }
    }

    void control() {
        std::string word = "control";
        for (std::size_t c = 0; c < machine_.control.size(); ++c) {
            line(word,
                 fmt::format("connection {} programs {}", c, fmt::join(switch_names(machine_, machine_.control[c]), ", ")));
            word.clear();
        }
    }

    void boot_order() {
        std::string order = "the host";
        for (const NodeId node : machine_.boot_order) order += ", " + node_name(node);
        line("boot", order);
    }

    void diameter() {
        const auto pair = network_.farthest_pair();
        if (!pair) {
            line("diameter", "none, since the nodes are not all connected");
            return;
        }
        const std::string apart = pair->hops == 0 ? "" : fmt::format(", from {} to {}", node_name(pair->a), node_name(pair->b));
        line("diameter", counted(pair->hops, "hop") + apart);
    }

    void paths() {
        std::size_t width = 4;
        for (const Path& path : network_.paths()) {
            width = std::max({width, end_name(machine_, path.a).size(), end_name(machine_, path.b).size()});
        }
        const bool weighed =
            std::any_of(network_.paths().begin(), network_.paths().end(), [](const Path& path) { return path.weight != 1; });
        const bool mixed = speeds_.size() > 1;
        if (!network_.paths().empty())
            text_ += fmt::format("\nLinks\n  {:<{}}  {:<{}}  {}{}through\n", "from", width, "to", width,
                                 weighed ? "weight  " : "", mixed ? "speed     " : "");
        for (const Path& path : network_.paths()) {
            const auto through = switch_names(machine_, path.through);
            text_ += fmt::format("  {:<{}}  {:<{}}  {}{}{}\n", end_name(machine_, path.a), width, end_name(machine_, path.b),
                                 width, weighed ? fmt::format("{:>6}  ", path.weight) : "",
                                 mixed ? fmt::format("{:<8}  ", bit_rate_text(link_speed(machine_, path.a))) : "",
                                 through.empty() ? "wire" : fmt::format("{}", fmt::join(through, ", ")));
        }
    }

    void switches() {
        if (!machine_.switches.empty()) text_ += "\nSwitches\n";
        for (std::size_t s = 0; s < machine_.switches.size(); ++s) one_switch(s);
    }

    void one_switch(std::size_t which) {
        const SwitchDescription& one = machine_.switches[which];
        std::map<WayNo, WireEnd> idle = wires_of(machine_, which);
        text_ += fmt::format("  {}: {} of {} ways wired, {}{}{}\n", one.name, idle.size(), ways_per_switch,
                             counted(one.connections.size(), "connection"),
                             one.link_bits_per_second != 0 ? ", at " + bit_rate_text(one.link_bits_per_second) : "",
                             one.revision == SwitchRevision::A ? ", revision A" : "");
        for (const auto& [a, b] : one.connections) {
            text_ += fmt::format("    {:>2} - {:<2}  {} - {}\n", a.value(), b.value(), far_end(idle, a), far_end(idle, b));
            idle.erase(a);
            idle.erase(b);
        }
        for (const auto& [way, far] : idle)
            text_ += fmt::format("    {:>2}       {} (not connected)\n", way.value(), end_name(machine_, far));
    }

    void boards() {
        if (!machine_.boards.empty()) text_ += "\nBoards\n";
        for (const BoardDescription& board : machine_.boards) {
            const auto held = std::count_if(board.slots.begin(), board.slots.end(), [](const auto& slot) { return slot; });
            text_ += fmt::format(
                "  {}: {} of {}{}\n", board.name, held, counted(board.slots.size(), "slot"),
                board.switches.empty() ? "" : fmt::format(", {}", fmt::join(switch_names(machine_, board.switches), ", ")));
            for (std::size_t slot = 0; slot < board.slots.size(); ++slot)
                text_ += fmt::format("    slot {:<2}  {}\n", slot, board.slots[slot] ? node_name(*board.slots[slot]) : "empty");
        }
    }

    std::string far_end(const std::map<WayNo, WireEnd>& wires, WayNo way) const {
        const auto found = wires.find(way);
        return found == wires.end() ? "no wire" : end_name(machine_, found->second);
    }

    const MachineDescription& machine_;
    Network network_;
    std::vector<std::int64_t> speeds_;
    std::string text_;
};

Json json_nodes(const MachineDescription& machine) {
    Json result = Json::array();
    for (std::size_t n = 0; n < machine.nodes.size(); ++n) {
        const NodeDescription& node = machine.nodes[n];
        Json speeds = Json::array();
        for (const std::int64_t speed : node.link_bits_per_second)
            speeds.push_back(speed != 0 ? speed : machine.link_bits_per_second);
        result.push_back({{"node", fmt::format("n{}", n)},
                          {"ram_bytes", node.ram_bytes},
                          {"clock_hz", node.clock_hz},
                          {"link_bits_per_second", std::move(speeds)}});
    }
    return result;
}

Json json_host(const MachineDescription& machine, const std::map<LinkNo, WireEnd>& wires) {
    Json result = Json::array();
    for (const auto& [connection, far] : wires)
        result.push_back({{"connection", connection.value()}, {"end", end_name(machine, far)}});
    return result;
}

Json json_control(const MachineDescription& machine) {
    Json result = Json::array();
    for (const auto& connection : control_of(machine)) result.push_back(switch_names(machine, connection));
    return result;
}

Json json_node_list(const std::vector<NodeId>& nodes) {
    Json result = Json::array();
    for (const NodeId node : nodes) result.push_back(node_name(node));
    return result;
}

Json json_paths(const MachineDescription& machine, const Network& network) {
    Json result = Json::array();
    for (const Path& path : network.paths()) {
        result.push_back({{"a", end_name(machine, path.a)},
                          {"b", end_name(machine, path.b)},
                          {"through", switch_names(machine, path.through)},
                          {"weight", path.weight},
                          {"bits_per_second", link_speed(machine, path.a)}});
    }
    return result;
}

Json json_switches(const MachineDescription& machine) {
    Json result = Json::array();
    for (std::size_t s = 0; s < machine.switches.size(); ++s) {
        Json wires = Json::array();
        for (const auto& [way, far] : wires_of(machine, s))
            wires.push_back({{"way", way.value()}, {"end", end_name(machine, far)}});
        Json connections = Json::array();
        for (const auto& [a, b] : machine.switches[s].connections) connections.push_back(Json::array({a.value(), b.value()}));
        result.push_back({{"name", machine.switches[s].name},
                          {"wires", std::move(wires)},
                          {"connections", std::move(connections)},
                          {"link_bits_per_second", switch_speed(machine, SwitchId(static_cast<SwitchId::value_type>(s)))},
                          {"revision", machine.switches[s].revision == SwitchRevision::A ? "A" : "B"}});
    }
    return result;
}

Json json_boards(const MachineDescription& machine) {
    Json result = Json::array();
    for (const BoardDescription& board : machine.boards) {
        Json slots = Json::array();
        for (const auto& slot : board.slots) slots.push_back(slot ? Json(node_name(*slot)) : Json());
        result.push_back(
            {{"name", board.name}, {"slots", std::move(slots)}, {"switches", switch_names(machine, board.switches)}});
    }
    return result;
}

}  // namespace

std::string describe_text(const MachineDescription& machine) {
    return TextDescription(machine).run();
}

std::string describe_json(const MachineDescription& machine) {
    const Network network(machine);
    const auto pair = network.farthest_pair();
    Json json;
    json["schema"] = "magicwire.describe/1";
    json["name"] = machine.name;
    const auto host = host_wires(machine);
    json["host"] = host.empty() ? Json() : Json(end_name(machine, host.begin()->second));
    json["host_connections"] = json_host(machine, host);
    json["link_bits_per_second"] = machine.link_bits_per_second;
    json["nodes"] = json_nodes(machine);
    json["paths"] = json_paths(machine, network);
    json["switches"] = json_switches(machine);
    json["boards"] = json_boards(machine);
    json["waste"] = json_node_list(machine.waste);
    json["boot_order"] = json_node_list(machine.boot_order);
    json["control"] = json_control(machine);
    json["interrupt_master"] = machine.interrupt_master ? Json(node_name(*machine.interrupt_master)) : Json();
    json["unreachable_allowed"] = machine.unreachable_allowed;
    json["diameter"] = pair ? Json(pair->hops) : Json();
    json["farthest"] = pair ? Json::array({node_name(pair->a), node_name(pair->b)}) : Json();
    return json.dump(2);
}

}  // namespace topologies
