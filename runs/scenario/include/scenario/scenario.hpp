// A scenario: one run as a file (docs/formats/scenario_file.md): machine, costs, seed, farm, monitor. Strict YAML; paths are
// relative to the file. `--set` changes single values of it or of the cost table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <farm_programs/machine_code.hpp>
#include <farm_programs/specification.hpp>
#include <farm_spec/farm_spec.hpp>
#include <halo_kernel/halo_settings.hpp>
#include <instrumentation/monitor_settings.hpp>
#include <scenario/settings.hpp>
#include <topologies/cost_table.hpp>
#include <topologies/fault_plan.hpp>
#include <topologies/link_level.hpp>
#include <topologies/machine_description.hpp>
#include <topologies/rewiring.hpp>
#include <topologies/switch_setting.hpp>
#include <trek_kernel/simulated_application.hpp>
#include <user_programs/program_costs.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace scenario {

struct InputFile {
    std::string role, path, hash;  // hash: XXH3 of the content, 16 hexadecimal digits
};
std::string content_hash(const std::string& path);

// Settings of a farm program in C or C++.
struct ProgramSettings {
    user_programs::CostSource costs = user_programs::CostSource::Explicit;
    user_programs::TaskTimes times;  // for CostSource::Fixed
    std::string input;               // the program's input
};

// An MPI program in place of a farm (docs/guide/mpi.md).
struct MpiSettings {
    std::string program;  // a module that `magicwire mpicc` has built
    std::uint32_t ranks = 0;
    std::vector<std::string> arguments;
    std::string map = "node";                // or "slot" (lam_mpi/places.hpp)
    std::vector<vocabulary::NodeId> places;  // of each rank; known when all settings are
};

struct Scenario {
    std::string name, path;
    topologies::MachineDescription machine;
    topologies::CostTable costs;
    std::uint64_t seed = 1;
    topologies::LinkLevel links = topologies::LinkLevel::Message;
    farm_spec::FarmSpec farm;
    // Instead of a farm and its application. `farm` then has its tree, and as tasks its exchanges.
    std::optional<halo_kernel::HaloSettings> halo;
    // Instead of both. `farm` then has the nodes with ranks, and as tasks the ranks; its tree means nothing.
    std::optional<MpiSettings> mpi;
    bool best_tree = false;   // farm.parents is not chosen yet (resolve_tree.hpp); farm.nodes is the limit
    std::string tree_choice;  // reasons for the best tree; empty: the tree was given
    std::string program;      // a farm program built with Magicwire; empty: another application
    ProgramSettings program_settings;
    std::optional<farm_programs::Specification> farm_program;  // a user's farm program
    std::optional<farm_programs::MachineCode> compute;         // T800 code that runs instead of the program's compute_fn
    trek_kernel::TaskTable tasks;                              // the simulated application
    trek_kernel::SimulatedSizes sizes;
    std::string bugs_file;                                      // empty: none
    std::vector<trek_kernel::PlannedBug> bugs;                  // of that file (bug_list_file.hpp)
    std::optional<instrumentation::MonitorSettings> monitor;    // empty: not monitored
    std::vector<topologies::Reconfiguration> reconfigurations;  // in the order of the file
    std::optional<topologies::FaultPlan> faults;
    vocabulary::SimTime quiet;     // time without a step of the farm, and no node computing, after which it stands still
    vocabulary::SimTime patience;  // the same while some node computes
    vocabulary::SimTime limit;     // of modelled time
    std::string files;             // folder whose files the programs of `run` and `shell` may use; empty: none
    std::vector<InputFile> inputs;
    // A scenario of phases (docs/decisions/0040-phases.md): each a scenario with a farm, on the same machine with other switch
    // settings. The scenario itself then has no farm. Empty: an ordinary scenario.
    std::vector<Scenario> phases;
    // A phase's network, as words of the file and as the change that the host makes before it. The first phase's machine boots
    // with it.
    std::string network_name;
    topologies::Rewiring network;
};

// Additions of a command line to a scenario. They are applied while the scenario is made; after that it does not change.
struct Additions {
    std::vector<Setting> settings;      // of --set, in order
    std::optional<std::uint64_t> seed;  // after all settings
    std::string faults, bugs;           // paths that replace the scenario's plan and bug list; empty: no replacement
    std::string input;                  // file that replaces the program's input; -: standard input; empty: no replacement
    std::optional<instrumentation::UnloadSequence> unload;  // a monitor with this sequence, otherwise by default
    bool phases = false;                                    // a scenario of phases is taken; otherwise it is refused
};

// Throws vocabulary::InputError with file, line and column for every mistake. A path that ends with .farm is a scenario by
// itself (program_scenario.hpp).
Scenario read_scenario(const std::string& path, const Additions& additions);
Scenario read_scenario(const std::string& path, const std::vector<Setting>& settings, std::optional<std::uint64_t> seed,
                       const std::string& faults = {}, const std::string& bugs = {});

// A machine alone, without a farm: `farm.nodes` is 0. For `magicwire shell`; no session of a farm can run it.
bool is_machine_file(const std::string& path);  // throws vocabulary::InputError when it cannot be read
Scenario machine_scenario(const std::string& path, const Additions& additions);

// Content for --input. Throws vocabulary::InputError.
std::string read_input(const std::string& path);

}  // namespace scenario
