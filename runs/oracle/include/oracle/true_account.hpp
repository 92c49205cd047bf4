// The account of each task, for oracle.json: messages sent and received, the places where each function began and ended with
// it, and losses. It holds facts from the truth and no conclusions. Judges of verdicts start from it. Tasks whose result was
// taken are left out. The account is bounded: the lowest numbers come first.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <oracle/session_result.hpp>
#include <scenario/scenario.hpp>

namespace oracle {

constexpr std::size_t most_account_lines = 20'000;
nlohmann::ordered_json true_account_json(const scenario::Scenario& scenario, const oracle::SessionResult& result,
                                         std::size_t most_lines = most_account_lines);

}  // namespace oracle
