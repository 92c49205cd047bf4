// MicroMachine: a Machine without kernel for measurements. Its processes use processor and links alone, and pay the cycles of
// the cost table for each act. Its nodes come in pairs: n0.1 leads to n1.0, n2.1 to n3.0, ..., each pair through its own
// number of C004s.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <hw_model/fiber.hpp>
#include <hw_model/machine.hpp>
#include <topologies/cost_table.hpp>
#include <topologies/machine_description.hpp>

#include "group.hpp"

namespace validation {

// T800-20 nodes, or another clock, with 1 MiB each, without wires and without a host.
topologies::MachineDescription lone_nodes(std::size_t count, std::int64_t clock_hz = t800_20_hz);
topologies::MachineDescription pairs_of_nodes(std::int64_t bits_per_second, std::span<const std::size_t> switches,
                                              std::int64_t clock_hz = t800_20_hz);

// Cycles that a descheduling instruction spends on starting the next process (stopp does only that). The modelled processor
// charges them when that process starts, in processor.start_process. So code that pays for an instruction of the T800's table
// leaves them out.
inline constexpr std::int64_t start_next = 11;

class MicroMachine {
public:
    MicroMachine(const topologies::MachineDescription& description, const topologies::CostTable& costs,
                 topologies::LinkLevel links = topologies::LinkLevel::Message);

    // Starts `code` now, in a fiber of its own.
    hw_model::Fiber& start(std::size_t node, hw_model::Priority priority, std::function<void(hw_model::Fiber&)> code);
    void run_until(vocabulary::SimTime horizon) { machine_.run_until(horizon); }

    vocabulary::SimTime now() { return machine_.timeline().now(); }
    hw_model::Node& node(std::size_t index);
    hw_model::Machine& machine() { return machine_; }

    // As `out` and `in` on a link: set-up, the transfer, completion. The cycles are link.setup, less start_next, and
    // link.completion; the start of the waiting process is added. `memory`: where the data lies.
    void out(hw_model::Fiber& me, hw_model::LinkEnd& link, std::span<const std::byte> bytes,
             hw_model::Memory memory = hw_model::Memory::OnChip);
    void in(hw_model::Fiber& me, hw_model::LinkEnd& link, std::span<std::byte> room,
            hw_model::Memory memory = hw_model::Memory::OnChip);
    vocabulary::SimTime last_arrived() const { return last_arrived_; }  // arrival of the last byte of the last in()
    // Sleeps until `when`. Its own start is paid on return, so the next measurement is not charged for that.
    void sleep_until(hw_model::Fiber& me, std::size_t node, vocabulary::SimTime when);

private:
    vocabulary::Cycles setup() const;

    hw_model::Machine machine_;
    vocabulary::SimTime last_arrived_;
    std::vector<std::unique_ptr<hw_model::Fiber>> fibers_;  // destroyed before the stacks they run on
};

}  // namespace validation
