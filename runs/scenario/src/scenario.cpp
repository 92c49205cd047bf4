#include <scenario/program_scenario.hpp>
#include <scenario/scenario.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include <fmt/format.h>

#include <scenario/bug_list_file.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/strict_yaml.hpp>
#include <vocabulary/is_file.hpp>
#include <vocabulary/source_position.hpp>

#include <scenario/fault_plan_check.hpp>
#include <scenario/scenario_parts.hpp>
#include <topologies/cost_settings.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace scenario {

namespace {

std::string hash_of(std::string_view content) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx",
                  static_cast<unsigned long long>(XXH3_64bits(content.data(), content.size())));
    return digits;
}

}  // namespace

std::string content_hash(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return hash_of(text.str());
}

namespace {

using topologies::YamlValue;
using vocabulary::InputError;
using vocabulary::SimTime;

constexpr std::uint32_t most_message = topologies::most_message_bytes;

topologies::LinkLevel link_level(const std::string& word) {
    return word == "byte" ? topologies::LinkLevel::Byte : topologies::LinkLevel::Message;
}

topologies::CostTable default_costs(Scenario& scenario) {
    scenario.inputs.push_back({"costs", topologies::t800_costs_name, hash_of(topologies::t800_costs())});
    return topologies::CostTable::t800();
}

void default_end(Scenario& scenario) {
    scenario.quiet = SimTime::ms(100);
    scenario.patience = SimTime::s(60);
    scenario.limit = SimTime::s(10'000);
}

class Reader {
public:
    Reader(Scenario& scenario, const std::string& path, const std::string& faults)
        : scenario_(scenario), folder_(std::filesystem::path(path).parent_path()), faults_(faults) {}

    void read(const YamlValue& root) {
        const YamlValue version = root.at("version");  // before the keys: another version may have others
        if (version.text() != "1")
            version.fail("this program reads version 1 of the scenario file, not '" + version.text() + "'; write 'version: 1'");
        root.only_keys({"version", "name", "machine", "costs", "seed", "links", "farm", "application", "monitor", "faults",
                        "reconfigure", "end"});
        scenario_.name = root.at("name").text();
        const FileReader reader = [this](const std::string& role, const YamlValue& value) { return file(role, value); };
        const YamlValue application = root.at("application");
        const bool program = application.is_map() && application.find("farm");  // may bring machine and farm
        if (program) read_application(scenario_, application, reader);
        machine(root);
        const auto costs = root.find("costs");
        scenario_.costs = costs ? topologies::CostTable::read(file("costs", *costs)) : default_costs(scenario_);
        if (const auto seed = root.find("seed")) scenario_.seed = static_cast<std::uint64_t>(seed->integer(0, INT64_MAX));
        if (const auto links = root.find("links")) scenario_.links = link_level(links->one_of({"message", "byte"}));
        if (const auto plan = root.find("faults"); plan && faults_.empty()) faults(file("faults", *plan));
        if (!faults_.empty()) {
            scenario_.faults = topologies::read_fault_plan(faults_, scenario_.machine);  // says so when it cannot be read
            scenario_.inputs.push_back({"faults", faults_, content_hash(faults_)});
        }
        if (scenario_.farm_program && !root.find("farm")) {
            apply_program_farm(scenario_);
        } else {
            read_farm(scenario_, root.at("farm"), reader);
        }
        if (!program) read_application(scenario_, application, reader);
        if (const auto monitor = root.find("monitor")) read_monitor(scenario_, *monitor, reader);
        if (const auto reconfigure = root.find("reconfigure")) reconfigurations(*reconfigure);
        end(root.find("end"));
    }

private:
    std::string file(const std::string& role, const YamlValue& value) {
        const std::string path = (folder_ / value.text()).lexically_normal().string();
        if (!vocabulary::is_file(path)) value.fail("there is no file '" + path + "'; paths are relative to the scenario file");
        scenario_.inputs.push_back({role, path, content_hash(path)});
        return path;
    }

    // The specification of a farm program brings a machine of its own.
    void machine(const YamlValue& root) {
        if (scenario_.farm_program && !root.find("machine")) return apply_program_machine(scenario_);
        scenario_.machine = topologies::read_machine(file("machine", root.at("machine")));
        topologies::check_bootable(scenario_.machine, root.at("machine").where());
    }

    void faults(const std::string& path) { scenario_.faults = topologies::read_fault_plan(path, scenario_.machine); }

    void reconfigurations(const YamlValue& value) {
        if (scenario_.machine.switches.empty())
            value.fail("the machine has no switch that the host could program; take one with switches, or remove this key");
        topologies::MachineDescription now = scenario_.machine;
        for (const YamlValue& item : value.items()) {
            item.only_keys({"at", "connect", "to"});
            const auto connect = item.find("connect"), to = item.find("to");
            if (static_cast<bool>(connect) == static_cast<bool>(to)) {
                item.fail("a reconfiguration is either 'connect: {x0: [0 - 3]}' or 'to: MACHINE.yaml'; give one of the two");
            }
            topologies::Reconfiguration order{.at = item.at("at").time(), .settings = {}};
            if (!scenario_.reconfigurations.empty() && order.at < scenario_.reconfigurations.back().at)
                item.at("at").fail("this one comes before the one above; put them in order of time");
            const topologies::MachineDescription next =
                connect ? topologies::with_connections(now, *connect) : machine_with_same_wires(*to);
            for (std::size_t i = 0; i < next.switches.size(); ++i) {
                if (next.switches[i].connections == now.switches[i].connections && to) continue;
                if (connect && !connect->find(next.switches[i].name)) continue;
                order.settings.push_back(
                    {vocabulary::SwitchId(static_cast<vocabulary::SwitchId::value_type>(i)), next.switches[i].connections});
            }
            scenario_.reconfigurations.push_back(std::move(order));
            now = next;
        }
    }

    // Reads a machine that may differ from the scenario's only in its connections.
    topologies::MachineDescription machine_with_same_wires(const YamlValue& value) {
        topologies::MachineDescription other = topologies::read_machine(file("machine", value));
        const topologies::MachineDescription& own = scenario_.machine;
        const auto fail = [&](const std::string& what) {
            value.fail("'" + other.name + "' has other " + what + " than '" + own.name +
                       "'; a reconfiguration changes the connections of switches and nothing else");
        };
        if (other.nodes != own.nodes) fail("nodes");
        if (other.link_bits_per_second != own.link_bits_per_second) fail("link speed");
        const auto same_name = [](const auto& a, const auto& b) { return a.name == b.name; };
        if (!std::equal(own.switches.begin(), own.switches.end(), other.switches.begin(), other.switches.end(), same_name))
            fail("switches");
        if (!std::is_permutation(own.wires.begin(), own.wires.end(), other.wires.begin(), other.wires.end())) fail("wires");
        return other;
    }

    void end(const std::optional<YamlValue>& value) {
        default_end(scenario_);
        if (!value) return;
        value->only_keys({"quiet", "patience", "limit"});
        if (const auto quiet = value->find("quiet")) scenario_.quiet = quiet->time();
        if (const auto patience = value->find("patience")) scenario_.patience = patience->time();
        if (const auto limit = value->find("limit")) scenario_.limit = limit->time();
    }

    Scenario& scenario_;
    std::filesystem::path folder_;
    std::string faults_;
};

std::uint64_t whole_number(const Setting& setting, std::uint64_t least, std::uint64_t most) {
    std::uint64_t value = 0;
    const std::string& text = setting.second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
        throw InputError({"--set " + setting.first + "=" + text, 0, 0}, "expected a whole number from " +
                                                                            std::to_string(least) + " to " +
                                                                            std::to_string(most) + " and got '" + text + "'");
    }
    return value;
}

}  // namespace

