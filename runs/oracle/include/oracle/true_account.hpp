// The account of each task, for oracle.json: its messages sent and received, where each function began and ended with it, and
// its losses. Truth only, and only facts: nothing here is concluded. Judges of verdicts start from it. Tasks that came home and
// were taken are left out. The account is bounded: the lowest numbers first.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <oracle/session_result.hpp>
#include <scenario/scenario.hpp>

namespace oracle {

constexpr std::size_t most_account_lines = 20'000;
nlohmann::ordered_json true_account_json(const scenario::Scenario& scenario, const oracle::SessionResult& result,
                                         std::size_t most_lines = most_account_lines);

}  // namespace oracle
