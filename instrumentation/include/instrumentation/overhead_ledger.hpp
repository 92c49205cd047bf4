// OverheadLedger: the cost of monitoring on one node, by cause. Filled where the cost is charged, so nothing is estimated.
// Trace bytes on the links are in the links' totals, and the kernel's work for trace messages in the kernel's.
#pragma once

#include <cstdint>

#include <vocabulary/sim_time.hpp>

namespace instrumentation {

struct OverheadLedger {
    vocabulary::SimTime probe, meter, manager, policy, backend;  // processor time
    vocabulary::SimTime suspended;                               // processes that waited: monitoring was off
    vocabulary::SimTime waited_for_room;                         // processes that waited: the buffers were full
    std::uint64_t waits_for_room = 0;
    vocabulary::SimTime began;                           // true time at which monitoring was switched on
    std::uint64_t events = 0, dropped = 0, counted = 0;  // counted: of class task, while it was off
    std::uint64_t trace_messages = 0, trace_bytes = 0;
    std::uint64_t memory_bytes = 0;  // the buffers and the program
};

}  // namespace instrumentation
