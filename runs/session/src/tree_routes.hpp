// Checks that the kernel's messages between the host and the nodes of a farm take the links of the farm's tree. Uses the
// machine's description alone, no truth of a run.
#pragma once

#include <span>
#include <vector>

#include <topologies/network.hpp>
#include <trek_kernel/tree.hpp>

namespace session {

// `places`: by node. Cost: one breadth-first search a node.
bool routes_follow_tree(const topologies::Network& network, const std::vector<trek_kernel::TreePlace>& places,
                        std::span<const vocabulary::NodeId> nodes);

}  // namespace session
