// Round robin: the children take turns. The farm waits for the child whose turn it is, even while others have places.
#include "policies.hpp"

namespace trek_kernel {
namespace {

class RoundRobin final : public Distribution {
public:
    explicit RoundRobin(std::size_t children) : Distribution(children), gone_(children) {}
    void forget(std::size_t child) override {
        Distribution::forget(child);
        gone_[child] = true;
    }
    std::optional<std::size_t> next() override {
        for (std::size_t skipped = 0; skipped < gone_.size() && gone_[turn_]; ++skipped) pass_on();
        if (gone_.empty() || tokens(turn_) == 0) return std::nullopt;
        const std::size_t child = turn_;
        take(child);
        pass_on();
        return child;
    }

private:
    void pass_on() { turn_ = (turn_ + 1) % gone_.size(); }
    std::vector<bool> gone_;  // index: child
    std::size_t turn_ = 0;
};

}  // namespace

std::unique_ptr<Distribution> round_robin(std::size_t children) {
    return std::make_unique<RoundRobin>(children);
}

}  // namespace trek_kernel
