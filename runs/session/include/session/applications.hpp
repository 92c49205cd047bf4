// The application of a scenario: the simulated one or a farm program, wrapped in the code that plants bugs.
#pragma once

#include <memory>
#include <string>

#include <farm_programs/program_application.hpp>
#include <scenario/scenario.hpp>
#include <session/session.hpp>
#include <trek_kernel/application.hpp>

namespace session {

// Throws vocabulary::RequestError when a program cannot be built or loaded. `scenario` and `report` outlive it. `copy_to`: a
// folder to which a program's module is copied first; empty: it is loaded where it is. A copy shares nothing with an
// application made before. `flowback`: of a farm program, this version runs instead, and keeps logs. `inbox`: the host's, where
// logs go over links.
std::unique_ptr<trek_kernel::Application> make_application(const scenario::Scenario& scenario,
                                                           farm_programs::ProgramReport& report,
                                                           const std::string& copy_to = {}, const FlowbackPlace& flowback = {},
                                                           flowback_unload::LogInbox* inbox = nullptr);

// Path of the program NAME among those built with Magicwire, beside the running executable. Throws vocabulary::RequestError,
// with the existing names, when none has that name.
std::string find_program(const std::string& name);

}  // namespace session
