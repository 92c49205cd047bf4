// The nodes' clocks as they were, for figures that are said to be the truth.
#pragma once

#include <string>
#include <vector>

#include <session/simulated.hpp>
#include <tmon_sorted/order_comparison.hpp>

namespace cli {

// For a run's nodes; empty if no monitor has begun.
tmon_sorted::OnClock::Clock true_clock(const std::vector<session::NodeLine>& nodes);
// From the oracle.json beside a stored trace; empty if there is none.
tmon_sorted::OnClock::Clock true_clock_beside(const std::string& trace);

tmon_sorted::MonitorTraffic traffic_of(const std::vector<session::NodeLine>& nodes);

}  // namespace cli
