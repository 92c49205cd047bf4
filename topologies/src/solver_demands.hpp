// Necessary conditions on the target, checked before any search. An unmet one is refused with its numbers. Otherwise a first
// placement gives every node what it asks for. Used by solver.cpp.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <topologies/machine_description.hpp>

namespace topologies {

// A wanted network as a graph. The host is the node after the last; a wire from a node to itself is allowed.
struct WantedGraph {
    std::size_t nodes = 0;
    std::vector<std::pair<std::size_t, std::size_t>> edges;  // lower end first
    std::vector<std::pair<std::size_t, std::size_t>> links;  // by edge: the links that it takes there
    bool wants_host = false;
};
inline NodeId node_id(std::size_t node) {  // from its number in the graph
    return NodeId(static_cast<NodeId::value_type>(node));
}
// Throws vocabulary::InputError for a node with more than four links.
WantedGraph wanted_graph(const MachineDescription& wanted);

// Nodes that ask for the same, and sockets that offer the same, share a kind.
struct FirstPlacement {
    std::vector<std::size_t> kind_of_wanted, kind_of_socket;
    std::vector<std::vector<bool>> kinds_fit;  // [kind of wanted node][kind of socket]
    std::vector<std::size_t> place;            // socket of each wanted node
};

// Throws vocabulary::InputError for the first demand that the target cannot meet. Cost: a bipartite matching of the nodes.
FirstPlacement first_placement(const MachineDescription& wanted, const WantedGraph& graph, const MachineDescription& target,
                               bool keep_places);

}  // namespace topologies
