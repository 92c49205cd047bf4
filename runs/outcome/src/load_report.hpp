// The load of a farm's network in one line each: hops, busiest link and node, the monitor's share. For studies that set
// networks side by side.
#pragma once

#include <nlohmann/json.hpp>

#include <oracle/farm_report.hpp>
#include <oracle/session_result.hpp>
#include <scenario/scenario.hpp>

namespace outcome {

// `load` of a run's JSON (docs/formats/run_outputs.md). Figures are of the steady state where the farm had one, else of all its
// time. Cost: linear in the nodes; a search through the network for each parent where branches are no links.
nlohmann::ordered_json load_json(const scenario::Scenario& scenario, const oracle::SessionResult& result,
                                 const oracle::FarmReport& report);

}  // namespace outcome
