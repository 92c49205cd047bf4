// The processes that wait when nothing can happen any more.
#pragma once

#include <string>
#include <vector>

#include <boot_runs/boot_run.hpp>
#include <hw_model/core_driver.hpp>
#include <hw_model/machine.hpp>

namespace boot_runs {

std::string state_of(const hw_model::CoreDriver& core);

// The processes of all nodes that wait at a link, at the event pin, or at a channel in memory. A process at a channel in memory
// is found by the channel's word and the instruction before its saved Iptr. So memory that only looks so may be told, too.
// Cost: linear in the memory of the nodes that have booted.
std::vector<Wait> waits_of(hw_model::Machine& machine);

}  // namespace boot_runs
