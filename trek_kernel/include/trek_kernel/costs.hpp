// TrEK's prices, filled from the cost table (topologies/costs/t800.yaml, rows trek.*).
#pragma once

#include <cstdint>

#include <vocabulary/sim_time.hpp>

namespace trek_kernel {

struct TrekCosts {
    std::uint32_t size_message = 0;       // bytes on the wire of the message before the data
    vocabulary::SimTime link_message;     // of a link process, one message
    vocabulary::SimTime queue_operation;  // one entry in or out
    vocabulary::SimTime execute;          // around one computation: buffers, call, result
    vocabulary::SimTime decision;         // data or result manager, one task or result
    std::uint64_t process_stack = 0;      // modelled bytes
    // Of a farm that survives; silence is longer than heartbeat.
    vocabulary::SimTime heartbeat;  // a child says at least so often that it lives
    vocabulary::SimTime silence;    // and is given up when it says or takes nothing for so long
};

}  // namespace trek_kernel
