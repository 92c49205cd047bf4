// Options and parts that all commands for a stored study share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <sweeps/study_tables.hpp>

namespace cli {

// AXIS=VALUE texts of --where. Throws vocabulary::InputError for a text without '='.
std::vector<std::pair<std::string, std::string>> wheres_of(const std::vector<std::string>& texts);
void add_where(CLI::App& command, std::vector<std::string>& texts);
// A,B or A,B,C at the commas. Throws CLI::ValidationError, which shows the example, for fewer or more.
std::vector<std::string> names_of(const char* option, const std::string& text, std::size_t least, std::size_t most,
                                  const std::string& expected);

void add_study_plot(CLI::App& study, int& result);
void add_study_page(CLI::App& study, int& result);

}  // namespace cli
