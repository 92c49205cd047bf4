// Changes to a run while it goes on, at a moment of SessionHooks::at_moment. A change acts from that moment on, on all nodes
// at once and without a message. It shows the run with that setting from here on; the modelled machine itself cannot do that.
// Settings that nodes and programs were built or started with cannot change, and attempts are refused.
#pragma once

#include <string>
#include <vector>

#include <scenario/scenario.hpp>
#include <session/live_session.hpp>
#include <vocabulary/sim_time.hpp>

namespace session {

// Splits "monitor.unload=1s/8/32,2s/4/16, seed=2, fault=die n5": a comma begins the next change where NAME= follows. Spaces
// around a change are ignored; an empty text has no change. Throws vocabulary::InputError, with the text as its position.
std::vector<scenario::Setting> parse_changes(const std::string& text);

// The scenario of a run that has reached `now`, with the change. Throws vocabulary::InputError for a wrong value and for a
// setting that cannot change in mid-run. The message gives the reason and the settings that can change.
//   `seed`: draws clock drifts (no clock jumps) and the chances of planted bugs again. A fault plan keeps its own seed.
//   `fault`: one entry of a fault plan, as "die n5", "cut n0.1 - n1.0 for 2ms" or "{die: n5, at: 12ms}"; no moment: now.
//   `faults`: all entries of a plan file; the seed of the plan that the run already has also holds for them.
scenario::Scenario changed(const scenario::Scenario& scenario, const scenario::Setting& change, vocabulary::SimTime now);

// Throws as changed() unless all changes can be made, one after the other.
void check_changes(const scenario::Scenario& scenario, const std::vector<scenario::Setting>& changes, vocabulary::SimTime now);

// The same for a running session: makes all changes or, when it throws, none. session.scenario() then has them.
void change(LiveSession& session, const std::vector<scenario::Setting>& changes);

}  // namespace session
