// The standing of a node's user processes: the state that a person would read out of its kernel when a farm stands still.
#pragma once

#include <vector>

#include "master_calls.hpp"
#include "node_desk.hpp"

namespace trek_kernel {

// Adds those that do not simply wait for work.
void add_standing(std::vector<Standing>& to, const NodeDesk& desk, const MasterCalls& calls);

}  // namespace trek_kernel
