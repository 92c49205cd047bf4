// --set COST=VALUE, and the conditions a cost table must satisfy before anything is built from it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <topologies/cost_table.hpp>
#include <vocabulary/source_position.hpp>

namespace topologies {

inline constexpr std::uint32_t most_message_bytes = 1U << 20;  // bound for a task, a result and a packet

// `other_names`: other names that may be set there, for the hint. Throws vocabulary::InputError.
void set_cost(topologies::CostTable& costs, const std::pair<std::string, std::string>& setting,
              const std::vector<std::string>& other_names);
// Throws vocabulary::InputError for costs that no machine has: outside them the arithmetic of a run would not be exact.
void check_costs(const topologies::CostTable& costs, const vocabulary::SourcePosition& where);

}  // namespace topologies
