#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include <topologies/end_names.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/network.hpp>

#include "part_checks.hpp"
#include "quantity.hpp"
#include "wiring.hpp"

namespace topologies {
namespace {

using vocabulary::InputError;
using vocabulary::SourcePosition;

std::string at_place(const SourcePosition& place) {
    return place.line > 0 ? fmt::format(" at line {}, column {}", place.line, place.column) : std::string();
}

class Checker {
public:
    Checker(const MachineDescription& machine, const MachinePlaces& places)
        : machine_(machine), places_(places), ends_(machine) {}

    void run() const {
        parts();
        wires();
        connections();
        const Wiring wiring(machine_);
        connections_lead_somewhere(wiring);
        control();
        interrupts();
        check_wire_speeds(machine_, places_);
        check_boards(machine_, places_);
        const Network network(machine_);
        host_reaches_nodes(network);
        weights(network);
        waste();
        boot_order(network);
    }

private:
    SourcePosition place_of_wire(std::size_t wire, bool second) const {
        if (wire >= places_.wires.size()) return places_.file;
        return second ? places_.wires[wire].second : places_.wires[wire].first;
    }
    SourcePosition place_of_connection(std::size_t which, std::size_t connection) const {
        if (which >= places_.connections.size() || connection >= places_.connections[which].size()) return places_.file;
        return places_.connections[which][connection];
    }
    SourcePosition place_of_control(std::size_t connection, std::size_t entry) const {
        if (connection >= places_.control.size() || entry >= places_.control[connection].size()) return places_.file;
        return places_.control[connection][entry];
    }
    std::string name(std::size_t end) const { return end_name(machine_, ends_.end(end)); }

    void parts() const {
        const auto count = [this](std::size_t n, std::size_t least, std::size_t most, const char* what) {
            if (n >= least && n <= most) return;
            throw InputError(places_.file,
                             fmt::format("{} {}, but a machine has {} to {}; change their number", n, what, least, most));
        };
        count(machine_.nodes.size(), 1, most_nodes, "nodes");
        count(machine_.switches.size(), 0, most_switches, "switches");
        if (!is_machine_name(machine_.name)) {
            throw InputError(
                places_.file,
                fmt::format("'{}' is no machine name; begin with a letter and use letters, digits, _, . and -", machine_.name));
        }
        for (std::size_t node = 0; node < machine_.nodes.size(); ++node) {
            check_ram(machine_.nodes[node].ram_bytes, places_.file);
            check_clock(machine_.nodes[node].clock_hz, places_.file);
            if (machine_.nodes[node].ram_bytes > usual_ram_bytes && node >= most_large_nodes)
                throw InputError(places_.file, fmt::format("n{} has {} of RAM; only the first {} nodes can have more than {}",
                                                           node, byte_size_text(machine_.nodes[node].ram_bytes),
                                                           most_large_nodes, byte_size_text(usual_ram_bytes)));
        }
        check_speeds(machine_, places_.file);
        switch_names();
    }

    void switch_names() const {
        std::set<std::string> names;
        for (const SwitchDescription& one : machine_.switches) {
            if (is_switch_name(one.name) && names.insert(one.name).second) continue;
            throw InputError(places_.file,
                             fmt::format("'{}' cannot name a switch, or names two; use one such as x0", one.name));
        }
    }

    void wires() const {
        std::vector<std::optional<SourcePosition>> used(ends_.size());
        for (std::size_t w = 0; w < machine_.wires.size(); ++w) {
            const Wire& wire = machine_.wires[w];
            use_end(used, wire.a, place_of_wire(w, false));
            if (wire.a == wire.b) {
                throw InputError(place_of_wire(w, true), fmt::format("'{}' is wired to itself; a wire has two different ends",
                                                                     end_name(machine_, wire.b)));
            }
            use_end(used, wire.b, place_of_wire(w, true));
        }
        host_is_wired(used);
        if (!machine_.without_host) return;
        for (std::size_t w = 0; w < machine_.wires.size(); ++w) {
            refuse_host_end(machine_.wires[w].a, place_of_wire(w, false));
            refuse_host_end(machine_.wires[w].b, place_of_wire(w, true));
        }
    }

    void refuse_host_end(const WireEnd& end, const SourcePosition& where) const {
        if (!std::holds_alternative<HostEnd>(end)) return;
        throw InputError(where, fmt::format("'{}' is wired, but the machine has no host; remove this wire, or "
                                            "the line 'host: none'",
                                            end_name(machine_, end)));
    }

