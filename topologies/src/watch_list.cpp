#include <topologies/watch.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

namespace topologies {
namespace {

using vocabulary::InputError;
using vocabulary::SourcePosition;

constexpr std::array<std::pair<std::string_view, Watch::Kind>, 5> node_signals = {{{"event", Watch::Kind::Event},
                                                                                   {"ack", Watch::Kind::Ack},
                                                                                   {"error", Watch::Kind::Error},
                                                                                   {"halted", Watch::Kind::Halted},
                                                                                   {"busy", Watch::Kind::Busy}}};

// Every name that can be watched, in the order of the machine. Linear, since it serves only a message or a look-up of a handful
// of names.
std::vector<std::pair<std::string, Watch>> all_watches(const MachineDescription& machine) {
    std::vector<std::pair<std::string, Watch>> all;
    const auto add = [&all](const std::string& owner, const std::string& what, Watch::Kind kind, std::size_t where,
                            std::size_t number) {
        all.emplace_back(owner + "." + what, Watch{kind, static_cast<std::uint16_t>(where), static_cast<std::uint8_t>(number)});
    };
    for (std::size_t i = 0; i <= machine.nodes.size(); ++i) {
        const bool is_host = i == machine.nodes.size();
        const std::string owner = is_host ? "host" : "n" + std::to_string(i);
        const std::size_t links = is_host ? host_connections : links_per_node;
        for (std::size_t link = 0; link < links; ++link) add(owner, std::to_string(link), Watch::Kind::Link, i, link);
        if (is_host) continue;
        for (const auto& [what, kind] : node_signals) add(owner, std::string(what), kind, i, 0);
    }
    for (std::size_t i = 0; i < machine.switches.size(); ++i) {
        for (std::size_t way = 0; way < ways_per_switch; ++way)
            add(machine.switches[i].name, std::to_string(way), Watch::Kind::Way, i, way);
    }
    return all;
}

// Pins and states of a node are always there.
bool is_wired(const MachineDescription& machine, const Watch& watch) {
    const auto is_meant = [&](const WireEnd& end) {
        if (const auto* link = std::get_if<NodeLink>(&end))
            return watch.kind == Watch::Kind::Link && link->node.value() == watch.where && link->link.value() == watch.number;
        if (const auto* way = std::get_if<SwitchWay>(&end))
            return watch.kind == Watch::Kind::Way && way->which.value() == watch.where && way->way.value() == watch.number;
        return watch.kind == Watch::Kind::Link && machine.nodes.size() == watch.where &&
               std::get<HostEnd>(end).link.value() == watch.number;
    };
    if (watch.kind != Watch::Kind::Link && watch.kind != Watch::Kind::Way) return true;
    return std::any_of(machine.wires.begin(), machine.wires.end(),
                       [&](const Wire& wire) { return is_meant(wire.a) || is_meant(wire.b); });
}

}  // namespace

std::vector<Watch> parse_watches(const std::string& list, const MachineDescription& machine, const std::string& where) {
    const auto all = all_watches(machine);
    std::vector<Watch> watches;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        const std::string name = list.substr(begin, end - begin);
        const SourcePosition place{where, 1, static_cast<int>(begin) + 1};
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == name; });
        if (found == all.end()) {
            std::vector<std::string> names;
            names.reserve(all.size());
            for (const auto& each : all) names.push_back(each.first);
            const std::string hint = vocabulary::did_you_mean(name, names);
            throw InputError(place,
                             "this machine has no signal '" + name + "'" +
                                 (hint.empty() ? "; write a link (n0.1, host.0), an output of a switch (x0.5), or event, ack, "
                                                 "error, halted or busy of a node (n0.busy)"
                                               : hint));
        }
        if (!is_wired(machine, found->second))
            throw InputError(place, "nothing is wired to '" + name +
                                        "', so it never changes; leave it out, or name one that 'magicwire "
                                        "describe' prints");
        if (std::find(watches.begin(), watches.end(), found->second) != watches.end())
            throw InputError(place, "'" + name + "' is given twice; leave one out");
        watches.push_back(found->second);
        begin = end + 1;
    }
    return watches;
}

}  // namespace topologies
