#include "session_machine.hpp"

#include <numeric>

#include "fault_session.hpp"

namespace session {
namespace {

// The wires that need a tap: all of them, when a fault may be added to any of them later. A tap has no effect until it is told
// of a fault.
std::vector<std::size_t> wires_to_tap(const scenario::Scenario& scenario, bool faults_may_come) {
    if (!faults_may_come) return tapped_wires(scenario);
    std::vector<std::size_t> all(scenario.machine.wires.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

}  // namespace

SessionMachine::SessionMachine(const scenario::Scenario& scenario, const SessionHooks& hooks)
    : box(machine_with_faults(scenario), scenario.costs, scenario.seed,
          [this](vocabulary::NodeId from, const std::string& text) { print(from, text); },
          {.links = scenario.links,
           .tapped_wires = wires_to_tap(scenario, hooks.faults_may_come),
           .lockstep = !hooks.waves.file.empty()}),
      reconfigurer(box, scenario.reconfigurations) {}

}  // namespace session
