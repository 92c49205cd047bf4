// Machines with crossbars for tests, and their switches set by configuration messages without a kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <hw_model/machine.hpp>
#include <hw_model/switch_program.hpp>
#include <topologies/machine_description.hpp>

namespace test_support {

inline std::vector<topologies::SwitchSetting> settings_of(const topologies::MachineDescription& machine) {
    std::vector<topologies::SwitchSetting> settings;
    for (std::size_t i = 0; i < machine.switches.size(); ++i) {
        settings.push_back(
            {topologies::SwitchId(static_cast<topologies::SwitchId::value_type>(i)), machine.switches[i].connections});
    }
    return settings;
}

// Differences between what was set and what was read back.
inline std::vector<std::string> program_switches(hw_model::Machine& machine) {
    hw_model::SwitchProgram program(machine);
    std::optional<std::vector<std::string>> found;
    program.set_up(settings_of(machine.description()), [&](const auto& result) { found = result.differences; });
    while (!found) machine.run_until(machine.timeline().next_time());
    return *found;
}

}  // namespace test_support
