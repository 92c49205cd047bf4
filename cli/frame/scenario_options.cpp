#include "frame/scenario_options.hpp"

#include <fmt/format.h>

#include <prediction/resolve_tree.hpp>
#include <text/shell_words.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/run_options.hpp"

namespace cli {

using scenario::Scenario;

void ScenarioOptions::add_to(CLI::App& command, const char* name, const char* help) {
    command.add_option(name, file, help)->required()->check(file_name("give the scenario file"));
    command
        .add_option_function<std::string>(
            "--seed", [this](const std::string& text) { seed = whole_number("--seed", text); },
            "seed of clock offsets and drifts and of chances of bugs, instead of the scenario's")
        ->type_name("NUMBER");
    command
        .add_option("--set", set,
                    "NAME=VALUE: change a cost ('magicwire costs') or a value of the scenario ('magicwire settings')")
        ->take_all();
    command.add_option("--links", links, "level of detail of links: message (one transfer each) or byte (each packet, slower)")
        ->check(CLI::IsMember({"message", "byte"}));
    command.add_option("--faults", faults, "fault plan, instead of the scenario's ('magicwire faults' lists the verbs)")
        ->type_name("FILE");
    command.add_option("--bugs", bugs, "bug list, instead of the scenario's ('magicwire bugs' explains the kinds)")
        ->type_name("FILE");
    command.add_flag("--json", json, "print JSON");
}

void ScenarioOptions::add_input_to(CLI::App& command) {
    command.add_option("--input", input, "input of the program, instead of the scenario's; -: standard input")
        ->type_name("FILE");
}

void ScenarioOptions::add_files_to(CLI::App& command) {
    command
        .add_option("--files", files,
                    "folder whose files programs may read and write, instead of the scenario's; nothing outside is touched")
        ->type_name("DIR");
}

scenario::Additions ScenarioOptions::additions(const std::vector<scenario::Setting>& more) const {
    std::vector<scenario::Setting> settings = settings_of(set);
    if (!links.empty()) settings.emplace_back("links", links);
    if (!files.empty()) settings.emplace_back("files", files);
    settings.insert(settings.end(), more.begin(), more.end());
    return {.settings = settings, .seed = seed, .faults = faults, .bugs = bugs, .input = input, .unload = {}, .phases = false};
}

void ScenarioOptions::check_kind(const Scenario& scenario) const {
    if (scenario.halo && !takes_halo)
        throw vocabulary::InputError(
            {file, 0, 0}, "runs a halo, and this command is for farms; give a scenario with a 'farm', or use 'magicwire run'");
    if (scenario.mpi && !takes_mpi)
        throw vocabulary::InputError(
            {file, 0, 0},
            "runs an MPI program, and this command is for farms; give a scenario with a 'farm', or use 'magicwire run'");
}

Scenario ScenarioOptions::without_tree(const std::vector<scenario::Setting>& more) const {
    Scenario scenario = scenario::read_scenario(file, additions(more));
    check_kind(scenario);
    return scenario;
}

Scenario ScenarioOptions::read_machine() const {
    return scenario::machine_scenario(file, additions({}));
}

Scenario ScenarioOptions::read(const std::vector<scenario::Setting>& more) const {
    return prediction::with_tree(without_tree(more));
}

Scenario ScenarioOptions::read_run() const {
    scenario::Additions all = additions({});
    all.phases = true;
    Scenario scenario = scenario::read_scenario(file, all);
    return scenario.phases.empty() ? prediction::with_tree(scenario) : scenario;
}

std::string ScenarioOptions::repeat(const char* verb, std::uint64_t seed_used) const {
    std::string line = fmt::format("magicwire {} {} --seed {}", verb, text::shell_word(file), seed_used);
    if (!faults.empty()) line += " --faults " + text::shell_word(faults);
    if (!bugs.empty()) line += " --bugs " + text::shell_word(bugs);
    for (const std::string& text : set) line += " --set " + text::shell_word(text);
    if (!links.empty()) line += " --links " + links;
    if (!files.empty()) line += " --files " + text::shell_word(files);
    return line;
}

}  // namespace cli
