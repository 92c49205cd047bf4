// A node's place in the tree of its farm: its neighbours and the links to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <farm_spec/farm_spec.hpp>
#include <vocabulary/ids.hpp>

namespace trek_kernel {

using farm_spec::FarmSpec;
using farm_spec::most_depth;
using farm_spec::Parents;
using farm_spec::Policy;
using farm_spec::TreeKind;
using vocabulary::LinkNo;
using vocabulary::NodeId;

struct Branch {
    NodeId node;
    LinkNo link;                // link of this node
    std::uint32_t workers = 1;  // for a child: nodes at and below it
    // The branch is no link of the machine: its messages go over the network layer, and `link` means nothing.
    bool over_network = false;
};

struct TreePlace {
    std::optional<Branch> parent;
    std::vector<Branch> children;
    std::size_t level = 0;
};

}  // namespace trek_kernel
