#include <session/applications.hpp>

#include <filesystem>

#include <farm_programs/builder.hpp>
#include <farm_programs/farm_program.hpp>
#include <farm_programs/machine_code.hpp>
#include <farm_programs/typed_application.hpp>
#include <forks/child_process.hpp>
#include <hw_model/timing.hpp>
#include <scenario/bug_list_file.hpp>
#include <trek_kernel/bug_injector.hpp>
#include <trek_kernel/simulated_application.hpp>

namespace session {
namespace {

using farm_programs::MessageType;
using farm_programs::ProgramReport;

std::unique_ptr<trek_kernel::Application> loaded(std::string module, const scenario::Scenario& scenario, ProgramReport& report,
                                                 const std::string& copy_to, const FlowbackPlace& flowback = {},
                                                 flowback_unload::LogInbox* inbox = nullptr) {
    if (!copy_to.empty()) {
        const std::filesystem::path from = module, copy = std::filesystem::path(copy_to) / from.filename();
        std::filesystem::copy_file(from, copy);
        std::filesystem::path blocks = from;  // their costs (docs/model/program_costs.md)
        blocks.replace_extension(".blocks");
        if (std::filesystem::exists(blocks)) std::filesystem::copy_file(blocks, copy.parent_path() / blocks.filename());
        module = copy.string();
    }
    forks::call_in_children(user_programs::watch_after_fork);
    user_programs::ProgramCosts costs = user_programs::program_costs(scenario.costs, scenario.program_settings.costs);
    costs.times = scenario.program_settings.times;
    auto program =
        std::make_unique<farm_programs::ProgramApplication>(module, std::move(costs), scenario.farm.divides(), report);
    if (!flowback.folder.empty())
        program->keep_flowback_logs({.folder = flowback.folder,
                                     .digest = flowback.digest,
                                     .store = flowback.store,
                                     .costs = user_programs::log_costs(scenario.costs),
                                     .inbox = inbox});
    if (!scenario.compute) return program;
    return std::make_unique<farm_programs::MachineCodeApplication>(
        std::move(program), *scenario.compute,
        [costs = scenario.costs, nodes = scenario.machine.nodes](vocabulary::NodeId node) {
            return hw_model::core_settings(costs, nodes[node.value()].clock_hz);
        },
        report);
}

std::optional<MessageType> message_type(const char* key, const std::optional<farm_programs::Word>& type,
                                        const std::optional<std::size_t>& bytes) {
    if (!type || !bytes) return std::nullopt;
    return MessageType{key, type->text, *bytes};
}

// Built again when any part of it has changed since the last time.
std::unique_ptr<trek_kernel::Application> built(const scenario::Scenario& scenario, ProgramReport& report,
                                                const std::string& copy_to) {
    const farm_programs::Specification& spec = *scenario.farm_program;
    const farm_programs::Built program = farm_programs::build(spec, {.folder = spec.build_folder, .say = {}});
    const auto task = message_type("task_type", spec.task_type, program.task_bytes);
    const auto result = message_type("result_type", spec.result_type, program.result_bytes);
    auto application = loaded(program.module, scenario, report, copy_to);
    if (!task && !result) return application;
    return std::make_unique<farm_programs::TypedApplication>(std::move(application), task, result, report);
}

std::unique_ptr<trek_kernel::Application> application_itself(const scenario::Scenario& scenario, ProgramReport& report,
                                                             const std::string& copy_to, const FlowbackPlace& flowback,
                                                             flowback_unload::LogInbox* inbox) {
    if (!flowback.module.empty()) return loaded(flowback.module, scenario, report, copy_to, flowback, inbox);
    if (scenario.farm_program) return built(scenario, report, copy_to);
    if (!scenario.program.empty()) return loaded(find_program(scenario.program), scenario, report, copy_to);
    return std::make_unique<trek_kernel::SimulatedApplication>(scenario.tasks, scenario.sizes);
}

}  // namespace

std::unique_ptr<trek_kernel::Application> make_application(const scenario::Scenario& scenario, ProgramReport& report,
                                                           const std::string& copy_to, const FlowbackPlace& flowback,
                                                           flowback_unload::LogInbox* inbox) {
    auto application = application_itself(scenario, report, copy_to, flowback, inbox);
    auto bugs = scenario::planted_bugs(scenario);
    if (bugs.empty()) return application;
    return std::make_unique<trek_kernel::BugInjector>(std::move(application), std::move(bugs), scenario.seed);
}

}  // namespace session
