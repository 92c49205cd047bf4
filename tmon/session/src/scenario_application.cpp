// The section `application` of a scenario file.
#include <trek_kernel/simulated_application.hpp>

#include "cost_settings.hpp"
#include "scenario_parts.hpp"

namespace tmon_session {

using topologies::YamlValue;

void read_application(Scenario& scenario, const YamlValue& value, const FileReader& file) {
    value.only_keys({"tasks", "program", "task_bytes", "result_bytes", "costs", "input"});
    const auto tasks = value.find("tasks"), program = value.find("program");
    if (static_cast<bool>(tasks) == static_cast<bool>(program)) {
        value.fail(
            "an application is either 'tasks: FILE.dat' (the simulated one) or 'program: NAME' (a C program); give one of "
            "the two");
    }
    if (program) {
        scenario.program = program->text();
        read_program_settings(scenario, value, file);
    } else {
        for (const char* key : {"costs", "input"}) {
            if (const auto it = value.find(key)) it->fail("is for a farm program; the simulated application has none");
        }
        scenario.tasks = trek_kernel::TaskTable::read(file("tasks", *tasks));
    }
    if (const auto bytes = value.find("task_bytes"))
        scenario.sizes.task_bytes = static_cast<std::size_t>(bytes->integer(4, most_message_bytes));
    if (const auto bytes = value.find("result_bytes"))
        scenario.sizes.result_bytes = static_cast<std::size_t>(bytes->integer(4, most_message_bytes));
}

}  // namespace tmon_session
