// Places for the nodes of a network that keep its shape. A ring is a circle, a mesh and a torus are grids, a hypercube is
// projected, a tree has layers, a chain is a line. The shape is recognised by the wires, so the names of machines and files do
// not matter.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <topologies/network.hpp>

namespace topologies {

struct Place {
    double x = 0, y = 0;  // to the right, and up; neighbours of a grid are 1 apart
    friend bool operator==(const Place&, const Place&) = default;
};

struct Layout {
    std::string shape;          // as `topology make` takes it, "torus:4x4"
    std::vector<Place> places;  // of the shape's nodes, by NodeId
    // Wires that lead round the edge of a torus, from the last of a row or column to the first; the lower node first.
    std::vector<std::pair<NodeId, NodeId>> wraps;
    std::optional<NodeId> gateway;  // the node in the middle of a wire that has the host, if the shape has no link left
};

// Empty when the wired nodes are none of these shapes with nodes in the order of `topology make`. Nodes without a wire may
// follow them. Cost: each grid with that number of nodes is tried; each takes time linear in the wires.
std::optional<Layout> layout_of(const Network& network);

}  // namespace topologies
