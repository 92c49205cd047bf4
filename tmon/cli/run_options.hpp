// Options shared by several commands that simulate.
#pragma once

#include <string>
#include <vector>

#include <tmon/detrek.hpp>
#include <tmon_session/outputs.hpp>
#include <tmon_session/scenario.hpp>
#include <tmon_session/session.hpp>

namespace tmon_cli {

std::string quoted(const std::string& word);  // quoted so that a shell takes it for one word
// Settings from --set NAME=VALUE. Throws vocabulary::InputError for anything else.
std::vector<tmon_session::Setting> settings_of(const std::vector<std::string>& set);
tmon_session::Totals totals_of(const std::string& word);
// The arguments without those that say where the files go or what is displayed: the same run gives the same bytes.
std::vector<std::string> without_place(const std::vector<std::string>& arguments);

// deTrEK's analysis of the run's trace; empty when the run was not monitored.
tmon::DetrekResult analysed(const tmon_session::Scenario& scenario, const tmon_session::SessionResult& result);
// Exit code of a run that was not interrupted; `analysis` counts when it was monitored.
int exit_code_of(const tmon_session::SessionResult& result, const tmon::DetrekResult& analysis);

}  // namespace tmon_cli
