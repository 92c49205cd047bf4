// The host's changes to the switches in mid-run, their losses, and the links left plugged: for the summary of a run.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <oracle/session_result.hpp>

namespace outcome {

// One line for each order, even if it was never carried out, and for each loss. Empty without orders.
std::string reconfiguration_text(const scenario::Scenario& scenario, const oracle::SessionResult& result);
nlohmann::ordered_json reconfigurations_json(const scenario::Scenario& scenario, const oracle::SessionResult& result);
// The message that is not taken there, and since when.
std::string plug_text(const trollius_hosted::PluggedLink& plug);
nlohmann::ordered_json plugged_json(const std::vector<trollius_hosted::PluggedLink>& links);

}  // namespace outcome
