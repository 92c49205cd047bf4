// Words that several sources of this component share.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <topologies/machine_description.hpp>
#include <vector>

namespace topologies {

// "1 node", "2 nodes".
inline std::string counted(std::size_t count, const std::string& word) {
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

inline std::vector<std::string> switch_names(const MachineDescription& machine, const std::vector<SwitchId>& switches) {
    std::vector<std::string> result;
    for (const SwitchId which : switches) result.push_back(machine.switches[which.value()].name);
    return result;
}

}  // namespace topologies
