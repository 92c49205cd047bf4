// Scenario options of every command that runs one: the file and its changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <scenario/scenario.hpp>

namespace cli {

struct ScenarioOptions {
    std::string file, faults, bugs;
    std::vector<std::string> set;
    std::optional<std::uint64_t> seed;
    std::string links;
    bool json = false;
    std::string files;        // folder of the host whose files programs may use; empty: the scenario's
    bool takes_halo = false;  // the command takes a scenario with a halo, too
    bool takes_mpi = false;   // likewise with an MPI program
    std::string input;        // file that replaces the program's input; -: standard input; empty: no replacement

    void add_to(CLI::App& command, const char* name = "SCENARIO", const char* help = "scenario file (YAML)");
    void add_input_to(CLI::App& command);
    void add_files_to(CLI::App& command);
    // The scenario, with the best tree chosen if it asks for that. `more`: settings after those of --set. Throws
    // vocabulary::InputError.
    scenario::Scenario read(const std::vector<scenario::Setting>& more = {}) const;
    // The same before the tree is chosen: reports a wrong setting at once.
    scenario::Scenario without_tree(const std::vector<scenario::Setting>& more = {}) const;
    scenario::Scenario read_run() const;      // for `run`: as read(), and also a scenario of phases
    scenario::Scenario read_machine() const;  // of a machine file: scenario::machine_scenario()
    // The command line that repeats the work.
    std::string repeat(const char* verb, std::uint64_t seed_used) const;

private:
    scenario::Additions additions(const std::vector<scenario::Setting>& more) const;
    void check_kind(const scenario::Scenario& scenario) const;
};

}  // namespace cli
