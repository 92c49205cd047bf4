// The nodes with which a node of a halo exchanges its cells: its parent in the tree and its children, in ascending order.
#pragma once

#include <vector>

#include <farm_spec/farm_spec.hpp>

namespace halo_kernel {

std::vector<vocabulary::NodeId> neighbours(const farm_spec::FarmSpec& spec, vocabulary::NodeId node);

}  // namespace halo_kernel
