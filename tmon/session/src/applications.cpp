#include <tmon_session/applications.hpp>

#include <trek_kernel/simulated_application.hpp>

namespace tmon_session {

std::unique_ptr<trek_kernel::Application> make_application(const Scenario& scenario, farm_programs::ProgramReport& report) {
    if (scenario.program.empty()) return std::make_unique<trek_kernel::SimulatedApplication>(scenario.tasks, scenario.sizes);
    farm_programs::ProgramCosts costs = farm_programs::program_costs(scenario.costs, scenario.program_settings.costs);
    costs.times = scenario.program_settings.times;
    return std::make_unique<farm_programs::ProgramApplication>(find_program(scenario.program), std::move(costs),
                                                               scenario.farm.divides(), report);
}

}  // namespace tmon_session
