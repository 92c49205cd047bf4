// The tree a virtual machine runs on: n0 is the manager, n1 the root worker (thesis, section 5.4.3). Chain: i has child i + 1;
// binary: 2i and 2i + 1; ternary: 3i - 1, 3i, 3i + 1. A given tree is any other. It lists each node's parent (farm_config.hpp),
// with the manager at its top and up to four branches a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <vocabulary/ids.hpp>

namespace trek_kernel {

using vocabulary::LinkNo;
using vocabulary::NodeId;

enum class TreeKind : std::uint8_t {
    Chain = 1,
    Binary = 2,
    Ternary = 3,
    Given = 4
};  // the numbers of the .spf file; 4 is ours

// By node. Empty for the manager, and for a node that has no part in the farm.
using Parents = std::vector<std::optional<NodeId>>;

std::size_t arity(TreeKind kind);
std::vector<NodeId> children(TreeKind kind, NodeId node, std::size_t node_count);
std::optional<NodeId> parent(TreeKind kind, NodeId node);  // empty for n0
// Splits between n0's task and one at this node: 0 for n1, 1 for its children.
std::size_t level(TreeKind kind, NodeId node);

struct Branch {
    NodeId node;
    LinkNo link;                // of this node
    std::uint32_t workers = 1;  // of a child: nodes at and below it
};

// One node's place: the nodes it talks to, and the links it uses.
struct TreePlace {
    std::optional<Branch> parent;
    std::vector<Branch> children;
    std::size_t level = 0;
};

}  // namespace trek_kernel
