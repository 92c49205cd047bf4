// Totals of links and nodes, for people and for programs.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <tmon_session/outputs.hpp>

namespace tmon_session {

// Two tables, busiest first where not all are shown. Empty for Totals::None.
std::string totals_text(const SessionResult& result, Totals which);

nlohmann::ordered_json link_json(const LinkLine& link, vocabulary::SimTime modelled);
nlohmann::ordered_json node_json(const NodeLine& node, std::size_t index, vocabulary::SimTime modelled);

}  // namespace tmon_session
