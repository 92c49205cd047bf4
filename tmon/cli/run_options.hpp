// Options that several commands that simulate have in common.
#pragma once

#include <string>
#include <vector>

#include <tmon/detrek.hpp>
#include <tmon_session/outputs.hpp>
#include <tmon_session/scenario.hpp>
#include <tmon_session/session.hpp>

namespace tmon_cli {

std::string quoted(const std::string& word);  // as a shell takes it for one word
// Of --set NAME=VALUE; throws vocabulary::InputError for what is none.
std::vector<tmon_session::Setting> settings_of(const std::vector<std::string>& set);
tmon_session::Totals totals_of(const std::string& word);
// The arguments without those that say where the files go and what is only looked at: the same run gives the same bytes.
std::vector<std::string> without_place(const std::vector<std::string>& arguments);

// What deTrEK says of the run's trace; nothing when it was not monitored.
tmon::DetrekResult analysed(const tmon_session::Scenario& scenario, const tmon_session::SessionResult& result);
// Of a run that was not interrupted; `analysis` when it was monitored.
int exit_code_of(const tmon_session::SessionResult& result, const tmon::DetrekResult& analysis);

}  // namespace tmon_cli
