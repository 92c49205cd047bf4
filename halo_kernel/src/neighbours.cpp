#include <halo_kernel/neighbours.hpp>

#include <algorithm>

namespace halo_kernel {

std::vector<vocabulary::NodeId> neighbours(const farm_spec::FarmSpec& spec, vocabulary::NodeId node) {
    std::vector<vocabulary::NodeId> all = spec.children(node);
    if (const auto parent = spec.parent(node)) all.push_back(*parent);
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace halo_kernel
