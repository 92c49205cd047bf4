// Choices that a T800 and its board make once. Costs are processor cycles; the sources are in docs/model/t800_core.md.
#pragma once

#include <cstdint>

namespace t800_core {

// Cycles of the processor since the core was made. How long one lasts is the node's affair.
using Cycle = std::uint64_t;
inline constexpr Cycle never = ~Cycle{0};

// A T800 has no bus error. A word that no memory answers for reads as all ones, and what is written there is lost. Some boards
// decode such addresses and raise Error.
enum class BeyondMemory : std::uint8_t { OpenBus, RaisesError };

struct CoreSettings {
    std::uint32_t clock_hz = 20'000'000;          // 17.5 to 35 MHz; timers and timeslices are real time, and count in cycles
    std::uint32_t external_access = 3;            // cycles of an access beyond the 4 KiB on the chip: 1, or 3 to 6
    std::uint32_t start_extra = 5;                // each start of a process, over the table (makes commstime come out right)
    std::uint32_t preempt_latency = 19;           // a high process is ready, low one runs: until its first instruction
    std::uint32_t preempt_latency_most_fpu = 78;  // the same with the floating-point unit busy, at most
    std::uint32_t resume = 17;                    // back to the process that was cut
    std::uint32_t link_setup = 20;                // in and out on a link
    std::uint32_t link_completion = 10;           // the engine has finished: wake the process
    BeyondMemory beyond_memory = BeyondMemory::OpenBus;
};

}  // namespace t800_core
