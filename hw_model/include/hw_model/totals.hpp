// Totals of links and processors. Plain values, without SystemC.
#pragma once

#include <cstdint>

#include <vocabulary/account.hpp>
#include <vocabulary/sim_time.hpp>

namespace hw_model {

using vocabulary::SimTime;

// Totals of the outgoing direction, since the start.
struct LinkTotals {
    struct Sums {
        std::uint64_t bytes = 0, messages = 0;
        SimTime busy;  // time on the wire
        Sums& operator+=(const Sums& more) {
            bytes += more.bytes;
            messages += more.messages;
            busy += more.busy;
            return *this;
        }
    };
    vocabulary::ByAccount<Sums> of;
    SimTime waiting;                    // time when messages were offered and had not begun
    std::uint64_t lost = 0;             // transfers whose path was changed under them
    std::uint64_t lost_on_arrival = 0;  // the same for the incoming direction, seen from this end

    Sums all() const {
        Sums sums;
        for (const Sums& one : of) sums += one;
        return sums;
    }
};

struct ProcessorTotals {
    SimTime high_busy, low_busy;  // until now; stolen cycles included once their use has ended
    SimTime stolen;               // time added to uses because links took memory cycles
    std::uint64_t preemptions = 0, timeslices = 0, dispatches = 0;
};

}  // namespace hw_model
