// TraceDelay: the delay of the trace. A record has the time of its node's clock. The fastest record of a node relates that
// clock to the host's. So a user at the host can tell whether arriving records were made before a given moment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace session {

class TraceDelay {
public:
    using SimTime = vocabulary::SimTime;

    // Records of a node have arrived; `first_us`, `last_us`: times of the first and the last.
    void came(vocabulary::NodeId node, std::uint64_t first_us, std::uint64_t last_us, SimTime now) {
        Stream& of = stream(node);
        const SimTime took = now - at_the_host(last_us);
        of.least = of.came_at ? std::min(of.least, took) : took;
        if (of.came_at) of.longest_pause = std::max(of.longest_pause, now - std::max(*of.came_at, pauses_from_));
        of.came_at = now;
        of.until = at_the_host(last_us) + of.least;
        oldest_ = std::min(oldest_, at_the_host(first_us) + of.least);
    }
    // The node has given its end mark.
    void ended(vocabulary::NodeId node) { stream(node).ended = true; }

    // Time of the oldest record among arrivals since the last call; never() without arrivals.
    SimTime take_oldest() { return std::exchange(oldest_, SimTime::never()); }

    // Begins to measure the pauses between records of a node.
    void count_pauses(SimTime now) {
        pauses_from_ = now;
        for (Stream& of : streams_) of.longest_pause = SimTime();
    }
    // True when records up to `moment` are still due from a node that has not been silent for too long. Too long: `quiet` plus
    // twice the node's longest pause, at most `most`.
    bool is_behind(SimTime moment, SimTime now, SimTime quiet, SimTime most) const {
        return std::any_of(streams_.begin(), streams_.end(), [&](const Stream& of) {
            if (!of.came_at || of.ended || of.until >= moment) return false;
            return now - *of.came_at < std::min(most, quiet + of.longest_pause * 2);
        });
    }

private:
    struct Stream {
        std::optional<SimTime> came_at;
        SimTime least;  // host time less the time in the record
        SimTime until;  // when its last record was made
        SimTime longest_pause;
        bool ended = false;
    };
    static SimTime at_the_host(std::uint64_t us) { return SimTime::us(static_cast<std::int64_t>(us)); }
    Stream& stream(vocabulary::NodeId node) {
        if (streams_.size() <= node.value()) streams_.resize(node.value() + std::size_t{1});
        return streams_[node.value()];
    }

    std::vector<Stream> streams_;  // by node
    SimTime oldest_ = SimTime::never(), pauses_from_;
};

}  // namespace session
