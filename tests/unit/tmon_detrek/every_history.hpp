// A reference for verdicts: every history of a small farm with one failure, by exhaustion of all that can happen next. It knows
// nothing of the analysis. Flood filling, one buffer, no survival; the failing function stops, or a node, link or
// acknowledgement fails at any moment.
#pragma once

#include <cstddef>
#include <vector>

#include "abstract_farm.hpp"

namespace testing_support {

struct OneFailure {
    std::vector<Fault> fault;             // at most one, of Wrong::Stops
    std::vector<HardwareFault> hardware;  // at most one, and no fault then
    std::uint16_t node = 1;               // of the hardware
};

// The farms that stood still, or whose program ended with results missing; none twice. Empty when there are more than
// most_states.
std::vector<FarmHistory> every_history(const farm_spec::FarmSpec& spec, const OneFailure& failure, std::size_t most_states);

}  // namespace testing_support
