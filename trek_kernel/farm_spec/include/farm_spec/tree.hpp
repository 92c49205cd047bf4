// The tree that a farm runs on: n0 is the manager, n1 the root worker (Lin 1993, section 5.4.3). Chain: i has child i + 1;
// binary: 2i and 2i + 1; ternary: 3i - 1, 3i, 3i + 1. A given tree is any other: a list of each node's parent, with the manager
// at the top and up to four branches a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <vocabulary/ids.hpp>

namespace farm_spec {

using vocabulary::NodeId;

enum class TreeKind : std::uint8_t { Chain = 1, Binary = 2, Ternary = 3, Given = 4 };  // numbers of the .spf file; 4 is ours

// Index: node. Empty for the manager and for a node outside the farm.
using Parents = std::vector<std::optional<NodeId>>;

// For the three regular trees only.
std::size_t arity(TreeKind kind);
std::vector<NodeId> children(TreeKind kind, NodeId node, std::size_t node_count);  // ascending
std::optional<NodeId> parent(TreeKind kind, NodeId node);                          // empty for n0

}  // namespace farm_spec
