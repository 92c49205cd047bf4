// Work stealing between siblings: tasks are dealt out in turn to the children that have a place. A node that becomes idle asks
// its parent. The parent asks the child with the most waiting tasks to give one back up.
#include "policies.hpp"

namespace trek_kernel {
namespace {

class WorkStealing final : public Distribution {
public:
    explicit WorkStealing(std::size_t children) : Distribution(children), children_(children) {}
    std::optional<std::size_t> next() override {
        for (std::size_t tried = 0; tried < children_; ++tried) {
            const std::size_t child = turn_;
            turn_ = (turn_ + 1) % children_;
            if (tokens(child) == 0) continue;
            take(child);
            return child;
        }
        return std::nullopt;
    }
    bool steals() const override { return true; }
    // A child that has no more tasks than workers has none waiting, as far as the parent knows.
    std::optional<std::size_t> victim(std::size_t thief, std::span<const ChildLoad> children) const override {
        std::optional<std::size_t> fullest;
        std::uint32_t most = 0;
        for (std::size_t child = 0; child < children.size(); ++child) {
            const ChildLoad& load = children[child];
            if (child == thief || load.asked || load.handed_over <= load.workers + most) continue;
            fullest = child;
            most = load.handed_over - load.workers;
        }
        return fullest;
    }

private:
    std::size_t children_, turn_ = 0;
};

}  // namespace

std::unique_ptr<Distribution> work_stealing(std::size_t children) {
    return std::make_unique<WorkStealing>(children);
}

}  // namespace trek_kernel
