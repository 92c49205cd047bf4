// The time that the host needs to change crossbars over its control connections, by calculation: what SwitchProgram::change()
// takes when nothing else is on them. Shown before a change is ordered. It follows the rules of control_line.hpp without a
// machine. Cost: linear in the bytes, and n log n in the requests.
#pragma once

#include <cstdint>
#include <vector>

#include <hw_model/control_line.hpp>
#include <hw_model/switch_program.hpp>
#include <topologies/cost_table.hpp>
#include <topologies/machine_description.hpp>

namespace hw_model {

struct ControlTime {
    SimTime time;                      // from the order until the host has the last answer
    std::uint64_t bytes = 0;           // configuration messages and enquiries, as ProgrammedSwitches::bytes
    std::vector<std::uint64_t> lines;  // of these, by control connection
};

// Changes the switches from `from` to `to`, pairwise by index, as SwitchProgram::change() does. The costs are those of the
// machine; its link speed gives the time of a byte.
ControlTime control_time(const topologies::MachineDescription& machine, const topologies::CostTable& costs,
                         const std::vector<SwitchSetting>& from, const std::vector<SwitchSetting>& to);

}  // namespace hw_model
