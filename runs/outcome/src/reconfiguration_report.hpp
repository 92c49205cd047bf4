// The host's changes to the switches in mid-run, their losses, and the links they left plugged: for the summary of a run.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <oracle/session_result.hpp>

namespace outcome {

// One line for each order, also for one that was never carried out, and for each loss; empty without any.
std::string reconfiguration_text(const scenario::Scenario& scenario, const oracle::SessionResult& result);
nlohmann::ordered_json reconfigurations_json(const scenario::Scenario& scenario, const oracle::SessionResult& result);
nlohmann::ordered_json plugged_json(const std::vector<trollius_hosted::PluggedLink>& links);

}  // namespace outcome
