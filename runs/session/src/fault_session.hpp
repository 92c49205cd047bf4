// A fault plan in a session: reports each step of the farm to the FaultInjector, at no cost, and gathers the effects.
#pragma once

#include <memory>

#include <hw_model/fault_injector.hpp>
#include <scenario/scenario.hpp>
#include <session/session.hpp>
#include <trek_kernel/witness.hpp>

namespace session {

// The scenario's machine with its plan applied, and the places that need taps.
topologies::MachineDescription machine_with_faults(const scenario::Scenario& scenario);
std::vector<std::size_t> tapped_wires(const scenario::Scenario& scenario);

// The only witness that changes the machine: it triggers faults that wait for a step of the farm.
class FaultTrigger final : public trek_kernel::Witness {
public:
    void set_injector(hw_model::FaultInjector* injector) { injector_ = injector; }

    void on_moved(const trek_kernel::TaskMoved& what, vocabulary::SimTime when) override;
    void on_step(const trek_kernel::TaskStep& what, vocabulary::SimTime when) override;

private:
    hw_model::FaultInjector* injector_ = nullptr;
};

// Puts tallies, strikes and losses on links into `effects`.
void gather_faults(const scenario::Scenario& scenario, const hw_model::Machine& machine,
                   const hw_model::FaultInjector& injector, FaultEffects& effects);

}  // namespace session
