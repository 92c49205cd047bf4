#include <scenario/scenario.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <scenario/bug_list_file.hpp>
#include <scenario/fault_plan_check.hpp>
#include <scenario/program_scenario.hpp>
#include <topologies/bnail_file.hpp>
#include <topologies/cost_settings.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/strict_yaml.hpp>
#include <vocabulary/source_position.hpp>

#include "given.hpp"
#include "scenario_parts.hpp"
#include "setting_rows.hpp"

namespace scenario {
namespace {

using topologies::YamlValue;
using vocabulary::SimTime;

// Files of the command line, which replace those of the scenario.
struct Files {
    std::string faults, bugs;
};

class Reader {
public:
    Reader(Scenario& scenario, const Sources& sources, const Files& files)
        : scenario_(scenario), sources_(sources), files_(files) {}

    // A scenario file.
    void read_file() {
        const YamlValue root = *sources_.section("");
        const YamlValue version = root.at("version");  // before the keys: another version may have others
        if (version.text() != "1")
            version.fail("this program reads version 1 of the scenario file, not '" + version.text() + "'; write 'version: 1'");
        std::vector<std::string> keys = keys_of("");
        keys.insert(keys.begin(), "version");
        root.only_keys(keys);
        scenario_.name = sources_.at("name").text();
        if (const auto phases = sources_.find("phases")) return read_phases(*phases);
        if (has_halo(sources_)) return read_with_halo();
        if (has_mpi(sources_)) return read_with_mpi();
        const auto application = sources_.section("application");
        // A farm program may bring machine and farm.
        const bool program = (!application || application->is_map()) && sources_.find("application.farm").has_value();
        if (program) read_application(scenario_, sources_);
        machine();
        costs();
        plan();
        farm();
        if (!program) read_application(scenario_, sources_);
        monitor();
        rest();
    }

    // The specification of a farm program alone, already taken.
    void read_program() {
        read_application(scenario_, sources_);
        if (const auto name = sources_.find("name")) scenario_.name = name->text();
        machine();
        costs();
        farm();
        plan();
        rest();
    }

private:
    // Each is read as a scenario of its own, whose machine has the settings of the phase before it.
    void read_phases(const Given& given) {
        check_beside_phases(sources_, given, !files_.faults.empty() || !files_.bugs.empty());
        machine();
        costs();
        rest();
        for (const YamlValue& item : given.value().items()) {
            Scenario phase = scenario_;
            phase.phases.clear();
            if (!scenario_.phases.empty()) phase.machine = scenario_.phases.back().machine;
            item.only_keys({"name", "network", "farm", "application", "monitor"});
            const Sources own = sources_.of_phase(item);
            phase.name = scenario_.name + "." + item.at("name").text();
            read_network(phase, given, item);
            read_application(phase, own);
            Reader(phase, own, files_).farm();
            Reader(phase, own, files_).monitor();
            if (phase.best_tree) item.fail("a phase needs its tree in words; 'tree: best' is for scenarios of one farm");
            check_reach(phase, scenario_.phases.empty() ? phase.machine : scenario_.phases.front().machine, item);
            scenario_.phases.push_back(std::move(phase));
        }
        if (scenario_.phases.empty()) given.fail("'phases' is empty; give each phase a name, a farm and an application");
        scenario_.machine = scenario_.phases.front().machine;
    }

    void read_with_halo() {
        if (!files_.bugs.empty())
            throw vocabulary::InputError({"--bugs " + files_.bugs, 0, 0},
                                         "is for the functions of a farm, and the scenario runs a halo; write 'halo.bugs'");
        machine();
        costs();
        plan();
        read_halo(scenario_, sources_);
        monitor();
        rest();
    }

    void read_with_mpi() {
        if (!files_.bugs.empty())
            throw vocabulary::InputError({"--bugs " + files_.bugs, 0, 0},
                                         "is for the functions of a farm, and the scenario runs an MPI program; leave it out");
        machine();
        costs();
        plan();
        read_mpi(scenario_, sources_, machine_is_a_shape());
        monitor();
        rest();
    }

    bool machine_is_a_shape() const {
        const Given given = sources_.at("machine");
        return given.text().find(':') != std::string::npos && !given.names_a_file();
    }

    void monitor() {
        if (const auto monitor = sources_.section("monitor"); monitor && !monitor->is_scalar())
            read_monitor(scenario_, sources_);
    }

    // The specification of a farm program brings a machine of its own.
    void machine() {
        if (scenario_.farm_program && !sources_.find("machine")) return apply_program_machine(scenario_);
        const Given given = sources_.at("machine");
        if (machine_is_a_shape()) {
            scenario_.machine = machine_of_shape(given.text(), given.where());
            scenario_.inputs.push_back({"machine", given.text(), text_hash(given.text())});
        } else {
            scenario_.machine = topologies::read_machine(given.file(scenario_, "machine"));
        }
        topologies::check_bootable(scenario_.machine, given.where());
    }

