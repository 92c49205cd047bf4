// Changes to a run while it goes on, at a moment of SessionHooks::at_moment. A change acts from that moment on, on all nodes at
// once and without a message. It shows the run as it would have been with that setting from here on. The modelled machine does
// nothing of the kind itself. Settings that nodes and programs were built or started with stay, and a change of them is
// refused.
#pragma once

#include <string>
#include <vector>

#include <scenario/scenario.hpp>
#include <session/live_session.hpp>
#include <vocabulary/sim_time.hpp>

namespace session {

// Splits "monitor.unload=1s/8/32,2s/4/16, seed=2, fault=die n5": a comma begins the next change where NAME= follows. Spaces
// around a change are no part of it; an empty text is no change. Throws vocabulary::InputError, whose position is the text.
std::vector<scenario::Setting> parse_changes(const std::string& text);

// The scenario of a run that has reached `now`, with the change. Throws vocabulary::InputError for a wrong value and for a
// setting that cannot change in mid-run. The message says why, and what can change.
//   `seed`: draws clock drifts (no clock jumps) and the chances of planted bugs again. A fault plan keeps its own seed.
//   `fault`: one entry of a fault plan, as "die n5", "cut n0.1 - n1.0 for 2ms" or "{die: n5, at: 12ms}"; no moment: now.
//   `faults`: all entries of a plan file; the seed of the plan that the run already has also holds for them.
scenario::Scenario changed(const scenario::Scenario& scenario, const scenario::Setting& change, vocabulary::SimTime now);

// Throws as changed() when the changes, one after the other, cannot all be made.
void check_changes(const scenario::Scenario& scenario, const std::vector<scenario::Setting>& changes, vocabulary::SimTime now);

// The same for a running session: all changes or, when it throws, none. session.scenario() has them then.
void change(LiveSession& session, const std::vector<scenario::Setting>& changes);

}  // namespace session
