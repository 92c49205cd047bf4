#include <tmon_session/applications.hpp>

#include <tmon_session/bug_list_file.hpp>
#include <tmon_session/module_application.hpp>
#include <trek_kernel/bug_injector.hpp>
#include <trek_kernel/simulated_application.hpp>

namespace tmon_session {
namespace {

std::unique_ptr<trek_kernel::Application> application_itself(const Scenario& scenario) {
    if (scenario.program.empty()) return std::make_unique<trek_kernel::SimulatedApplication>(scenario.tasks, scenario.sizes);
    return std::make_unique<ModuleApplication>(find_program(scenario.program));
}

}  // namespace

std::unique_ptr<trek_kernel::Application> make_application(const Scenario& scenario) {
    auto application = application_itself(scenario);
    auto bugs = planted_bugs(scenario);
    if (bugs.empty()) return application;
    return std::make_unique<trek_kernel::BugInjector>(std::move(application), std::move(bugs), scenario.seed);
}

}  // namespace tmon_session
