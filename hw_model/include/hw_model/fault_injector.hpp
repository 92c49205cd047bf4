// FaultInjector: carries a FaultPlan out on a Machine. Timed faults wait on the Timeline; faults that wait for a step of the
// farm are told by trigger(). It works only through places that any defect could reach. These are the taps in the wires, the
// connections of a switch, and three switches of a node (it dies, halts, is slow). The model's code does not know of faults. It
// counts and notes its every action, as truth for the oracle. A smaller memory is part of the machine's description before it
// is built: see with_less_memory().
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
    // Both outlive it. The machine has been built with the plan's wires tapped, also those of faults that are added later.
    FaultInjector(const topologies::FaultPlan& plan, Machine& machine);
    ~FaultInjector();
    FaultInjector(const FaultInjector&) = delete;
    FaultInjector& operator=(const FaultInjector&) = delete;

    // Called once. A fault that would strike after `limit` is left out, so that it does not hold up the end of a run. A moment
    // that has passed counts as now, and a rate per second counts from now.
    void arm(SimTime limit);
    // Faults were added at the end of the plan: arms these.
    void arm_added();
    // A step of the farm has happened. The faults that wait for it strike at the same moment of modelled time, after the
    // current action.
    void trigger(const topologies::FaultEvent& step);  // with node and sub-task

    const std::vector<FaultTally>& tallies() const { return tallies_; }  // index: fault
    // In the order they happened. The first `most_noted` of each fault are noted; the rest are only counted.
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
    std::vector<std::uint32_t> slowing_;  // how often each fault has begun to slow its node and not ended
    std::vector<FaultTally> tallies_;
    std::vector<FaultStrike> strikes_;
    std::vector<std::uint64_t> noted_;
};

}  // namespace hw_model
