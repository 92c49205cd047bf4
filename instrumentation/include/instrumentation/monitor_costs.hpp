// The monitor's costs, filled from the cost table (topologies/costs/t800.yaml, rows monitor.*).
#pragma once

#include <cstddef>
#include <cstdint>

#include <vocabulary/sim_time.hpp>

namespace instrumentation {

struct MonitorCosts {
    vocabulary::SimTime probe;           // a probe of TrEK or of the user: procedure, identity, kind
    vocabulary::SimTime standard_probe;  // a probe in the library's message and process calls
    vocabulary::SimTime meter;           // reading the timer and storing the record
    vocabulary::SimTime count;           // counting an event of class Task while the class is off
    vocabulary::SimTime policy;          // choosing the record to lose, unless it is always the newest
    vocabulary::SimTime manager_check;   // one check of buffers, processor and links
    vocabulary::SimTime manager_period;  // between two checks
    vocabulary::SimTime pack_record;
    vocabulary::SimTime flush_check;     // the age of the oldest record, at a look while there is a flush
    vocabulary::SimTime make_heartbeat;  // reading the timer, a message without a body
    vocabulary::SimTime backend;         // taking a global interrupt and reading the clock
    vocabulary::SimTime usage_sample;    // reading the counters of processor and links
    vocabulary::SimTime interrupt;       // raising a global interrupt, in the master
    std::uint32_t record_bytes = 0;      // bytes of a record in the buffer and on the wire
    std::size_t buffer_records = 0;      // room of each of the two buffers
    std::uint32_t program_bytes = 0;     // size of nodemon's load module
    bool probes_off = false;             // for the twin: all parts start as usual, but nothing is recorded or charged
};

}  // namespace instrumentation
