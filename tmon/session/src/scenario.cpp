#include <tmon_session/scenario.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include <fmt/format.h>

#include <tmon/thesis_files.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/strict_yaml.hpp>
#include <trek_kernel/tree.hpp>
#include <vocabulary/source_position.hpp>

#include "cost_settings.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tmon_session {
namespace {

using topologies::YamlValue;
using vocabulary::InputError;
using vocabulary::SimTime;

constexpr std::uint32_t most_tasks = 1U << 28, most_message = most_message_bytes;

std::string content_hash(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    const std::string content = text.str();
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx",
                  static_cast<unsigned long long>(XXH3_64bits(content.data(), content.size())));
    return digits;
}

hw_model::LinkLevel link_level(const std::string& word) {
    return word == "byte" ? hw_model::LinkLevel::Byte : hw_model::LinkLevel::Message;
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
        const std::string machine = file("machine", root.at("machine"));
        scenario_.machine = topologies::read_machine(machine);
        topologies::check_bootable(scenario_.machine, root.at("machine").where());
        const auto costs = root.find("costs");
        scenario_.costs = topologies::CostTable::read(costs ? file("costs", *costs) : default_costs());
        if (const auto seed = root.find("seed")) scenario_.seed = static_cast<std::uint64_t>(seed->integer(0, INT64_MAX));
        if (const auto links = root.find("links")) scenario_.links = link_level(links->one_of({"message", "byte"}));
        if (const auto plan = root.find("faults"); plan && faults_.empty()) faults(file("faults", *plan));
        if (!faults_.empty()) {
            scenario_.faults = topologies::read_fault_plan(faults_, scenario_.machine);  // says so when it cannot be read
            scenario_.inputs.push_back({"faults", faults_, content_hash(faults_)});
        }
        farm(root.at("farm"));
        application(root.at("application"));
        if (const auto monitor = root.find("monitor")) this->monitor(*monitor);
        if (const auto reconfigure = root.find("reconfigure")) reconfigurations(*reconfigure);
        end(root.find("end"));
    }

