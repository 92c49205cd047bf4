// The multicomputer of the thesis, section 5.3.1: 75 T800 nodes and 10 C004 crossbars x0 ... x9. The host has four connections
// to the nodes and two to the crossbars. The thesis gives these numbers and no more; wiring and memory are assumed
// (docs/guide/topologies.md, docs/decisions/0007-the-machine-in-full.md). No crossbar is connected: solver.hpp sets them. Cost:
// a few hundred wires.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <topologies/machine_description.hpp>

namespace topologies {

inline constexpr std::size_t ubc_nodes = 75;      // thesis, section 5.3.1
inline constexpr std::size_t ubc_crossbars = 10;  // thesis, section 5.3.1
inline constexpr std::size_t ubc_blocks = 15;     // blocks of the design below; ubc_nodes / ubc_blocks nodes use each

// The 2-(10,4,2) design: 15 blocks of four crossbars. Each pair of crossbars is in two blocks; each two blocks have one or two
// crossbars in common. The crossbars are the ten edges of the complete graph of 5, the blocks its fifteen 4-cycles. A block
// lists its crossbars in the order of the cycle.
const std::array<std::array<std::size_t, links_per_node>, ubc_blocks>& ubc_design();

// Node i uses block i mod 15; its link l leads to entry (l + i / 15) mod 4 of the block. The nodes take ways 0 ... 29 of a
// crossbar in the order of their numbers. Way 30 leads to the next crossbar along x0 - ... - x4 and x5 - ... - x9, way 31 to
// the one before. At the ends of these rows it is the host's: host.0 to x0, host.1 to x4, host.2 to x5, host.3 to x9.
MachineDescription ubc_machine();

}  // namespace topologies