    void host_is_wired(const std::vector<std::optional<SourcePosition>>& used) const {
        if (machine_.without_host) return;
        for (std::size_t connection = 0; connection < host_connections; ++connection) {
            if (used[ends_.host() + connection]) return;
        }
        throw InputError(places_.host,
                         "no wire leads to the host; add e.g. 'host: n0.0', or 'host: none' for a network on its own");
    }

    void use_end(std::vector<std::optional<SourcePosition>>& used, const WireEnd& end, const SourcePosition& where) const {
        if (!ends_.contains(end))
            throw InputError(where, "a wire ends at a node or switch that the machine does not have; remove it");
        auto& earlier = used[ends_.of(end)];
        if (earlier) {
            throw InputError(where, fmt::format("'{}' is already wired{}; give each wire its own {}", end_name(machine_, end),
                                                at_place(*earlier), noun(end)));
        }
        earlier = where;
    }

    static const char* noun(const WireEnd& end) {
        if (std::holds_alternative<HostEnd>(end)) return "connection of the host";
        return std::holds_alternative<SwitchWay>(end) ? "way" : "link";
    }

    std::vector<bool> wired_ends() const {
        std::vector<bool> wired(ends_.size());
        for (const Wire& wire : machine_.wires) {
            wired[ends_.of(wire.a)] = true;
            wired[ends_.of(wire.b)] = true;
        }
        return wired;
    }

    void connections() const {
        const auto wired = wired_ends();
        std::vector<std::optional<SourcePosition>> used(ends_.size());
        for (std::size_t s = 0; s < machine_.switches.size(); ++s) {
            const auto& list = machine_.switches[s].connections;
            for (std::size_t c = 0; c < list.size(); ++c) {
                const SourcePosition where = place_of_connection(s, c);
                if (list[c].first == list[c].second) {
                    throw InputError(where, fmt::format("way {} of {} is connected to itself; name two different ways",
                                                        list[c].first.value(), machine_.switches[s].name));
                }
                use_way(used, wired, s, list[c].first, where);
                use_way(used, wired, s, list[c].second, where);
            }
        }
    }

    void use_way(std::vector<std::optional<SourcePosition>>& used, const std::vector<bool>& wired, std::size_t which, WayNo way,
                 const SourcePosition& where) const {
        const SwitchWay end{SwitchId(static_cast<SwitchId::value_type>(which)), way};
        const std::string& owner = machine_.switches[which].name;
        if (!ends_.contains(end)) {
            throw InputError(where, fmt::format("{} has no way {}; a C004 has ways 0 to 31", owner, way.value()));
        }
        auto& earlier = used[ends_.of(end)];
        if (earlier) {
            throw InputError(where, fmt::format("way {} of {} is already connected{}; give each way one connection",
                                                way.value(), owner, at_place(*earlier)));
        }
        if (!wired[ends_.of(end)]) {
            throw InputError(where,
                             fmt::format("way {0} of {1} has no wire; add one to 'wires' of {1}, as in 'n0.1 - {0}', or remove "
                                         "this connection",
                                         way.value(), owner));
        }
        earlier = where;
    }

    // Follows each connection both ways. Ways that an earlier walk has seen are not walked again, so the cost stays linear.
    void connections_lead_somewhere(const Wiring& wiring) const {
        std::vector<bool> seen(ends_.size());
        for (std::size_t s = 0; s < machine_.switches.size(); ++s) {
            const auto& list = machine_.switches[s].connections;
            for (std::size_t c = 0; c < list.size(); ++c) {
                const SwitchId which(static_cast<SwitchId::value_type>(s));
                const std::size_t a = ends_.of(SwitchWay{which, list[c].first});
                const std::size_t b = ends_.of(SwitchWay{which, list[c].second});
                if (seen[a]) continue;
                for (const std::size_t way : {a, b}) {
                    const Walk walk = wiring.walk(way, [&seen](std::size_t passed) { seen[passed] = true; });
                    refuse_dead_end(walk, s, c);
                }
            }
        }
    }

    void refuse_dead_end(const Walk& walk, std::size_t which, std::size_t connection) const {
        if (walk.outcome == Walk::Outcome::Arrived) return;
        const auto& [a, b] = machine_.switches[which].connections[connection];
        const std::string subject =
            fmt::format("connection '{} - {}' of {}", a.value(), b.value(), machine_.switches[which].name);
        const SourcePosition where = place_of_connection(which, connection);
        if (walk.outcome == Walk::Outcome::Loop) {
            throw InputError(
                where,
                subject + " belongs to a loop of switches that ends at no node; remove it, or wire one of its ways to a node");
        }
        throw InputError(
            where, fmt::format("{0} leads to {1}, which is connected to no other way; connect {1}, or remove this connection",
                               subject, name(walk.last)));
    }

