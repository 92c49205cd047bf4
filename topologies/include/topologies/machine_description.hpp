// A machine as a plain value: nodes, the host, C004 switches, and the wires between them. Made by machine_parser or generators,
// checked by machine_checks, built by hw_model::Machine. Cost: a few dozen bytes a node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <vocabulary/ids.hpp>

namespace topologies {

inline constexpr std::size_t links_per_node = 4;       // T800 data sheet
inline constexpr std::size_t ways_per_switch = 32;     // C004 data sheet
inline constexpr std::size_t host_connections = 4;     // thesis, section 5.3.1
inline constexpr std::size_t control_connections = 2;  // likewise

using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SwitchId;
using vocabulary::WayNo;

// One of the four links of a node, written "n3.1".
struct NodeLink {
    NodeId node;
    LinkNo link;
    friend auto operator<=>(const NodeLink&, const NodeLink&) = default;
};
// One of the 32 ways of a C004, written "x0.17" with the switch's own name.
struct SwitchWay {
    SwitchId which;
    WayNo way;
    friend auto operator<=>(const SwitchWay&, const SwitchWay&) = default;
};
// The host's side of one of its connections to the nodes, written "host" (its connection 0) or "host.1" ... "host.3".
struct HostEnd {
    LinkNo link{0};
    friend auto operator<=>(const HostEnd&, const HostEnd&) = default;
};
using WireEnd = std::variant<NodeLink, SwitchWay, HostEnd>;

// A cable: two ends that are soldered together and do not change.
struct Wire {
    WireEnd a, b;
    friend bool operator==(const Wire&, const Wire&) = default;
};

// The weight of the path between two ends, whatever switches it passes: network descriptions of Trollius, TLINK.
struct LinkWeight {
    WireEnd a, b;  // NodeLink or HostEnd
    std::uint32_t weight = 1;
    friend bool operator==(const LinkWeight&, const LinkWeight&) = default;
};
inline constexpr std::uint32_t most_weight = 65535;  // the longest route still fits 32 bits

// The software of a node: the kernel, whose acts have costs, or machine code that a T800 core runs.
enum class NodeCore : std::uint8_t { Kernel, T800 };

struct NodeDescription {
    std::uint64_t ram_bytes = 0;  // 1 ... 16 MiB on the machine of the thesis, section 5.3.1
    std::int64_t clock_hz = 0;    // processor clock, 20 MHz on a T800-20
    std::array<std::int64_t, links_per_node> link_bits_per_second{};  // of each link; 0: that of the machine (link_speeds.hpp)
    NodeCore core = NodeCore::Kernel;
    friend bool operator==(const NodeDescription&, const NodeDescription&) = default;
};

// The revisions of the C004 differ in their reply to an enquiry: only that of B says whether the output is connected.
enum class SwitchRevision : std::uint8_t { A, B };

struct SwitchDescription {
    std::string name;
    std::vector<std::pair<WayNo, WayNo>> connections;  // both directions; static until the host programs the switch
    std::int64_t link_bits_per_second = 0;             // of all its ways; 0: that of the machine (link_speeds.hpp)
    SwitchRevision revision = SwitchRevision::B;
    friend bool operator==(const SwitchDescription&, const SwitchDescription&) = default;
};

// A printed circuit board: what is shown together. It changes nothing in a run.
struct BoardDescription {
    std::string name;
    std::vector<std::optional<NodeId>> slots;  // index: number of the slot; empty: nothing is plugged in
    std::vector<SwitchId> switches;
    friend bool operator==(const BoardDescription&, const BoardDescription&) = default;
};

struct MachineDescription {
    std::string name;
    std::vector<NodeDescription> nodes;  // index = NodeId
    std::vector<SwitchDescription> switches;
    std::vector<Wire> wires;
    std::int64_t link_bits_per_second = 20'000'000;  // 5, 10 or 20 Mbit/s (T800 data sheet); a node or switch may differ
    bool unreachable_allowed = false;                // the host need not reach every node
    bool without_host = false;                       // a network to place onto a machine; it cannot be booted
    // Control connections of the host (two on the machine of the thesis, section 5.3.1): the switches along each, nearest
    // first. Empty: one connection that leads to all switches in their order.
    std::vector<std::vector<SwitchId>> control;
    // Routes take the ways of least weight. `weight` is that of a path without one of its own. 1 to
    // most_weight.
    std::uint32_t weight = 1;
    std::vector<LinkWeight> weights;
    std::vector<NodeId> waste;       // nodes that do not compute; the router's type of a node says so
    std::vector<NodeId> boot_order;  // nodes that boot first, each behind one of its neighbours or the host; may be empty
    // Node whose interrupt line leads to the event pins of all others (thesis, section 5.3.2); none: no such wires.
    std::optional<NodeId> interrupt_master;
    std::vector<BoardDescription> boards;  // each node and each switch is on one of them or on none
    friend bool operator==(const MachineDescription&, const MachineDescription&) = default;
};

// The switches along each control connection, with the default filled in. Cost: linear in the switches.
inline std::vector<std::vector<SwitchId>> control_of(const MachineDescription& machine) {
    if (!machine.control.empty() || machine.switches.empty()) return machine.control;
    std::vector<SwitchId> all;
    for (std::size_t s = 0; s < machine.switches.size(); ++s) all.push_back(SwitchId(static_cast<SwitchId::value_type>(s)));
    return {all};
}

// Two ends that can talk, through zero or more switches. Derived from wires and connections.
struct Path {
    WireEnd a, b;                   // NodeLink or HostEnd
    std::vector<SwitchId> through;  // in order from a to b
    std::uint32_t weight = 1;
};

}  // namespace topologies