    void costs() {
        if (const auto given = sources_.find("costs")) {
            scenario_.costs = topologies::CostTable::read(given->file(scenario_, "costs"));
            return;
        }
        scenario_.inputs.push_back({"costs", topologies::t800_costs_name, text_hash(topologies::t800_costs())});
        scenario_.costs = topologies::CostTable::t800();
    }

    void plan() {
        if (!files_.faults.empty()) {
            scenario_.faults = topologies::read_fault_plan(files_.faults, scenario_.machine);  // says so when it cannot be read
            scenario_.inputs.push_back({"faults", files_.faults, content_hash(files_.faults)});
        } else if (const auto given = sources_.find("faults")) {
            scenario_.faults = topologies::read_fault_plan(given->file(scenario_, "faults"), scenario_.machine);
        }
    }

    void farm() {
        const bool own = sources_.section("farm") || sources_.find("farm.spec");
        if (scenario_.farm_program && !own) return apply_program_farm(scenario_);
        read_farm(scenario_, sources_);
    }

    void rest() {
        if (const auto orders = sources_.find("reconfigure")) read_reconfigurations(scenario_, *orders);
        if (const auto end = sources_.section("end")) end->only_keys(keys_of("end"));
        put_defaults(scenario_, "end");
        sources_.put_section(scenario_, "end");
        sources_.put_section(scenario_, "");
    }

