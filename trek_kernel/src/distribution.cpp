#include <trek_kernel/distribution.hpp>

#include <vocabulary/contract.hpp>

#include "policies.hpp"

namespace trek_kernel {

bool Distribution::overtakes(const Rank&, const Rank&) const {
    return false;
}

std::optional<std::size_t> Distribution::victim(std::size_t, std::span<const ChildLoad>) const {
    return std::nullopt;
}

std::unique_ptr<Distribution> make_distribution(Policy policy, std::size_t children) {
    switch (policy) {
        case Policy::FloodFilling:
            return flood_filling(children);
        case Policy::RoundRobin:
            return round_robin(children);
        case Policy::WorkStealing:
            return work_stealing(children);
        case Policy::Priorities:
            return priorities(children);
    }
    EXPECTS(false, "distribution.policy");
    return nullptr;
}

}  // namespace trek_kernel
