// A fault plan in a session: tells the FaultInjector each step of the farm, at no cost, and gathers its effects.
#pragma once

#include <memory>

#include <hw_model/fault_injector.hpp>
#include <scenario/scenario.hpp>
#include <session/session.hpp>
#include <trek_kernel/trek_observer.hpp>

namespace session {

// The scenario's machine with its plan applied, and the places that need taps.
topologies::MachineDescription machine_with_faults(const scenario::Scenario& scenario);
std::vector<std::size_t> tapped_wires(const scenario::Scenario& scenario);

class FaultTrigger final : public trek_kernel::TrekObserver {
public:
    void set_injector(hw_model::FaultInjector* injector) { injector_ = injector; }

    vocabulary::Cycles on(const trek_kernel::TaskMoved& what, trollius_os::Api& api) override;
    vocabulary::Cycles on(const trek_kernel::TaskStep& what, trollius_os::Api& api) override;
    void on(const trek_kernel::BugStruck&, vocabulary::SimTime) override {}
    void on_finished(vocabulary::NodeId, trollius_os::Api&) override {}

private:
    hw_model::FaultInjector* injector_ = nullptr;
};

// Puts tallies, strikes and losses on links into `effects`.
void gather_faults(const scenario::Scenario& scenario, const hw_model::Machine& machine,
                   const hw_model::FaultInjector& injector, FaultEffects& effects);

}  // namespace session
