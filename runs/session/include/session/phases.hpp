// Phases: several farms one after the other in one session, on one machine with one clock. Between two of them the host
// collects what is left and ends the programs. It sets the switches for the next network, sends new route tables, and loads the
// next programs. All of that is modelled and timed (docs/decisions/0040-phases.md).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <scenario/scenario.hpp>
#include <session/observed.hpp>
#include <session/session.hpp>
#include <session/simulated.hpp>
#include <trollius_hosted/reconfiguration.hpp>
#include <vocabulary/sim_time.hpp>

namespace session {

// Moments of a session, since power-up. One that never came is 0.
struct SessionTimes {
    vocabulary::SimTime began;      // it had the machine: power-up, or the phase before was collected
    vocabulary::SimTime cleared;    // programs of the phase before had ended on every node
    vocabulary::SimTime switched;   // the last switch had answered; unchanged network: as `cleared`
    vocabulary::SimTime routed;     // the last node had its route table; likewise
    vocabulary::SimTime loaded;     // the last program was loaded, and the monitor begun
    vocabulary::SimTime farm_over;  // the host saw that the farm had ended, or gave it up
    vocabulary::SimTime collected;  // the monitor had quit, and the nodes had told their state
};

// One phase: where it is recorded, and what was made of it.
struct Phase {
    const scenario::Scenario& scenario;
    Observed& observed;
    Simulated& simulated;
    SessionHooks hooks;  // `kernel_witnesses`: of the first phase, for all; `first_moment` and `booted` have no effect

    bool begun = false;
    SessionTimes times{};
    std::vector<trollius_hosted::Reconfigured> reconfigured{};  // before it: one, or none
};

// Runs the phases of a scenario. A phase begins when the farm before it has ended and every node has answered; otherwise it and
// all later ones are not begun. One run in this process, as run_session(). `begins`: called before each phase, with its number.
void run_phases(std::vector<Phase>& phases, const std::function<void(std::size_t)>& begins = {});

}  // namespace session
