// TraceDelay: how late the trace comes. A record has the time of its node's clock; the one that took least says how that clock
// and the host's belong together. So whoever sits at the host can tell whether what comes now was made before some moment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace tmon_session {

class TraceDelay {
public:
    // Some records of a node, with the times of the first and the last of them.
    void came(vocabulary::NodeId node, std::uint64_t first_us, std::uint64_t last_us, vocabulary::SimTime now) {
        if (least_.size() <= node.value()) least_.resize(node.value() + std::size_t{1});
        const auto at_the_host = [](std::uint64_t us) { return vocabulary::SimTime::us(static_cast<std::int64_t>(us)); };
        const vocabulary::SimTime took = now - at_the_host(last_us);
        std::optional<vocabulary::SimTime>& least = least_[node.value()];
        least = least ? std::min(*least, took) : took;
        oldest_ = std::min(oldest_, at_the_host(first_us) + *least);
    }
    // When the oldest was made, of those that have come since this was asked last; never() when none has.
    vocabulary::SimTime take_oldest() { return std::exchange(oldest_, vocabulary::SimTime::never()); }

private:
    std::vector<std::optional<vocabulary::SimTime>> least_;  // by node: host time less the time in the record
    vocabulary::SimTime oldest_ = vocabulary::SimTime::never();
};

}  // namespace tmon_session
