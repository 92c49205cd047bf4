// LossProof: that a record is lost for want of room whatever the unload sequence is. Until the first record is lost, a run
// follows from what the buffer managers decide: after each record whether to look at once, and at each look at buffers that are
// not empty whether to unload. All ways to decide are followed, each to its first loss, in forks of one run from the moment
// before the first record. These are more ways than there are sequences: decisions of one microsecond are one for a sequence,
// whose lines hold for all nodes. So when each way comes to a loss, every sequence loses, and so does any other unload policy;
// when one does not, or not all can be followed, nothing is proven.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <tmon_session/scenario.hpp>

namespace tmon_session {

struct LossProof {
    enum class Outcome {
        Proven,
        WithoutLoss,  // a way came to the end, or to the cut, without a loss; or no record was made
        TooManyWays,
        TooLong,  // a way has more decisions before its first loss than longest_way
        Failed,
        Interrupted,
    };
    Outcome outcome = Outcome::Interrupted;
    std::string failure;       // of Failed: why
    std::size_t followed = 0;  // ways to decide, each to its first loss

    bool every_sequence_loses() const { return outcome == Outcome::Proven; }
};

// More are too many, and so they will be where one is so long.
inline constexpr std::size_t most_ways = 2000, longest_way = 32;

// Of a monitored scenario, in child processes. `results`: the run is cut when the manager has so many, and what did not lose
// until then is taken to lose nothing; 0: never. `go_on`: asked ten times a second; when it says no, the proof is interrupted.
// Throws std::runtime_error when the host has no room for a process; what fails in one is an outcome. Cost: about a millisecond
// a way and what the farm takes to its first loss.
LossProof prove_loss(const Scenario& scenario, std::uint64_t results, const std::function<bool()>& go_on);

}  // namespace tmon_session
