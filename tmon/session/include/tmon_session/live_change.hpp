// What can be changed while a run goes on, at a moment of SessionHooks::at_moment. A change acts from that moment on, on all
// nodes at once and without a message: it says what the run would have been, had it been so from here, and is nothing that the
// modelled machine does. What nodes and programs were built or started with stays, and a change of that is refused.
#pragma once

#include <string>
#include <vector>

#include <tmon_session/live_session.hpp>
#include <tmon_session/scenario.hpp>
#include <vocabulary/sim_time.hpp>

namespace tmon_session {

// Of "monitor.unload=1s/8/32,2s/4/16, seed=2, fault=die n5": a comma begins the next change where NAME= follows. Spaces around
// a change are no part of it; an empty text is no change. Throws vocabulary::InputError, whose position is the text.
std::vector<Setting> parse_changes(const std::string& text);

// The names that change() takes, in the order in which they are told: seed, fault, faults, end.*, monitor.*, without the costs
// of the monitor.
const std::vector<std::string>& changeable_names();

// What the change makes of the scenario of a run that has come to `now`. Throws vocabulary::InputError for what cannot be
// changed in mid-run (why, and what can) and for a value that is wrong; the scenario is as before then.
//   seed     clock drifts of the nodes are drawn again, no clock jumps; chances of planted bugs. A fault plan has its own seed.
//   fault    one entry of a fault plan, as "die n5", "cut n0.1 - n1.0 for 2ms" or "{die: n5, at: 12ms}"; without a moment: now
//   faults   all entries of a plan file; the seed of the plan that the run has already holds for them too
void change_scenario(Scenario& scenario, const Setting& change, vocabulary::SimTime now);

// Throws as change_scenario() when the changes, one after the other, cannot all be made.
void check_changes(const Scenario& scenario, const std::vector<Setting>& changes, vocabulary::SimTime now);

// The same for a run that goes on: all of them or, when it throws, none. `scenario` is the object with which the run was
// started.
void change(LiveSession& session, Scenario& scenario, const std::vector<Setting>& changes);

}  // namespace tmon_session