private:
    std::string file(const std::string& role, const YamlValue& value) {
        const std::string path = (folder_ / value.text()).lexically_normal().string();
        if (!std::filesystem::is_regular_file(path))
            value.fail("there is no file '" + path + "'; paths are relative to the scenario file");
        scenario_.inputs.push_back({role, path, content_hash(path)});
        return path;
    }

    void faults(const std::string& path) { scenario_.faults = topologies::read_fault_plan(path, scenario_.machine); }

    std::string default_costs() {
        const std::string path = MAGICWIRE_COSTS_FILE;
        scenario_.inputs.push_back({"costs", "t800.yaml", content_hash(path)});
        return path;
    }

    void farm(const YamlValue& value) {
        value.only_keys({"spec", "nodes", "tree", "tasks", "degree", "depth", "buffers", "managers"});
        trek_kernel::FarmConfig& farm = scenario_.farm;
        if (const auto buffers = value.find("buffers")) farm.buffers = static_cast<std::uint32_t>(buffers->integer(1, 1000));
        if (const auto managers = value.find("managers")) farm.managers_high = managers->one_of({"high", "low"}) == "high";
        if (const auto spec = value.find("spec")) {
            farm_from_spec(value, *spec);
            return;
        }
        const auto number = [&](const char* key, std::int64_t least, std::int64_t most, std::uint32_t otherwise) {
            const auto found = value.find(key);
            return found ? static_cast<std::uint32_t>(found->integer(least, most)) : otherwise;
        };
        farm.nodes =
            static_cast<std::uint32_t>(value.at("nodes").integer(2, static_cast<std::int64_t>(scenario_.machine.nodes.size())));
        const std::string tree = value.at("tree").one_of({"chain", "binary", "ternary"});
        farm.tree = tree == "chain"    ? trek_kernel::TreeKind::Chain
                    : tree == "binary" ? trek_kernel::TreeKind::Binary
                                       : trek_kernel::TreeKind::Ternary;
        farm.tasks = static_cast<std::uint32_t>(value.at("tasks").integer(0, most_tasks));
        farm.degree = number("degree", 1, 16, 1);
        farm.depth = number("depth", 0, 7, 1);
    }

    // The five numbers of a .spf file instead of the single keys.
    void farm_from_spec(const YamlValue& farm, const YamlValue& value) {
        for (const char* key : {"nodes", "tree", "tasks", "degree", "depth"}) {
            if (const auto twice = farm.find(key))
                twice->fail(std::string("'") + key + "' is in the file that 'spec' names; give one of the two");
        }
        const tmon::FarmSpec spec = tmon::read_spf(file("spec", value));
        if (spec.processors > scenario_.machine.nodes.size()) {
            value.fail("the specification wants " + std::to_string(spec.processors) + " nodes and the machine has " +
                       std::to_string(scenario_.machine.nodes.size()));
        }
        scenario_.farm.nodes = spec.processors;
        scenario_.farm.tree = static_cast<trek_kernel::TreeKind>(spec.topology);
        scenario_.farm.tasks = spec.tasks;
        scenario_.farm.degree = spec.degree;
        scenario_.farm.depth = spec.depth;
    }

    void application(const YamlValue& value) {
        value.only_keys({"tasks", "program", "task_bytes", "result_bytes"});
        const auto tasks = value.find("tasks"), program = value.find("program");
        if (static_cast<bool>(tasks) == static_cast<bool>(program)) {
            value.fail(
                "an application is either 'tasks: FILE.dat' (the simulated one) or 'program: NAME' (a C program); give one of "
                "the two");
        }
        if (program) {
            scenario_.program = program->text();
            if (scenario_.farm.divides()) program->fail("a C program has no split_fn yet; set farm.degree to 1");
        } else {
            scenario_.tasks = trek_kernel::TaskTable::read(file("tasks", *tasks));
        }
        if (const auto bytes = value.find("task_bytes"))
            scenario_.sizes.task_bytes = static_cast<std::size_t>(bytes->integer(4, most_message));
        if (const auto bytes = value.find("result_bytes"))
            scenario_.sizes.result_bytes = static_cast<std::size_t>(bytes->integer(4, most_message));
    }

    void monitor(const YamlValue& value) {
        value.only_keys({"unload"});
        const YamlValue unload = value.at("unload");
        if (unload.is_scalar()) {
            scenario_.unload = instrumentation::UnloadSequence::read(file("unload", unload));
            return;
        }
        std::vector<instrumentation::UnloadCommand> commands;
        for (const YamlValue& row : unload.items()) {
            const auto parts = row.items();
            if (parts.size() != 3)
                row.fail("an unload command has three parts, [TIME, LOWER, UPPER], and this one has " +
                         std::to_string(parts.size()));
            commands.push_back({static_cast<std::uint64_t>(parts[0].time().in_us()),
                                static_cast<std::uint32_t>(parts[1].integer(0, UINT32_MAX)),
                                static_cast<std::uint32_t>(parts[2].integer(0, UINT32_MAX)), row.where()});
        }
        if (commands.empty()) unload.fail("the unload sequence has no command; give at least one [TIME, LOWER, UPPER]");
        scenario_.unload = instrumentation::UnloadSequence(std::move(commands));
    }

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
            Reconfiguration order{.at = item.at("at").time(), .settings = {}};
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

    // Of a machine that differs from the scenario's in its connections only.
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
        scenario_.quiet = SimTime::ms(100);
        scenario_.patience = SimTime::s(60);
        scenario_.limit = SimTime::s(10'000);
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

void apply(Scenario& scenario, const Setting& setting) {
    const vocabulary::SourcePosition where{"--set " + setting.first + "=" + setting.second, 0, 0};
    const std::vector<std::pair<std::string, std::function<void()>>> own = {
        {"seed", [&] { scenario.seed = whole_number(setting, 0, INT64_MAX); }},
        {"links",
         [&] {
             if (setting.second != "message" && setting.second != "byte")
                 throw InputError(where, "expected 'message' or 'byte' and got '" + setting.second + "'");
             scenario.links = link_level(setting.second);
         }},
        {"farm.nodes",
         [&] { scenario.farm.nodes = static_cast<std::uint32_t>(whole_number(setting, 2, scenario.machine.nodes.size())); }},
        {"farm.tasks", [&] { scenario.farm.tasks = static_cast<std::uint32_t>(whole_number(setting, 0, most_tasks)); }},
        {"farm.degree", [&] { scenario.farm.degree = static_cast<std::uint32_t>(whole_number(setting, 1, 16)); }},
        {"farm.depth", [&] { scenario.farm.depth = static_cast<std::uint32_t>(whole_number(setting, 0, 7)); }},
        {"farm.buffers", [&] { scenario.farm.buffers = static_cast<std::uint32_t>(whole_number(setting, 1, 1000)); }},
        {"application.task_bytes", [&] { scenario.sizes.task_bytes = whole_number(setting, 4, most_message); }},
        {"application.result_bytes", [&] { scenario.sizes.result_bytes = whole_number(setting, 4, most_message); }},
        {"end.quiet", [&] { scenario.quiet = topologies::parse_time(setting.second, where); }},
        {"end.patience", [&] { scenario.patience = topologies::parse_time(setting.second, where); }},
        {"end.limit", [&] { scenario.limit = topologies::parse_time(setting.second, where); }},
        {"monitor",
         [&] {
             if (setting.second != "off")
                 throw InputError(where, "only 'off' can be set here; an unload sequence belongs into the scenario file");
             scenario.unload.reset();
         }},
    };
    std::vector<std::string> names;
    for (const auto& [name, action] : own) {
        if (name == setting.first) {
            action();
            return;
        }
        names.push_back(name);
    }
    set_cost(scenario.costs, setting, names);
}

// What single settings allow and their combination, or the cost table, does not.
void check(const Scenario& scenario) {
    const vocabulary::SourcePosition where{scenario.path, 0, 0};
    if (!scenario.program.empty() && scenario.farm.divides())
        throw InputError(where, "a C program has no split_fn yet; set farm.degree to 1");
    check_costs(scenario.costs, where);
}

}  // namespace

Scenario read_scenario(const std::string& path, const std::vector<Setting>& settings, std::optional<std::uint64_t> seed,
                       const std::string& faults) {
    Scenario scenario;
    scenario.path = path;
    const YamlValue root = YamlValue::read_file(path);
    scenario.inputs.push_back({"scenario", path, content_hash(path)});
    Reader(scenario, path, faults).read(root);
    for (const Setting& setting : settings) apply(scenario, setting);
    if (seed) scenario.seed = *seed;
    check(scenario);
    return scenario;
}

}  // namespace tmon_session
