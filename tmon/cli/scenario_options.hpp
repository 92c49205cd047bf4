// Which scenario, and what of it is changed on the command line: the options of every command that runs one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <tmon_session/scenario.hpp>

namespace tmon_cli {

struct ScenarioOptions {
    std::string file, faults, bugs;
    std::vector<std::string> set;
    std::optional<std::uint64_t> seed;
    std::string links;
    bool json = false;
    std::string input;  // a file that takes the place of the program's input stream; -: standard input; empty: none does

    void add_to(CLI::App& command);
    void add_input_to(CLI::App& command);
    // With its tree found, when that was left to the program. `more`: after those of --set. Throws vocabulary::InputError.
    tmon_session::Scenario read(const std::vector<tmon_session::Setting>& more = {}) const;
    // The same, its tree not found yet: says at once what is wrong with a setting.
    tmon_session::Scenario without_tree(const std::vector<tmon_session::Setting>& more = {}) const;
    // The line that does the same again.
    std::string repeat(const char* verb, std::uint64_t seed_used) const;
};

// Of --input. Throws vocabulary::InputError.
std::string read_input(const std::string& path);

}  // namespace tmon_cli
