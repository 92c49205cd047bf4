// The state of a node's user processes, as a person would read it from the kernel when a farm stands still.
#pragma once

#include <vector>

#include "master_calls.hpp"
#include "node_desk.hpp"

namespace trek_kernel {

// Adds all but those that merely wait for work.
void add_standing(std::vector<Standing>& to, const NodeDesk& desk, const MasterCalls& calls);

}  // namespace trek_kernel