void apply_setting(Scenario& scenario, const Setting& setting) {
    const vocabulary::SourcePosition where{"--set " + setting.first + "=" + setting.second, 0, 0};
    std::vector<std::pair<std::string, std::function<void()>>> own = {
        {"seed", [&] { scenario.seed = whole_number(setting, 0, INT64_MAX); }},
        {"links",
         [&] {
             if (setting.second != "message" && setting.second != "byte")
                 throw InputError(where, "expected 'message' or 'byte' and got '" + setting.second + "'");
             scenario.links = link_level(setting.second);
         }},
        {"farm.nodes",
         [&] {
             if (scenario.farm.tree == trek_kernel::TreeKind::Given)
                 throw InputError(where, "the farm's tree is given node by node; change farm.tree in the scenario file");
             scenario.farm.nodes = static_cast<std::uint32_t>(whole_number(setting, 2, scenario.machine.nodes.size()));
         }},
        {"farm.tasks", [&] { scenario.farm.tasks = static_cast<std::uint32_t>(whole_number(setting, 0, most_tasks)); }},
        {"farm.degree", [&] { scenario.farm.degree = static_cast<std::uint32_t>(whole_number(setting, 1, 16)); }},
        {"farm.depth", [&] { scenario.farm.depth = static_cast<std::uint32_t>(whole_number(setting, 0, 7)); }},
        {"farm.buffers", [&] { scenario.farm.buffers = static_cast<std::uint32_t>(whole_number(setting, 1, 1000)); }},
        {"farm.granularity",
         [&] { scenario.farm.granularity = static_cast<std::uint32_t>(whole_number(setting, 1, most_granularity)); }},
        {"farm.policy", [&] { scenario.farm.policy = policy_of(setting.second, where); }},
        {"farm.survives",
         [&] {
             if (setting.second != "yes" && setting.second != "no" && setting.second != "1" && setting.second != "0")
                 throw InputError(where, "expected 'yes' or 'no' and got '" + setting.second + "'");
             scenario.farm.survives = setting.second == "yes" || setting.second == "1";
         }},
        {"application.task_bytes", [&] { scenario.sizes.task_bytes = whole_number(setting, 4, most_message); }},
        {"application.grain", [&] { set_grain(scenario, setting.second, where); }},
        {"application.result_bytes", [&] { scenario.sizes.result_bytes = whole_number(setting, 4, most_message); }},
        {"end.quiet", [&] { scenario.quiet = topologies::parse_time(setting.second, where); }},
        {"end.patience", [&] { scenario.patience = topologies::parse_time(setting.second, where); }},
        {"end.limit", [&] { scenario.limit = topologies::parse_time(setting.second, where); }},
    };
    for (auto& one : monitor_settings(scenario, setting)) own.push_back(std::move(one));
    std::vector<std::string> names;
    for (const auto& [name, action] : own) {
        if (name == setting.first) {
            action();
            return;
        }
        names.push_back(name);
    }
    topologies::set_cost(scenario.costs, setting, names);
}

