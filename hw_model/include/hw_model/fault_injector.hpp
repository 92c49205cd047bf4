// FaultInjector: carries out a FaultPlan on a Machine. Timed faults wait on the Timeline; trigger() releases those that wait
// for a step of the farm. It acts only where a real defect could: in the taps of wires, the connections of a switch, and a
// node's life (crash, halt, slowness). The rest of the model does not know of faults. It counts and records its every action,
// as truth for the oracle. with_less_memory() applies faults of memory before the machine is built.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <hw_model/fault_strike.hpp>
#include <hw_model/link_protocol.hpp>
#include <hw_model/link_tap.hpp>
#include <hw_model/seeded_stream.hpp>
#include <hw_model/timeline.hpp>
#include <topologies/fault_plan.hpp>

namespace hw_model {

class Machine;

// The machine, with the plan's smaller memories applied.
topologies::MachineDescription with_less_memory(topologies::MachineDescription machine, const topologies::FaultPlan& plan);

class FaultInjector final : private Timeline::Handler, private LinkTap::Witness {
public:
    // Both must outlive it. The machine must have taps in the plan's wires, those of faults added later included.
    FaultInjector(const topologies::FaultPlan& plan, Machine& machine);
    ~FaultInjector();
    FaultInjector(const FaultInjector&) = delete;
    FaultInjector& operator=(const FaultInjector&) = delete;

    // Call it once. A fault due after `limit` is left out, so it does not delay the end of the run. A past moment counts as
    // now; a rate per second counts from now.
    void arm(SimTime limit);
    // Arms the faults that were added at the end of the plan.
    void arm_added();
    // Reports a step of the farm. The faults that wait for it strike at the same modelled time, after the current action.
    void trigger(const topologies::FaultEvent& step);  // with node and sub-task

    const std::vector<FaultTally>& tallies() const { return tallies_; }  // index: fault
    // In order of time. The first `most_noted` strikes of each fault are kept; the rest are only counted.
    static constexpr std::uint64_t most_noted = 1000;
    const std::vector<FaultStrike>& strikes() const { return strikes_; }

private:
    enum What : std::uint32_t { Begin = 0, End = 1 };

    void fire(std::uint32_t what) override;
    void hit(const LinkTap& tap, const LinkTap::Hit& hit) override;
    void watch_taps();
    void post(std::size_t fault, What what, SimTime when);
    void begin(std::size_t fault);
    void begin_at_node(std::size_t number);
    void set_slowness(vocabulary::NodeId node);
    void begin_at_wire(std::size_t number);
    void end(std::size_t fault);
    void note(std::size_t fault, const std::optional<FaultStrike::Message>& message, bool ended);

    const topologies::FaultPlan& plan_;
    Machine& machine_;
    SimTime limit_ = SimTime::never();
    std::size_t armed_ = 0;  // number of faults of the plan that are armed
    std::vector<bool> begun_;
    std::vector<std::uint32_t> slowing_;  // by fault: slowdowns of its node in force
    std::vector<FaultTally> tallies_;
    std::vector<FaultStrike> strikes_;
    std::vector<std::uint64_t> noted_;
};

}  // namespace hw_model
