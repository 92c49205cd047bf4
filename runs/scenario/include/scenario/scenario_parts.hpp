// The sections of a scenario file that have readers of their own.
#pragma once

#include <functional>
#include <string>

#include <scenario/scenario.hpp>
#include <scenario/spec_conversion.hpp>
#include <topologies/strict_yaml.hpp>

namespace scenario {

inline constexpr std::uint32_t most_tasks = 1U << 28, most_granularity = 1000;

// Finds the file that a value names, notes it among the scenario's inputs, and returns its path; fails when there is none.
using FileReader = std::function<std::string(const std::string& role, const topologies::YamlValue& value)>;

void read_monitor(Scenario& scenario, const topologies::YamlValue& value, const FileReader& file);
// The settings of --set monitor..., by name; each sets `setting`'s value, or throws vocabulary::InputError.
std::vector<std::pair<std::string, std::function<void()>>> monitor_settings(Scenario& scenario, const Setting& setting);
// Call when all are applied: throws vocabulary::InputError for a setting that the resulting monitor has no use for.
void check_monitor_settings(const Scenario& scenario, const std::vector<Setting>& settings);
// Sets one value of the scenario or of its cost table, as --set does. Throws vocabulary::InputError.
void apply_setting(Scenario& scenario, const Setting& setting);
void read_farm(Scenario& scenario, const topologies::YamlValue& value, const FileReader& file);
// The keys `costs` and `input` of a farm program.
void read_program_settings(Scenario& scenario, const topologies::YamlValue& value, const FileReader& file);
// application.grain: the modelled time of each task's computation, whatever the task description or the program says. Throws
// vocabulary::InputError.
void set_grain(Scenario& scenario, const std::string& text, const vocabulary::SourcePosition& where);
void read_application(Scenario& scenario, const topologies::YamlValue& value, const FileReader& file);
// Reads {n0: [1], n1: [2, 3]} into tree, nodes and parents of the farm.
void read_given_tree(trek_kernel::FarmConfig& farm, const topologies::YamlValue& value, std::size_t machine_nodes);
// The specification of a farm program that `path` names, with its files among the scenario's inputs.
void take_program(Scenario& scenario, farm_programs::Specification spec);
std::string content_hash(const std::string& path);  // as in InputFile
trek_kernel::Policy policy_of(const std::string& word, const vocabulary::SourcePosition& where);

}  // namespace scenario