    Scenario& scenario_;
    const Sources& sources_;
    const Files& files_;
};

// Refuses settings that are allowed one by one, but not together or with this cost table.
void check(const Scenario& scenario) {
    const vocabulary::SourcePosition where{scenario.path, 0, 0};
    topologies::check_costs(scenario.costs, where);
    check_bugs(scenario.bugs, scenario.farm, !scenario.best_tree);
    if (scenario.faults) check_fault_plan(*scenario.faults, scenario.farm, !scenario.best_tree);
}

// The program's input of the command line.
void take_input(Scenario& scenario, const std::string& path) {
    if (scenario.program.empty() && !scenario.farm_program && !scenario.mpi)
        throw vocabulary::InputError({"--input " + path, 0, 0},
                                     "the application of " + scenario.path + " is no program and reads no input; leave it out");
    scenario.program_settings.input = read_input(path);
}

void finish(Scenario& scenario, const Additions& additions, const std::string& bugs);

// Settings of a command line go to every phase.
void finish_phases(Scenario& scenario, const Additions& additions) {
    if (!additions.phases) {
        throw vocabulary::InputError({scenario.path, 0, 0},
                                     "has phases, several farms one after the other, which only 'magicwire run' can do; give a "
                                     "scenario of one farm");
    }
    if (!additions.input.empty())
        throw vocabulary::InputError({"--input " + additions.input, 0, 0},
                                     "the scenario has phases, each with a farm of its own; name the input in the file");
    for (Scenario& phase : scenario.phases) finish(phase, additions, {});
    const Scenario& first = scenario.phases.front();
    scenario.costs = first.costs;
    scenario.seed = first.seed;
    scenario.links = first.links;
    scenario.limit = first.limit;
}

// The steps after the file: settings, seed, checks, and what only a command line gives.
void finish(Scenario& scenario, const Additions& additions, const std::string& bugs) {
    if (!scenario.phases.empty()) return finish_phases(scenario, additions);
    if (!bugs.empty()) scenario.inputs.push_back({"bugs", bugs, content_hash(bugs)});
    if (!scenario.bugs_file.empty()) add_bugs(scenario, read_bug_list(scenario.bugs_file));
    for (const Setting& setting : additions.settings) apply_setting(scenario, setting);
    if (scenario.halo) finish_halo(scenario);
    if (scenario.mpi) finish_mpi(scenario);
    check_monitor_settings(scenario, additions.settings);
    if (additions.seed) scenario.seed = *additions.seed;
    check(scenario);
    if (!additions.input.empty()) take_input(scenario, additions.input);
    if (additions.unload) scenario.monitor.emplace().unload = additions.unload;
}

// --set faults=FILE is --faults FILE, and likewise for bugs; the options come first.
Files files_of(const Additions& additions) {
    Files files{additions.faults, additions.bugs};
    const auto last = [&](std::string& file, const char* name) {
        for (const auto& [set, value] : additions.settings) {
            if (find_setting(set) == find_setting(name)) file = value;
        }
    };
    if (files.faults.empty()) last(files.faults, "faults");
    if (files.bugs.empty()) last(files.bugs, "bugs");
    return files;
}

}  // namespace

std::string read_input(const std::string& path) {
    std::ifstream file(path == "-" ? "/dev/stdin" : path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) throw vocabulary::InputError({"--input " + path, 0, 0}, "cannot be read; name a file, or - for standard input");
    return text.str();
}

Scenario program_scenario(farm_programs::Specification spec, const Additions& additions) {
    const Files files = files_of(additions);
    Scenario scenario;
    scenario.path = spec.path;
    scenario.name = spec.name;
    scenario.bugs_file = files.bugs;
    take_program(scenario, std::move(spec));
    Reader(scenario, Sources({}, {}, additions.settings), files).read_program();
    finish(scenario, additions, files.bugs);
    return scenario;
}

bool is_machine_file(const std::string& path) {
    if (topologies::is_bnail_name(path)) return true;
    return std::filesystem::path(path).extension() != ".farm" && YamlValue::read_file(path).find("nodes").has_value();
}

Scenario machine_scenario(const std::string& path, const Additions& additions) {
    const Files files = files_of(additions);
    Scenario scenario;
    scenario.path = path;
    scenario.machine = topologies::read_machine(path);
    topologies::check_bootable(scenario.machine, {path, 0, 0});
    scenario.name = scenario.machine.name;
    scenario.costs = topologies::CostTable::t800();
    scenario.inputs.push_back({"machine", path, content_hash(path)});
    if (!files.faults.empty()) scenario.faults = topologies::read_fault_plan(files.faults, scenario.machine);
    put_defaults(scenario, "end");
    finish(scenario, additions, {});
    return scenario;
}

Scenario read_scenario(const std::string& path, const Additions& additions) {
    const std::filesystem::path file(path);
    if (file.extension() == ".farm") return program_scenario(farm_programs::read_specification(path), additions);
    const Files files = files_of(additions);
    Scenario scenario;
    scenario.path = path;
    scenario.bugs_file = files.bugs;
    const Sources sources(YamlValue::read_file(path), file.parent_path(), additions.settings);
    scenario.inputs.push_back({"scenario", path, content_hash(path)});
    Reader(scenario, sources, files).read_file();
    finish(scenario, additions, files.bugs);
    return scenario;
}

Scenario read_scenario(const std::string& path, const std::vector<Setting>& settings, std::optional<std::uint64_t> seed,
                       const std::string& faults, const std::string& bugs) {
    return read_scenario(
        path, {.settings = settings, .seed = seed, .faults = faults, .bugs = bugs, .input = {}, .unload = {}, .phases = false});
}

namespace {

const TimeSpan any_time{SimTime(), SimTime::never(), {}};

}  // namespace

std::vector<SettingRow> run_rows() {
    const std::string built = "the machine was built before the run began";
    return {
        {"name", "", Form{"a text"}, "", "", "the files of the run carry it", "name of the scenario in every output", nullptr},
        {"machine", "", Form{"a machine file, or a shape as ring:16"}, "", "", built,
         "the machine (docs/formats/machine_file.md)", nullptr},
        {"costs", "", Form{"a cost table"}, "", "", "the machine and its kernels were built with it",
         "the cost table; the table of the T800 when left out (docs/formats/cost_table.md)", nullptr},
        {"seed", "", WholeNumber{0, INT64_MAX}, "1", "", "",
         "seed of clock offsets, clock drifts and the chances of planted bugs",
         [](Scenario& s, const Given& given) { s.seed = static_cast<std::uint64_t>(given.whole()); }},
        {"links", "", OneOf{{"message", "byte"}}, "message", "", "the machine's links were built at one level of detail",
         "level of detail: each message, or each packet on the wire, which is much slower (docs/model/timing_model.md)",
         [](Scenario& s, const Given& given) { s.links = static_cast<topologies::LinkLevel>(given.word()); }},
        {"fault", "", Form{"an entry of a fault plan, as die n5 at 12ms, or a list of them"}, "", "", "",
         "one more fault; without a moment it strikes at once", put_fault},
        {"faults", "", Form{"a fault plan"}, "", "", "",
         "faults of the machine; in mid-run they are added (docs/formats/fault_file.md)", nullptr},
        {"reconfigure", "", Form{"a list of orders"}, "", "", "the host has been given its orders for the switches",
         "orders by which the host re-programs switches in mid-run", nullptr},
        {"phases", "", Form{"a list of phases"}, "", "", "the phases were read before the run began",
         "several farms one after the other, each on a network of its own (docs/decisions/0040-phases.md)", nullptr},
        {"files", "application.files", Form{"a folder"}, "", "", "the host's file server has opened it",
         "folder whose files programs may read and write in `run` and `shell` (docs/guide/files.md)",
         [](Scenario& s, const Given& given) { s.files = given.folder(); }},
        {"end.quiet", "", any_time, "100ms", "", "",
         "time without a step of the farm and without computation, after which it counts as standing still",
         [](Scenario& s, const Given& given) { s.quiet = given.time(); }},
        {"end.patience", "", any_time, "60s", "", "", "the same while some node computes",
         [](Scenario& s, const Given& given) { s.patience = given.time(); }},
        {"end.limit", "", any_time, "10000s", "", "", "modelled time at which the run ends",
         [](Scenario& s, const Given& given) { s.limit = given.time(); }},
    };
}

}  // namespace scenario
