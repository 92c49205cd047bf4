// Options that several commands that simulate have in common.
#pragma once

#include <string>
#include <vector>

#include <tmon_session/outputs.hpp>
#include <tmon_session/scenario.hpp>

namespace tmon_cli {

std::string quoted(const std::string& word);  // as a shell takes it for one word
// Of --set NAME=VALUE; throws vocabulary::InputError for what is none.
std::vector<tmon_session::Setting> settings_of(const std::vector<std::string>& set);
tmon_session::Totals totals_of(const std::string& word);
// The arguments without those that say where the files go and what is only looked at: the same run gives the same bytes.
std::vector<std::string> without_place(const std::vector<std::string>& arguments);

}  // namespace tmon_cli
