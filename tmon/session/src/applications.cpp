#include <tmon_session/applications.hpp>

#include <tmon_session/module_application.hpp>
#include <trek_kernel/simulated_application.hpp>

namespace tmon_session {

std::unique_ptr<trek_kernel::Application> make_application(const Scenario& scenario) {
    if (scenario.program.empty()) return std::make_unique<trek_kernel::SimulatedApplication>(scenario.tasks, scenario.sizes);
    return std::make_unique<ModuleApplication>(find_program(scenario.program));
}

}  // namespace tmon_session
