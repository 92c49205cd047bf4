// Priorities: as flood filling, but the most urgent task waits in front, everywhere on its way down. Of equals the one with the
// lower number goes first. A computation that has begun is not cut off. When a node has too many, the most urgent moves on. If
// it stayed, it would wait for the one computation of that node, behind the other urgent ones kept there.
#include <tuple>

#include "flood_filling.hpp"

namespace trek_kernel {
namespace {

class Priorities final : public FloodFilling {
public:
    using FloodFilling::FloodFilling;
    bool overtakes(const Rank& later, const Rank& earlier) const override {
        if (later.priority != earlier.priority) return later.priority > earlier.priority;
        return std::tie(later.task, later.subtask) < std::tie(earlier.task, earlier.subtask);
    }
    bool moves_first() const override { return true; }
};

}  // namespace

std::unique_ptr<Distribution> priorities(std::size_t children) {
    return std::make_unique<Priorities>(children);
}

}  // namespace trek_kernel