    void control() const {
        if (machine_.control.empty()) return;
        if (machine_.control.size() > control_connections) {
            throw InputError(places_.control_key,
                             fmt::format("{} control connections, but the host has {}; put all switches on these",
                                         machine_.control.size(), control_connections));
        }
        std::vector<std::optional<SourcePosition>> used(machine_.switches.size());
        for (std::size_t c = 0; c < machine_.control.size(); ++c) {
            if (machine_.control[c].empty()) {
                throw InputError(places_.control_key,
                                 fmt::format("control connection {} leads to no switch; name some, or leave it out", c));
            }
            for (std::size_t i = 0; i < machine_.control[c].size(); ++i) {
                control_leads_to(used, machine_.control[c][i], place_of_control(c, i));
            }
        }
        const auto missing = std::find(used.begin(), used.end(), std::nullopt);
        if (missing == used.end()) return;
        throw InputError(places_.control_key,
                         fmt::format("no control connection leads to {}, so the host cannot program it; add it to one",
                                     machine_.switches[static_cast<std::size_t>(missing - used.begin())].name));
    }

    void control_leads_to(std::vector<std::optional<SourcePosition>>& used, SwitchId which, const SourcePosition& where) const {
        if (which.value() >= used.size())
            throw InputError(where, "a control connection leads to a switch that the machine does not have; remove it");
        auto& earlier = used[which.value()];
        if (earlier) {
            throw InputError(where, fmt::format("a control connection leads to {} already{}; name each switch once",
                                                machine_.switches[which.value()].name, at_place(*earlier)));
        }
        earlier = where;
    }

    void interrupts() const {
        if (!machine_.interrupt_master || machine_.interrupt_master->value() < machine_.nodes.size()) return;
        throw InputError(places_.interrupt_master,
                         fmt::format("{} cannot be the interrupt master, because the machine has no such node; name another",
                                     node_name(*machine_.interrupt_master)));
    }

    void host_is_not_its_own_neighbour(const Network& network) const {
        for (const Path& path : network.paths()) {
            if (!std::holds_alternative<HostEnd>(path.a) || !std::holds_alternative<HostEnd>(path.b)) continue;
            throw InputError(places_.host, fmt::format("'{}' leads back to the host, to '{}'; lead each to a node",
                                                       end_name(machine_, path.a), end_name(machine_, path.b)));
        }
    }

    void host_reaches_nodes(const Network& network) const {
        if (machine_.without_host) return;
        host_is_not_its_own_neighbour(network);
        if (machine_.unreachable_allowed) return;
        const auto hops = network.hops(network.host());
        std::vector<NodeId> lost;
        for (std::size_t n = 0; n < machine_.nodes.size(); ++n) {
            if (!hops[n]) lost.push_back(NodeId(static_cast<NodeId::value_type>(n)));
        }
        if (lost.empty()) return;
        throw InputError(places_.host,
                         fmt::format("the host cannot reach {}; wire and connect {}, or add 'unreachable: allowed'",
                                     node_list(lost), lost.size() == 1 ? "it" : "them"));
    }

    SourcePosition place_in(const std::vector<SourcePosition>& places, std::size_t entry) const {
        return entry < places.size() ? places[entry] : places_.file;
    }

    void weights(const Network& network) const {
        check_weight(machine_.weight, places_.file);
        std::set<std::pair<WireEnd, WireEnd>> joined;
        for (const Path& path : network.paths()) joined.insert(std::minmax(path.a, path.b));
        std::map<std::pair<WireEnd, WireEnd>, SourcePosition> weighed;
        for (std::size_t i = 0; i < machine_.weights.size(); ++i) {
            const LinkWeight& one = machine_.weights[i];
            const SourcePosition where = place_in(places_.weights, i);
            check_weight(one.weight, where);
            const std::pair<WireEnd, WireEnd> ends = std::minmax(one.a, one.b);
            if (!joined.contains(ends))
                throw InputError(where, fmt::format("no link joins {} and {}, so nothing has this weight; name the two ends of "
                                                    "a link, as 'magicwire describe' lists them",
                                                    weighed_end(one.a), weighed_end(one.b)));
            const auto [earlier, is_new] = weighed.emplace(ends, where);
            if (is_new) continue;
            throw InputError(where, fmt::format("this link has a weight already{}; give it one", at_place(earlier->second)));
        }
    }
    std::string weighed_end(const WireEnd& end) const {
        return ends_.contains(end) ? fmt::format("'{}'", end_name(machine_, end)) : std::string("an end of no node");
    }

