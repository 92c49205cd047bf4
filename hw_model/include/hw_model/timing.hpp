// The hardware's costs, read once from the cost table (topologies/costs/t800.yaml names the source of each).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <t800_core/settings.hpp>
#include <topologies/cost_table.hpp>
#include <topologies/link_level.hpp>
#include <vocabulary/sim_time.hpp>

namespace hw_model {

using vocabulary::Cycles;
using vocabulary::SimTime;

struct ProcessorTiming {
    Cycles preempt_latency, preempt_latency_most, preempt_latency_most_fpu, resume_preempted, start_process;
    SimTime timeslice, high_tick, low_tick;
    std::int64_t offset_most_us = 0, drift_most_ppm = 0;  // bounds of the seeded clock errors
    Cycles external_access{3};  // a word of external memory; a block move of a word is two, a link's transfer of one is one
    // The cost of code with this memory, and with the memory that the table assumes (external, 3 cycles).
    std::int64_t code_percent = 100, code_percent_stated = 100;
};

using topologies::LinkLevel;

// A link has two turn-rounds. One runs from the start bit of a data packet to the start of its acknowledge. The other runs from
// that acknowledge to the start of the next data packet.
//
// The time of a byte at message level is derived (docs/model/timing_model.md, Message level). One way: the longer of a packet
// and both turn-rounds with the delay d there and back. Both ways: a packet, the turn-round of data and d, never less than one
// way. The delay d is 1.75 bits a C004. Index: number of C004 passed.
struct LinkTiming {
    static constexpr std::size_t most_switches = 32;
    Cycles setup, completion;
    Cycles stolen_on_chip, stolen_external;  // taken from the processor for each word of a message, at each end
    SimTime data_packet, acknowledge_packet, turn_round_data, turn_round_acknowledge;
    std::array<SimTime, most_switches + 1> byte_one_way{}, byte_both_ways{};
    SimTime pass;                          // delay of a packet in one C004
    SimTime host_byte;                     // least time a byte takes through the host's adaptor
    LinkLevel level = LinkLevel::Message;  // level of all links
};

ProcessorTiming processor_timing(const topologies::CostTable& costs);

// Converts work stated as time on a T800-20 to cycles of 50 ns, rounded up. Cost tables, task descriptions and programs state
// work so. The node that pays the cycles decides how long they take.
Cycles stated_cycles(SimTime duration);
inline constexpr std::int64_t stated_cycle_ps = 50'000;
// The duration of such work on a node, over the stated time. It depends on the node's clock, and on its memory if an access is
// not 3 cycles.
double work_factor(const ProcessorTiming& timing, std::int64_t clock_hz);
// The rate of a block move with this timing, over the table's kernel.copy. A move takes two accesses a word, whatever the cost
// of code (docs/model/timing_model.md, Memory). The factor is 1 with external memory of 3 cycles.
double block_move_factor(const ProcessorTiming& timing);
// Costs of a T800 core at this clock.
t800_core::CoreSettings core_settings(const topologies::CostTable& costs, std::int64_t clock_hz);
LinkTiming link_timing(const topologies::CostTable& costs, std::int64_t bits_per_second);

}  // namespace hw_model
