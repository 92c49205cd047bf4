// The least set of records that would decide where a program stopped. Private: stops.cpp uses it.
#pragma once

#include <vector>

#include <tmon_models/stops.hpp>
#include "neighbours.hpp"

namespace tmon_models {

// As ProgramReading::deciding; the first of the smallest sets, by node and step. domains: the states in which each node may be.
// Cost: at most budget.deciding.
std::vector<trace_record::Event> deciding_records(const Program& program, const Neighbours& neighbours,
                                                  const std::vector<std::vector<NodeState>>& domains,
                                                  const SearchBudget& budget);

}  // namespace tmon_models
