// The section `application` of a scenario file.
#include <trek_kernel/simulated_application.hpp>

#include "cost_settings.hpp"
#include "scenario_parts.hpp"

namespace tmon_session {

using topologies::YamlValue;

void read_application(Scenario& scenario, const YamlValue& value, const FileReader& file) {
    value.only_keys({"tasks", "program", "task_bytes", "result_bytes", "bugs"});
    const auto tasks = value.find("tasks"), program = value.find("program");
    if (static_cast<bool>(tasks) == static_cast<bool>(program)) {
        value.fail(
            "an application is either 'tasks: FILE.dat' (the simulated one) or 'program: NAME' (a C program); give one of "
            "the two");
    }
    if (program) {
        scenario.program = program->text();
        if (scenario.farm.divides()) program->fail("a C program has no split_fn yet; set farm.degree to 1");
    } else {
        scenario.tasks = trek_kernel::TaskTable::read(file("tasks", *tasks));
    }
    if (const auto bugs = value.find("bugs"); bugs && scenario.bugs_file.empty()) scenario.bugs_file = file("bugs", *bugs);
    if (const auto bytes = value.find("task_bytes"))
        scenario.sizes.task_bytes = static_cast<std::size_t>(bytes->integer(4, most_message_bytes));
    if (const auto bytes = value.find("result_bytes"))
        scenario.sizes.result_bytes = static_cast<std::size_t>(bytes->integer(4, most_message_bytes));
}

}  // namespace tmon_session
