// The small language inside a machine file: "n3.1", "x0.17", "n0.1 - n1.0", "4 - 17". Throws vocabulary::InputError at the
// offending letters.
#pragma once

#include <map>
#include <string>
#include <utility>

#include <topologies/machine_description.hpp>
#include <vocabulary/source_position.hpp>

namespace topologies {

struct Piece {
    std::string text;
    std::size_t offset = 0;  // in the text it was cut from
};

// Cuts "a - b" in two; `what` and `example` are for the message when there are not two pieces.
std::pair<Piece, Piece> split_pair(const std::string& text, const std::string& what, const std::string& example,
                                   const vocabulary::SourcePosition& where);

// The names an end can have.
struct KnownEnds {
    std::size_t node_count = 0;
    std::map<std::string, SwitchId> switches;
};

NodeId parse_node(const std::string& text, const KnownEnds& known, const vocabulary::SourcePosition& where);
SwitchId parse_switch(const std::string& text, const KnownEnds& known, const vocabulary::SourcePosition& where);
// A link or a way, but not the host.
WireEnd parse_end(const std::string& text, const KnownEnds& known, const vocabulary::SourcePosition& where);
// An end that may be wired to a way: a link, another way, or a connection of the host ("host", "host.1").
WireEnd parse_far_end(const std::string& text, const KnownEnds& known, const vocabulary::SourcePosition& where);
WayNo parse_way(const std::string& text, const vocabulary::SourcePosition& where);

}  // namespace topologies
