// Checks that a machine is realisable. No part exceeds its limits, and every end is used at most once. Every connection is part
// of a path between two real ends. The host can reach every node, unless the machine has no host or allows unreachable nodes.
// Every switch is on one control connection. Weights are of paths that are there. In the boot order each node comes behind one
// of its neighbours. The two ends of a wire have one speed. No board holds a part that another has. Throws
// vocabulary::InputError. Cost: linear in the wires, plus one breadth-first search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <topologies/machine_description.hpp>
#include <vocabulary/source_position.hpp>

namespace topologies {

inline constexpr std::size_t most_nodes = 16384;
inline constexpr std::size_t most_switches = 4096;
inline constexpr std::uint64_t least_ram_bytes = 64ULL << 10;  // kernel, tables and one small program
inline constexpr std::uint64_t most_ram_bytes = 2ULL << 30;
// A node with more than this has a number below `most_large_nodes`, as addresses on the host are for so many only. It is four
// times the largest node of the thesis, section 5.3.1.
inline constexpr std::uint64_t usual_ram_bytes = 64ULL << 20;
inline constexpr std::size_t most_large_nodes = 2048;
inline constexpr std::uint64_t mpi_ram_bytes = 1ULL << 30;  // of the nodes of a shape on which an MPI program runs
inline constexpr std::int64_t least_clock_hz = 1'000'000;
inline constexpr std::int64_t most_clock_hz = 100'000'000;  // a T800 runs at 17.5 to 30 MHz; the rest is for what-if questions

struct BoardPlaces {
    vocabulary::SourcePosition name;
    std::vector<vocabulary::SourcePosition> slots, switches;  // as in the description
};

// Where the parts of a description stand in its file; entries may be missing (then messages point at the whole file).
struct MachinePlaces {
    vocabulary::SourcePosition file;
    vocabulary::SourcePosition host;
    std::vector<std::pair<vocabulary::SourcePosition, vocabulary::SourcePosition>>
        wires;                                                         // ends a and b, as in the description
    std::vector<std::vector<vocabulary::SourcePosition>> connections;  // by switch
    std::vector<std::vector<vocabulary::SourcePosition>> control;      // as in the description
    vocabulary::SourcePosition control_key;
    std::vector<vocabulary::SourcePosition> weights = {};     // as in the description
    std::vector<vocabulary::SourcePosition> waste = {};       // likewise
    std::vector<vocabulary::SourcePosition> boot_order = {};  // likewise
    vocabulary::SourcePosition interrupt_master;
    std::vector<BoardPlaces> boards = {};  // as in the description
};

void check_ram(std::uint64_t bytes, const vocabulary::SourcePosition& where);
std::uint64_t greatest_ram(const MachineDescription& machine);  // bytes of the node that has most
void check_clock(std::int64_t hz, const vocabulary::SourcePosition& where);
void check_weight(std::uint64_t weight, const vocabulary::SourcePosition& where);  // of a link
void check_link_speed(std::int64_t bits_per_second, const vocabulary::SourcePosition& where);

// All checks. A machine that no file describes is called "machine 'NAME'" in the messages.
void check_machine(const MachineDescription& machine);
void check_machine(const MachineDescription& machine, const MachinePlaces& places);
// For callers that run a machine: refuses one without a host, which cannot be booted. `where` names the file.
void check_has_host(const MachineDescription& machine, const vocabulary::SourcePosition& where);
// The same for callers that need a kernel on each node: refuses nodes with a T800 core, too.
void check_bootable(const MachineDescription& machine, const vocabulary::SourcePosition& where);

}  // namespace topologies
