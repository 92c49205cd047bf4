// The network that the wires and the switch settings make: which node link talks to which. The boot program, the route tables
// and the tree of a virtual machine are computed from it. Cost: linear in the number of wires.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <topologies/machine_description.hpp>

namespace topologies {

struct Neighbour {
    NodeId node;               // the host counts as the node after the last
    LinkNo link;               // the link at the far side
    std::size_t switches = 0;  // C004 passed on the way
    std::uint32_t weight = 1;  // of this link, for routes
};

struct FarthestPair {
    NodeId a, b;
    std::size_t hops = 0;
};

class Network {
public:
    // The machine must have passed check_machine(), but its settings may have changed since. A path that ends nowhere is
    // left out.
    explicit Network(const MachineDescription& machine);

    std::size_t node_count() const { return neighbours_.size() - 1; }  // without the host
    NodeId host() const { return NodeId(static_cast<NodeId::value_type>(neighbours_.size() - 1)); }
    // The other end of a node's link. For the host, `link` is its connection, 0 to 3.
    const std::optional<Neighbour>& neighbour(NodeId node, LinkNo link) const;
    // Every path once, lower end first, in order of that end; the host counts as the highest.
    const std::vector<Path>& paths() const { return paths_; }

    // For every node, host included: the link on which a path of least weight leaves `from`. Of several it is one with the
    // fewest hops; ties take the lowest link. A path passes through the host only to nodes that no other path reaches. Empty
    // for `from` itself and for nodes that cannot be reached. Cost: one breadth-first search; with unequal weights one after
    // Dijkstra.
    std::vector<std::optional<LinkNo>> routes(NodeId from) const;
    std::vector<std::optional<std::size_t>> hops(NodeId from) const;  // along those paths
    // Route set 2, for casts: as routes(), but the paths from each node make a tree that never joins again. Every node on such
    // a path has the rest of it in its own set. Paths are of least weight; ties are broken by keys of the wires, the same
    // everywhere. Cost: one search after Dijkstra.
    std::vector<std::optional<LinkNo>> cast_routes(NodeId from) const;
    // The two nodes with the most hops between them, without the host; ties take the lowest ids. Empty when the nodes are not
    // all connected. Cost: one breadth-first search per node.
    std::optional<FarthestPair> farthest_pair() const;
    // Number of hops between the farthest pair; same cost.
    std::optional<std::size_t> diameter() const;

    // Takes a link away, at both ends. Nothing happens if there is none.
    void cut(NodeId node, LinkNo link);

private:
    std::vector<std::array<std::optional<Neighbour>, links_per_node>> neighbours_;  // the host is the last
    std::vector<Path> paths_;
    bool equal_weights_ = true;
};

}  // namespace topologies
