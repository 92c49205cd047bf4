#include "fault_parts.hpp"

#include <fmt/format.h>

#include <topologies/end_names.hpp>
#include <vocabulary/nearest_name.hpp>

#include "end_parser.hpp"

namespace topologies {

using vocabulary::InputError;

namespace {

std::vector<std::string> names_of_switches(const MachineDescription& machine) {
    std::vector<std::string> names;
    for (const auto& one : machine.switches) names.push_back(one.name);
    return names;
}

// The hint, or what to do when no name is near.
std::string hint_or(const std::string& name, const std::vector<std::string>& known, const std::string& otherwise) {
    const std::string hint = vocabulary::did_you_mean(name, known);
    return hint.empty() ? "; " + otherwise : hint;
}

}  // namespace

FaultParts::FaultParts(const MachineDescription& machine) : machine_(machine), network_(machine) {
    for (std::size_t i = 0; i < machine.wires.size(); ++i) {
        ends_.emplace(end_name(machine, machine.wires[i].a), Place{i, true});
        ends_.emplace(end_name(machine, machine.wires[i].b), Place{i, false});
    }
}

NodeId FaultParts::node(const YamlValue& value) const {
    const std::string name = value.text();
    std::vector<std::string> known;
    for (std::size_t i = 0; i < machine_.nodes.size(); ++i) {
        const NodeId id(static_cast<NodeId::value_type>(i));
        known.push_back(node_name(id));
        if (known.back() == name) return id;
    }
    const std::string range = known.size() == 1 ? "only n0" : "n0 to " + known.back();
    value.fail(fmt::format("machine '{}' has no node '{}': it has {}; name one of these", machine_.name, name, range));
}

const FaultParts::Place& FaultParts::end(const YamlValue& value, const std::string& name, std::size_t offset) const {
    const auto found = ends_.find(name);
    if (found != ends_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [one, place] : ends_) known.push_back(one);
    throw InputError(value.where(offset), fmt::format("machine '{}' has no wire at '{}'{}", machine_.name, name,
                                                      hint_or(name, known, "'magicwire describe' prints its links")));
}

std::string FaultParts::other_end_of(const WireEnd& end) const {
    for (const Path& path : network_.paths()) {
        if (path.a == end) return end_name(machine_, path.b);
        if (path.b == end) return end_name(machine_, path.a);
    }
    return "nowhere";
}

CableOfLink FaultParts::link(const YamlValue& value) const {
    const auto [a, b] = split_pair(value.text(), "link", "n0.1 - n1.0", value.where());
    const Place &first = end(value, a.text, a.offset), &second = end(value, b.text, b.offset);
    if (first.wire == second.wire && first.first != second.first) return {first.wire, first.first};
    const Wire& cable = machine_.wires[first.wire];
    const WireEnd& from = first.first ? cable.a : cable.b;
    if (other_end_of(from) == b.text) return {first.wire, first.first};
    const bool a_way = std::holds_alternative<SwitchWay>(from);
    const std::string leads_to = a_way ? end_name(machine_, first.first ? cable.b : cable.a) : other_end_of(from);
    value.fail(fmt::format("'{}' and '{}' are not the two ends of a link: '{}' leads to '{}'; write '{} - {}'", a.text, b.text,
                           a.text, leads_to, a.text, leads_to));
}

SwitchWay FaultParts::way(const YamlValue& value) const {
    const std::string text = value.text();
    const std::size_t dot = text.find('.');
    if (dot == std::string::npos)
        value.fail(fmt::format("'{}' names no way of a switch; write the switch and its way as in 'x0.17'", text));
    const std::string name = text.substr(0, dot);
    const std::vector<std::string> known = names_of_switches(machine_);
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (known[i] != name) continue;
        return {SwitchId(static_cast<SwitchId::value_type>(i)), parse_way(text.substr(dot + 1), value.where(dot + 1))};
    }
    if (known.empty()) value.fail(fmt::format("machine '{}' has no switches; remove this fault", machine_.name));
    value.fail(fmt::format("machine '{}' has no switch '{}'{}", machine_.name, name,
                           hint_or(name, known, "'magicwire describe' prints its switches")));
}

CableOfLink FaultParts::cable_of(const SwitchWay& way, const YamlValue& value) const {
    const auto found = ends_.find(end_name(machine_, way));
    if (found == ends_.end())
        value.fail(
            fmt::format("nothing is wired to '{}', so nothing can go wrong there; 'magicwire describe' prints the ways "
                        "in use",
                        value.text()));
    return {found->second.wire, found->second.first};
}

}  // namespace topologies
