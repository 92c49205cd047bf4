// The host's side of a farm program: its input stream, and the files it writes.
#pragma once

#include <tmon_session/multicomputer.hpp>
#include <tmon_session/session.hpp>

namespace tmon_session {

// All three outlive the machine.
void serve_program(Multicomputer& machine, const Scenario& scenario, SessionResult& result);

}  // namespace tmon_session
