#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include <topologies/end_names.hpp>
#include <vocabulary/contract.hpp>

#include "end_parser.hpp"

namespace topologies {
namespace {

// Own tests instead of <cctype>: those depend on the locale of the host.
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_word(const std::string& name, std::string_view extra) {
    if (name.empty() || !is_letter(name.front()) || name == "null" || name == "Null" || name == "NULL") return false;
    return std::all_of(name.begin(), name.end(),
                       [extra](char c) { return is_letter(c) || is_digit(c) || extra.find(c) != std::string_view::npos; });
}

std::vector<std::string> runs(const std::vector<NodeId>& nodes) {
    std::vector<std::string> result;
    for (std::size_t first = 0; first < nodes.size();) {
        std::size_t last = first;
        while (last + 1 < nodes.size() && nodes[last + 1].value() == nodes[last].value() + 1) ++last;
        if (last >= first + 2) {
            result.push_back(node_name(nodes[first]) + " to " + node_name(nodes[last]));
        } else {
            for (std::size_t i = first; i <= last; ++i) result.push_back(node_name(nodes[i]));
        }
        first = last + 1;
    }
    return result;
}

}  // namespace

std::string node_name(NodeId node) {
    return fmt::format("n{}", node.value());
}

std::string end_name(const MachineDescription& machine, const WireEnd& end) {
    if (const auto* link = std::get_if<NodeLink>(&end)) return fmt::format("n{}.{}", link->node.value(), link->link.value());
    if (const auto* way = std::get_if<SwitchWay>(&end)) {
        EXPECTS(way->which.value() < machine.switches.size(), "end_names.switch_in_machine");
        return fmt::format("{}.{}", machine.switches[way->which.value()].name, way->way.value());
    }
    const LinkNo connection = std::get<HostEnd>(end).link;
    return connection == LinkNo(0) ? "host" : fmt::format("host.{}", connection.value());
}

WireEnd link_end_named(const MachineDescription& machine, const std::string& name, const vocabulary::SourcePosition& where) {
    KnownEnds known{machine.nodes.size(), {}};
    for (std::size_t x = 0; x < machine.switches.size(); ++x)
        known.switches[machine.switches[x].name] = SwitchId(static_cast<SwitchId::value_type>(x));
    const WireEnd end = parse_far_end(name, known, where);
    if (std::holds_alternative<SwitchWay>(end)) {
        throw vocabulary::InputError(
            where,
            "'" + name +
                "' is a way of a switch, and a link ends at nodes or at the host; write a node and its link as in 'n3.1'");
    }
    return end;
}

std::string node_list(const std::vector<NodeId>& nodes) {
    const auto parts = runs(nodes);
    std::string result;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) result += i + 1 == parts.size() ? " and " : ", ";
        result += parts[i];
    }
    return result;
}

bool is_machine_name(const std::string& name) {
    return is_word(name, "_.-");
}

bool is_switch_name(const std::string& name) {
    const bool like_a_node = name.size() > 1 && name.front() == 'n' && std::all_of(name.begin() + 1, name.end(), is_digit);
    return is_word(name, "_") && !like_a_node && name != "host";
}

}  // namespace topologies
