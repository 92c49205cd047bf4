// TokensUp: the tokens of a node that its parent has not got yet, one for each task that it can take. They travel with a result
// that goes up anyway, or by themselves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace trek_kernel {

class TokensUp {
public:
    void add(std::uint32_t tokens) { count_ += tokens; }
    // From now on they go by themselves when no result leaves first.
    void hurry() { hurry_ = true; }
    bool hurries() const { return hurry_ && count_ > 0; }
    std::uint32_t take_all() { return std::exchange(count_, 0); }
    std::uint32_t take_hurried() {
        hurry_ = false;
        return take_all();
    }
    // No more than `most`; returns their number.
    std::uint32_t take(std::uint32_t most) {
        const std::uint32_t taken = std::min(most, count_);
        count_ -= taken;
        return taken;
    }

private:
    std::uint32_t count_ = 0;
    bool hurry_ = false;
};

}  // namespace trek_kernel
