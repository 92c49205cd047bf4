#include "end_parser.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include <topologies/end_names.hpp>
#include <vocabulary/nearest_name.hpp>

namespace topologies {
namespace {

using vocabulary::InputError;
using vocabulary::SourcePosition;

// A number below one million, or nothing.
std::optional<std::size_t> small_number(const std::string& text) {
    if (text.empty() || text.size() > 6) return std::nullopt;
    std::size_t value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        value = value * 10 + static_cast<std::size_t>(c - '0');
    }
    return value;
}

bool looks_like_node(const std::string& text) {
    return text.size() > 1 && text.front() == 'n' &&
           std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string node_range(std::size_t count) {
    return count == 1 ? "only n0" : fmt::format("n0 to n{}", count - 1);
}

[[noreturn]] void fail_unknown(const std::string& name, const KnownEnds& known, const SourcePosition& where) {
    std::vector<std::string> candidates;
    for (const auto& [one, id] : known.switches) candidates.push_back(one);
    std::string all = "nodes " + node_range(known.node_count);
    if (!candidates.empty()) all += fmt::format(" and switches {}", fmt::join(candidates, ", "));
    for (std::size_t n = 0; n < known.node_count; ++n) candidates.push_back(fmt::format("n{}", n));
    const std::string hint = vocabulary::did_you_mean(name, candidates);
    throw InputError(where,
                     fmt::format("unknown node or switch '{}'{}", name, hint.empty() ? "; the machine has " + all : hint));
}

bool names_host(const std::string& text) {
    return text.substr(0, text.find('.')) == "host";
}

}  // namespace

std::pair<Piece, Piece> split_pair(const std::string& text, const std::string& what, const std::string& example,
                                   const SourcePosition& where) {
    std::vector<Piece> pieces;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('-', begin), text.size());
        const std::size_t first = std::min(text.find_first_not_of(' ', begin), end);
        std::size_t last = end;
        while (last > first && text[last - 1] == ' ') --last;
        if (last > first) pieces.push_back({text.substr(first, last - first), first});
        begin = end + 1;
    }
    if (pieces.size() != 2) {
        throw InputError(where, fmt::format("'{}' names {} end{}, but a {} has two; write it as in '{}'", text, pieces.size(),
                                            pieces.size() == 1 ? "" : "s", what, example));
    }
    return {pieces[0], pieces[1]};
}

NodeId parse_node(const std::string& text, const KnownEnds& known, const SourcePosition& where) {
    if (!looks_like_node(text)) fail_unknown(text, known, where);
    const auto number = small_number(text.substr(1));
    if (!number || *number >= known.node_count) {
        throw InputError(where, fmt::format("there is no node '{}': the machine has {}; name one of these or raise 'count'",
                                            text, node_range(known.node_count)));
    }
    return NodeId(static_cast<NodeId::value_type>(*number));
}

WayNo parse_way(const std::string& text, const SourcePosition& where) {
    const auto number = small_number(text);
    if (!number || *number >= ways_per_switch) {
        throw InputError(where, fmt::format("'{}' is no way of a C004; its ways are 0 to {}", text, ways_per_switch - 1));
    }
    return WayNo(static_cast<WayNo::value_type>(*number));
}

SwitchId parse_switch(const std::string& text, const KnownEnds& known, const SourcePosition& where) {
    if (const auto found = known.switches.find(text); found != known.switches.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [one, id] : known.switches) names.push_back(one);
    const std::string hint = vocabulary::did_you_mean(text, names);
    const std::string all = names.empty() ? "the machine has none" : fmt::format("the machine has {}", fmt::join(names, ", "));
    throw InputError(where, fmt::format("unknown switch '{}'{}", text, hint.empty() ? "; " + all : hint));
}

WireEnd parse_end(const std::string& text, const KnownEnds& known, const SourcePosition& where) {
    if (names_host(text)) {
        throw InputError(where,
                         "the host is wired by a key of its own; write 'host: n0.0', or 'host: [n0.0, n5.3]' for several "
                         "connections, at the top level");
    }
    const std::size_t dot = text.find('.');
    if (dot == std::string::npos) {
        throw InputError(
            where, fmt::format("'{}' names no link; write a node and its link as in 'n3.1', or a switch and its way as in "
                               "'x0.17'",
                               text));
    }
    const std::string owner = text.substr(0, dot);
    const std::string number_text = text.substr(dot + 1);
    SourcePosition number_place = where;
    number_place.column += static_cast<int>(dot) + 1;
    if (const auto found = known.switches.find(owner); found != known.switches.end()) {
        return SwitchWay{found->second, parse_way(number_text, number_place)};
    }
    const NodeId node = parse_node(owner, known, where);
    const auto link = small_number(number_text);
    if (!link || *link >= links_per_node) {
        throw InputError(
            where, fmt::format("there is no link '{}': a T800 has links 0 to {}; use one of these", text, links_per_node - 1));
    }
    return NodeLink{node, LinkNo(static_cast<LinkNo::value_type>(*link))};
}

WireEnd parse_far_end(const std::string& text, const KnownEnds& known, const SourcePosition& where) {
    if (!names_host(text)) return parse_end(text, known, where);
    if (text == "host") return HostEnd{};
    const auto connection = small_number(text.substr(text.find('.') + 1));
    if (!connection || *connection >= host_connections) {
        throw InputError(where, fmt::format("there is no '{}': the host has connections 'host' (which is 0) to 'host.{}'; use "
                                            "one of these",
                                            text, host_connections - 1));
    }
    return HostEnd{LinkNo(static_cast<LinkNo::value_type>(*connection))};
}

}  // namespace topologies
