// The processes of a machine with T800 cores that wait.
#pragma once

#include <string>
#include <vector>

#include <boot_runs/boot_run.hpp>
#include <hw_model/core_driver.hpp>
#include <hw_model/machine.hpp>

namespace boot_runs {

std::string state_of(const hw_model::Node& node);  // with a core

// The processes of all nodes that wait at a link, at the event pin, at a channel in memory or for a clock, each once. A process
// at a channel in memory is found by the channel's word, where something has waited before, and the instruction before its
// saved Iptr. So memory that has been a channel, and only looks so now, may be told, too.
// Cost: linear in the memory of the nodes that have booted.
std::vector<Wait> waits_of(hw_model::Machine& machine);

}  // namespace boot_runs
