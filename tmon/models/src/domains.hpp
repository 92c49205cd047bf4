// Domains: the states in which each node may be, by its records and the bounds that neighbours give. Private.
#pragma once

#include <optional>
#include <vector>

#include <tmon_models/stops.hpp>
#include "neighbours.hpp"
#include "node_reading.hpp"

namespace tmon_models {

// Ascending, by node; a node outside the tree has none. Empty: more than one a node and `most` others.
std::optional<std::vector<std::vector<NodeState>>> domains_of(const Program& program, const Neighbours& neighbours,
                                                              const std::vector<NodeReading>& readings, std::size_t most);

}  // namespace tmon_models