    void waste() const {
        std::set<NodeId> seen;
        for (std::size_t i = 0; i < machine_.waste.size(); ++i) {
            const NodeId node = machine_.waste[i];
            const SourcePosition where = place_in(places_.waste, i);
            if (node.value() >= machine_.nodes.size()) no_such_node(where, node, "a node that does not compute");
            if (!seen.insert(node).second)
                throw InputError(where, node_name(node) + " is among the nodes that do not compute already; name it once");
        }
    }
    [[noreturn]] static void no_such_node(const SourcePosition& where, NodeId node, const char* what) {
        throw InputError(
            where, fmt::format("{} cannot be {}, because the machine has no such node; name another", node_name(node), what));
    }

    void boot_order(const Network& network) const {
        std::set<NodeId> booted{network.host()};
        for (std::size_t i = 0; i < machine_.boot_order.size(); ++i) {
            const NodeId node = machine_.boot_order[i];
            const SourcePosition where = place_in(places_.boot_order, i);
            if (node.value() >= machine_.nodes.size()) no_such_node(where, node, "in the boot order");
            bool reached = false;
            for (std::uint8_t link = 0; link < links_per_node; ++link) {
                const auto& neighbour = network.neighbour(node, LinkNo(link));
                reached = reached || (neighbour && booted.contains(neighbour->node));
            }
            if (!reached) throw InputError(where, "no neighbour of this node stands before it in the boot order");
            if (!booted.insert(node).second) throw InputError(where, "this node is in the boot order already");
        }
    }

    const MachineDescription& machine_;
    const MachinePlaces& places_;
    EndIndex ends_;
};

}  // namespace

void check_ram(std::uint64_t bytes, const SourcePosition& where) {
    if (bytes >= least_ram_bytes && bytes <= most_ram_bytes) return;
    throw InputError(where, fmt::format("a node cannot have {} of RAM; write {} to {}", byte_size_text(bytes),
                                        byte_size_text(least_ram_bytes), byte_size_text(most_ram_bytes)));
}

std::uint64_t greatest_ram(const MachineDescription& machine) {
    std::uint64_t most = 0;
    for (const NodeDescription& node : machine.nodes) most = std::max(most, node.ram_bytes);
    return most;
}

void check_clock(std::int64_t hz, const SourcePosition& where) {
    if (hz >= least_clock_hz && hz <= most_clock_hz) return;
    throw InputError(where, fmt::format("a processor cannot run at {}; write {} to {}", frequency_text(hz),
                                        frequency_text(least_clock_hz), frequency_text(most_clock_hz)));
}

void check_weight(std::uint64_t weight, const SourcePosition& where) {
    if (weight >= 1 && weight <= most_weight) return;
    throw InputError(where, fmt::format("a link cannot have the weight {}; write 1 to {}", weight, most_weight));
}

void check_link_speed(std::int64_t bits_per_second, const SourcePosition& where) {
    if (bits_per_second == 5'000'000 || bits_per_second == 10'000'000 || bits_per_second == 20'000'000) return;
    throw InputError(where, fmt::format("a T800 link cannot run at {}; write 5Mbit/s, 10Mbit/s or 20Mbit/s",
                                        bit_rate_text(bits_per_second)));
}

void check_machine(const MachineDescription& machine) {
    MachinePlaces places;
    places.file = {"machine '" + machine.name + "'", 0, 0};
    places.host = places.control_key = places.interrupt_master = places.file;
    check_machine(machine, places);
}

void check_has_host(const MachineDescription& machine, const SourcePosition& where) {
    if (!machine.without_host) return;
    throw InputError(where,
                     fmt::format("machine '{}' is a network without a host, so it cannot be booted; wire it to a host, as in "
                                 "'host: n0.0', or solve it onto a machine that has one",
                                 machine.name));
}

void check_bootable(const MachineDescription& machine, const SourcePosition& where) {
    check_has_host(machine, where);
    const auto core = std::find_if(machine.nodes.begin(), machine.nodes.end(),
                                   [](const NodeDescription& node) { return node.core == NodeCore::T800; });
    if (core == machine.nodes.end()) return;
    throw InputError(where,
                     fmt::format("node n{} of machine '{}' has a T800 core, which runs machine code and no kernel; leave its "
                                 "'core: t800' out, or run a boot image on the machine with 'magicwire boot'",
                                 core - machine.nodes.begin(), machine.name));
}

void check_machine(const MachineDescription& machine, const MachinePlaces& places) {
    Checker(machine, places).run();
}

}  // namespace topologies
