// Totals of links and processors. Plain values, without SystemC.
#pragma once

#include <array>
#include <cstdint>

#include <hw_model/traffic.hpp>
#include <vocabulary/sim_time.hpp>

namespace hw_model {

using vocabulary::SimTime;

// Totals of the outgoing direction, since the start.
struct LinkTotals {
    std::array<std::uint64_t, traffic_kinds> bytes{}, messages{};
    std::array<SimTime, traffic_kinds> busy{};  // time on the wire
    SimTime waiting;                            // messages were offered and had not begun
    std::uint64_t lost = 0;                     // transfers whose path was changed under them
    std::uint64_t lost_on_arrival = 0;          // the same of the incoming direction, as this end sees it
};

struct ProcessorTotals {
    SimTime high_busy, low_busy;  // until now, with the stolen cycles of the uses that have ended
    SimTime stolen;               // lengthening of uses because the links took memory cycles
    std::uint64_t preemptions = 0, timeslices = 0, dispatches = 0;
};

}  // namespace hw_model
