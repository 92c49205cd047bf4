// The monitor's prices, filled from the cost table (topologies/costs/t800.yaml, rows monitor.*).
#pragma once

#include <cstddef>
#include <cstdint>

#include <vocabulary/sim_time.hpp>

namespace instrumentation {

struct MonitorCosts {
    vocabulary::SimTime probe;           // of TrEK and of the user: procedure, identity, kind
    vocabulary::SimTime standard_probe;  // in the message and process calls of the library
    vocabulary::SimTime meter;           // timer and store
    vocabulary::SimTime count;           // an event of a class that must not get lost unnoticed, while it is off
    vocabulary::SimTime policy;          // to choose the record to lose, where that is not always the newest
    vocabulary::SimTime manager_check;   // one look at buffers, processor and links
    vocabulary::SimTime manager_period;  // between two looks
    vocabulary::SimTime pack_record;
    vocabulary::SimTime backend;       // to take a global interrupt and read the clock
    vocabulary::SimTime usage_sample;  // to read the counters of processor and links
    vocabulary::SimTime interrupt;     // to raise one, in the master
    std::uint32_t record_bytes = 0;    // in the buffer and on the wire
    std::size_t buffer_records = 0;    // of each of the two buffers
    std::uint32_t program_bytes = 0;   // load module of nodemon
    bool probes_off = false;           // the twin: everything is there and starts as usual, but nothing is recorded or charged
};

}  // namespace instrumentation
