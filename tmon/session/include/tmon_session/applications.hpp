// The application of a scenario: the simulated one, a farm program, and around it what plants bugs.
#pragma once

#include <memory>

#include <tmon_session/scenario.hpp>
#include <trek_kernel/application.hpp>

namespace tmon_session {

// Throws std::runtime_error when a program cannot be built or loaded. `scenario` outlives it.
std::unique_ptr<trek_kernel::Application> make_application(const Scenario& scenario);

}  // namespace tmon_session
