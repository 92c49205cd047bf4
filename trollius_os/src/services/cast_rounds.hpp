// The arithmetic of ncombine(), and what one castd keeps of a round.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include <trollius_os/services/castd.hpp>

namespace trollius_os::services {

struct Contribution {
    std::int32_t how = 0;  // how_word()
    ErrorNumber error = 0;
    std::vector<std::int32_t> words;
};

constexpr std::int32_t how_word(Reduction how, WordKind kind) {
    return static_cast<std::int32_t>(how) | static_cast<std::int32_t>(kind) << 8;
}
bool is_how_word(std::int32_t word);

// Adds `more` to `sum`. Error EINVAL in the sum when they do not fit together.
void fold(Contribution& sum, const Contribution& more);

// The rounds of one cast at one node.
struct Rounds {
    std::deque<std::pair<Caller, Contribution>> own;  // the first is of this round
    std::map<NodeId, Contribution> from_below;        // of this round, by branch
    bool sent = false;                                // it has gone up
};

}  // namespace trollius_os::services
