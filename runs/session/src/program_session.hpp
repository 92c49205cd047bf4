// The host's side of a farm program: its input stream, and the files it writes.
#pragma once

#include <session/session.hpp>
#include <trollius_hosted/multicomputer.hpp>

namespace session {

// All three outlive the machine.
void serve_program(trollius_hosted::Multicomputer& machine, const scenario::Scenario& scenario, Observed& observed);

}  // namespace session
