// TokensUp: the tokens that a node still owes its parent, one for each task that it can take. They travel with a result on its
// way up, or alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace trek_kernel {

class TokensUp {
public:
    void add(std::uint32_t tokens) { count_ += tokens; }
    // The tokens go alone from now on, unless a result leaves first.
    void hurry() { hurry_ = true; }
    bool hurries() const { return hurry_ && count_ > 0; }
    std::uint32_t take_all() { return std::exchange(count_, 0); }
    std::uint32_t take_hurried() {
        hurry_ = false;
        return take_all();
    }
    // Takes at most `most` tokens; returns their number.
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
