// The check that a fault model can run to its end on a tree: when no node fails, no step waits for ever.
#pragma once

#include <optional>
#include <string>

#include <tmon_models/program.hpp>

namespace tmon_models {

// The first step that can never go on, such as "node 2 waits for item of node 1 in item 0". Empty when the program ends. Cost:
// all moves of at most four units, since the first and the last have places of their own.
std::optional<std::string> stuck_at(const FaultModel& model, const farm_spec::FarmSpec& spec);

}  // namespace tmon_models
