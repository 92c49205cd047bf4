// TrEK's costs, filled from the cost table (topologies/costs/t800.yaml, rows trek.*).
#pragma once

#include <cstdint>

#include <vocabulary/sim_time.hpp>

namespace trek_kernel {

struct TrekCosts {
    std::uint32_t size_message = 0;       // bytes on the wire of the message that precedes the data
    vocabulary::SimTime link_message;     // work of a link process for one message
    vocabulary::SimTime queue_operation;  // one entry in or out
    vocabulary::SimTime execute;          // around one computation: buffers, call, result
    vocabulary::SimTime decision;         // data or result manager, one task or result
    std::uint64_t process_stack = 0;      // modelled bytes
    // For a farm that survives; silence is longer than heartbeat.
    vocabulary::SimTime heartbeat;  // a child sends a message at least this often
    vocabulary::SimTime silence;    // timeout: a child that sends or takes nothing for so long is given up
};

}  // namespace trek_kernel