namespace {

// Refuses settings that are allowed one by one, but not together or with this cost table.
void check(const Scenario& scenario) {
    const vocabulary::SourcePosition where{scenario.path, 0, 0};
    topologies::check_costs(scenario.costs, where);
    check_bugs(scenario.bugs, scenario.farm, !scenario.best_tree);
    if (scenario.faults) check_fault_plan(*scenario.faults, scenario.farm, !scenario.best_tree);
}

// The steps after the file: settings, seed, checks.
void finish(Scenario& scenario, const std::vector<Setting>& settings, std::optional<std::uint64_t> seed,
            const std::string& bugs) {
    if (!bugs.empty()) {
        scenario.bugs_file = bugs;
        scenario.inputs.push_back({"bugs", bugs, content_hash(bugs)});
    }
    if (!scenario.bugs_file.empty()) scenario.bugs = read_bug_list(scenario.bugs_file);
    for (const Setting& setting : settings) apply_setting(scenario, setting);
    check_monitor_settings(scenario, settings);
    if (seed) scenario.seed = *seed;
    check(scenario);
}

}  // namespace

Scenario program_scenario(farm_programs::Specification spec, const std::vector<Setting>& settings,
                          std::optional<std::uint64_t> seed, const std::string& faults, const std::string& bugs) {
    Scenario scenario;
    scenario.path = spec.path;
    scenario.name = spec.name;
    take_program(scenario, std::move(spec));
    apply_program_machine(scenario);
    scenario.costs = default_costs(scenario);
    apply_program_farm(scenario);
    if (!faults.empty()) {
        scenario.faults = topologies::read_fault_plan(faults, scenario.machine);
        scenario.inputs.push_back({"faults", faults, content_hash(faults)});
    }
    default_end(scenario);
    finish(scenario, settings, seed, bugs);
    return scenario;
}

Scenario read_scenario(const std::string& path, const std::vector<Setting>& settings, std::optional<std::uint64_t> seed,
                       const std::string& faults, const std::string& bugs) {
    if (std::filesystem::path(path).extension() == ".farm")
        return program_scenario(farm_programs::read_specification(path), settings, seed, faults, bugs);
    Scenario scenario;
    scenario.path = path;
    scenario.bugs_file = bugs;
    const YamlValue root = YamlValue::read_file(path);
    scenario.inputs.push_back({"scenario", path, content_hash(path)});
    Reader(scenario, path, faults).read(root);
    finish(scenario, settings, seed, bugs);
    return scenario;
}

}  // namespace scenario
