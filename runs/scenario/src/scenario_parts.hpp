// The sections of a scenario file that have readers of their own, and the changes of single values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <scenario/scenario.hpp>
#include <scenario/settings.hpp>
#include <topologies/strict_yaml.hpp>

namespace scenario {

class Sources;

void read_farm(Scenario& scenario, const Sources& sources);
void read_application(Scenario& scenario, const Sources& sources);
bool has_halo(const Sources& sources);
// Instead of farm and application.
void read_halo(Scenario& scenario, const Sources& sources);
// After all settings: its exchanges, and checks of what belongs together. Throws vocabulary::InputError.
void finish_halo(Scenario& scenario);
bool has_mpi(const Sources& sources);
// Instead of farm and application, after the machine. `of_shape`: the machine is no file, and its nodes get a memory that is
// usual for such programs.
void read_mpi(Scenario& scenario, const Sources& sources, bool of_shape);
// After all settings: the places of the ranks.
void finish_mpi(Scenario& scenario);
void read_monitor(Scenario& scenario, const Sources& sources);
// A phase's `network`: sets its machine, from that of the phase before, and what the host changes. Throws
// vocabulary::InputError.
void read_network(Scenario& phase, const Given& given, const topologies::YamlValue& item);
// The farm of a phase must be within the host's reach. Every node within it must be within that of the first phase too, since
// nodes boot at power-up. `first`: the machine of that phase.
void check_reach(const Scenario& phase, const topologies::MachineDescription& first, const topologies::YamlValue& item);
// Refuses what does not go with phases.
void check_beside_phases(const Sources& sources, const Given& phases, bool files);
void read_reconfigurations(Scenario& scenario, const Given& given);
void put_fault(Scenario& scenario, const Given& given);  // the setting `fault`
void put_bug(Scenario& scenario, const Given& given);    // the setting `bug`
// More bugs beside those that the scenario has. Throws vocabulary::InputError for two that contradict each other.
void add_bugs(Scenario& scenario, std::vector<trek_kernel::PlannedBug> bugs);
// Sets one value of the scenario or of its cost table, as --set does. Values that are read with the file cannot change. Throws
// vocabulary::InputError.
void apply_setting(Scenario& scenario, const Setting& setting);
// Puts the table's defaults of a section into the scenario.
void put_defaults(Scenario& scenario, const std::string& section);
// Reads {n0: [1], n1: [2, 3]} into tree, nodes and parents of the farm.
void read_given_tree(farm_spec::FarmSpec& farm, const topologies::YamlValue& value, std::size_t machine_nodes);
// Takes machine and farm from `scenario.farm_program`. Throws vocabulary::InputError when the machine cannot be read or
// booted, or is too small.
void apply_program_machine(Scenario& scenario);
void apply_program_farm(Scenario& scenario);
// "ring:16", as `topology make` takes it, with a node for the host if all links are used; or "ubc:75". Throws
// vocabulary::InputError at `where` for anything else.
topologies::MachineDescription machine_of_shape(const std::string& text, const vocabulary::SourcePosition& where);
// Puts the specification of a farm program into the scenario, and lists its files as inputs.
void take_program(Scenario& scenario, farm_programs::Specification spec);
std::string text_hash(std::string_view content);  // as InputFile::hash
std::string content_of(const std::string& path);
farm_spec::Policy policy_of(const std::string& word, const vocabulary::SourcePosition& where);

}  // namespace scenario
