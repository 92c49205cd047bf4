// LossProof: that a record is lost for want of room whatever the unload sequence is. Until the first record is lost, a run
// follows from what the buffer managers decide: after each record whether to look at once, and at each look at buffers that are
// not empty whether to unload. All ways to decide are followed, each to its first loss, in forks of one run from the moment
// before the first record. When each comes to a loss, every sequence loses, and so does any other unload policy; when one does
// not, or there are too many, nothing is proven.
#pragma once

#include <cstddef>
#include <functional>

#include "probe_run.hpp"

namespace tmon_session {

struct LossProof {
    bool every_sequence_loses = false;
    std::size_t followed = 0;  // ways to decide, each to its first loss
};

inline constexpr std::size_t most_ways = 2000;

// In child processes. `go_on`: with 0, from time to time; when it says no, nothing is proven.
LossProof prove_loss(const Scenario& scenario, const ProbeOptions& options, const std::function<bool(std::size_t)>& go_on);

}  // namespace tmon_session
