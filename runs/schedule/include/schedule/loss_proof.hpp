// LossProof: proof that every unload sequence loses a record because the buffers are full. Until the first loss, a run follows
// from two kinds of decisions of the buffer managers. After each record they decide whether to look at once. At each look at
// buffers that are not empty they decide whether to unload. Forks of one run, from the moment before the first record, follow
// every path of decisions to its first loss. There are more paths than sequences: a sequence decides once a microsecond, and
// for all nodes alike. When every path ends in a loss, every sequence loses, and so does any other unload policy. When a path
// does not, or not all can be followed, nothing is proven.
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
        WithoutLoss,  // a path reached the end, or the cut, without a loss; or no record was made
        TooManyWays,
        TooLong,  // a path has more than longest_way decisions before its first loss
        Failed,
        Interrupted,
    };
    Outcome outcome = Outcome::Interrupted;
    std::string failure;       // of Failed: the reason
    std::size_t followed = 0;  // paths, each to its first loss

    bool every_sequence_loses() const { return outcome == Outcome::Proven; }
};

// The proof stops beyond these limits; a single path this long means there are too many.
inline constexpr std::size_t most_ways = 2000, longest_way = 32;

// Tries the proof for a monitored scenario, in child processes. `results`: cut the run when the manager has that many; a path
// without loss until then counts as lossless. 0: never cut. `go_on`: called ten times a second; false interrupts the proof.
// Throws vocabulary::HostError when the host has no room for a process; a failure in a child is an outcome. Cost: about a
// millisecond a path, plus the farm's run to its first loss.
LossProof prove_loss(const scenario::Scenario& scenario, std::uint64_t results, const std::function<bool()>& go_on);

}  // namespace schedule
