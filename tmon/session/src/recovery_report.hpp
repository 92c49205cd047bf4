// Which nodes a surviving farm gave up, and which tasks were issued again because of each: the truth, for summary and oracle.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <tmon_session/session.hpp>

namespace tmon_session {

std::string recovery_text(const SessionResult& result);  // a line a node; empty when none was given up
nlohmann::ordered_json recovery_json(const SessionResult& result);

}  // namespace tmon_session
