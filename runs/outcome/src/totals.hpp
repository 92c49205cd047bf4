// Totals of links and nodes, for people and for programs.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <outcome/outputs.hpp>

namespace outcome {

// Two tables, busiest first when rows are left out. Empty for Totals::None.
std::string totals_text(const session::Observed& observed, const session::Simulated& simulated, Totals which);

nlohmann::ordered_json link_json(const session::LinkLine& link, vocabulary::SimTime modelled);
nlohmann::ordered_json node_json(std::size_t index, const session::ObservedNode& seen, const session::NodeLine& node,
                                 vocabulary::SimTime modelled);

}  // namespace outcome
