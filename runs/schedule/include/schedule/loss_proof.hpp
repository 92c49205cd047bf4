// LossProof: that a record is lost for want of room whatever the unload sequence is. Until the first record is lost, a run
// follows from two kinds of decisions of the buffer managers. After each record they decide whether to look at once. At each
// look at buffers that are not empty they decide whether to unload. All ways to decide are followed, each to its first loss, in
// forks of one run from the moment before the first record. There are more ways than sequences: to a sequence all decisions of
// one microsecond are one, and its lines hold for all nodes. When each way comes to a loss, every sequence loses, and so does
// any other unload policy. When one does not, or not all can be followed, nothing is proven.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <scenario/scenario.hpp>

namespace schedule {

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

// Beyond these the proof gives up: more ways are too many, and one way so long means that there will be too many.
inline constexpr std::size_t most_ways = 2000, longest_way = 32;

// Proves it for a monitored scenario, in child processes. `results`: the run is cut when the manager has so many; a way without
// loss until then is taken to lose nothing. 0: never cut. `go_on`: called ten times a second; false interrupts the proof.
// Throws vocabulary::HostError when the host has no room for a process; a failure in a child is an outcome. Cost: about a
// millisecond a way and what the farm takes to its first loss.
LossProof prove_loss(const scenario::Scenario& scenario, std::uint64_t results, const std::function<bool()>& go_on);

}  // namespace schedule
