// OverheadLedger: the cost of monitoring on one node, by cause. The code that charges a cost also books it here, so nothing is
// estimated. The links' totals hold the trace bytes, and the kernel's totals hold its work for trace messages.
#pragma once

#include <cstdint>

#include <vocabulary/sim_time.hpp>

namespace instrumentation {

struct OverheadLedger {
    vocabulary::SimTime probe, meter, manager, policy, backend;  // processor time
    vocabulary::SimTime suspended;                               // waiting time of processes while monitoring was off
    vocabulary::SimTime waited_for_room;                         // waiting time of processes while the buffers were full
    std::uint64_t waits_for_room = 0;
    vocabulary::SimTime began;                           // true time at which monitoring was switched on
    std::uint64_t events = 0, dropped = 0, counted = 0;  // counted: events of class Task while it was off
    std::uint64_t trace_messages = 0, trace_bytes = 0;
    std::uint64_t heartbeats = 0, flushes = 0;  // messages; unloads that only the age of a record has caused
    std::uint64_t memory_bytes = 0;             // the buffers and the program
};

}  // namespace instrumentation
