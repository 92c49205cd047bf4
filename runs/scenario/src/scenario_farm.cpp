// The section `farm` of a scenario file, and its rows of the table of settings.
#include <algorithm>
#include <charconv>
#include <utility>

#include <farm_spec/farm_spec.hpp>
#include <tmon_streams/thesis_files.hpp>
#include <topologies/machine_checks.hpp>
#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

#include "given.hpp"
#include "scenario_parts.hpp"
#include "setting_rows.hpp"

namespace scenario {
namespace {

using farm_spec::Policy;
using farm_spec::TreeKind;
using topologies::YamlValue;
using vocabulary::NodeId;

// Node of the map's key "n3" or "3".
NodeId node_of_key(const YamlValue& map, const std::string& key, std::size_t machine_nodes) {
    const std::size_t skip = key.starts_with('n') ? 1 : 0;
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(key.data() + skip, key.data() + key.size(), number);
    if (error != std::errc() || end != key.data() + key.size() || number >= machine_nodes) {
        throw vocabulary::InputError(map.where_key(key), "expected a node of the machine, n0 to n" +
                                                             std::to_string(machine_nodes - 1) + ", and got '" + key + "'");
    }
    return NodeId(static_cast<NodeId::value_type>(number));
}

void put_tree(Scenario& scenario, const Given& given) {
    farm_spec::FarmSpec& config = scenario.farm;
    const YamlValue tree = given.value();
    if (!tree.is_scalar()) {
        scenario.best_tree = false;
        read_given_tree(config, tree, scenario.machine.nodes.size());
        return;
    }
    const std::vector<std::string> words = {"chain", "binary", "ternary", "best"};
    const std::string word = given.text();
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end()) {
        const std::string hint = vocabulary::did_you_mean(word, words);
        if (!hint.empty()) given.fail("'tree' is '" + word + "'" + hint);
        given.fail("there is no tree '" + word +
                   "'; trees are chain, binary, ternary, best, or any other node by node, as {n0: [1], n1: [2, 3]}; a worker "
                   "has three links for children, so no regular one is wider than ternary");
    }
    config.tree = static_cast<TreeKind>(found - words.begin() + 1);
    config.parents.clear();
    scenario.best_tree = word == "best";
    if (scenario.best_tree && config.nodes == 0) config.nodes = static_cast<std::uint32_t>(scenario.machine.nodes.size());
}

void put_nodes(Scenario& scenario, const Given& given) {
    if (scenario.farm.tree == TreeKind::Given && !scenario.best_tree)
        given.fail("the tree names its nodes; leave 'nodes' out",
                   "the farm's tree is given node by node; change farm.tree in the scenario file");
    scenario.farm.nodes = static_cast<std::uint32_t>(given.whole(static_cast<std::int64_t>(scenario.machine.nodes.size())));
}

// A .spf file instead of the single keys.
void read_spec(Scenario& scenario, const std::optional<YamlValue>& farm, const Given& given) {
    const farm_spec::FarmSpec spec = tmon_streams::read_spf(given.file(scenario, "spec"));
    const auto once = [&](const char* key, bool in_file) {
        const auto twice = in_file && farm ? farm->find(key) : std::nullopt;
        if (twice) twice->fail(std::string("'") + key + "' is in the file of 'spec' too; give one of the two");
    };
    for (const char* key : {"nodes", "tree", "tasks", "degree", "depth"}) once(key, true);
    once("granularity", spec.granularity != 1);
    once("policy", spec.policy != farm_spec::Policy::FloodFilling);
    once("survives", spec.survives);
    if (spec.nodes > scenario.machine.nodes.size()) {
        given.fail("the specification wants " + std::to_string(spec.nodes) + " nodes and the machine has " +
                   std::to_string(scenario.machine.nodes.size()));
    }
    scenario.farm = spec;
}

}  // namespace

// {n0: [1], n1: [2, 3]}: the children of each node that has some. Every node has one parent, and the manager is above all.
void read_given_tree(farm_spec::FarmSpec& farm, const YamlValue& value, std::size_t machine_nodes) {
    farm.tree = TreeKind::Given;
    farm.parents.assign(machine_nodes, std::nullopt);
    std::uint32_t last = 0;
    for (const auto& [name, list] : value.entries()) {
        const NodeId above = node_of_key(value, name, machine_nodes);
        if (const std::size_t most = above.value() == 0 ? 4 : 3; list.items().size() > most) {
            list.fail("n" + std::to_string(above.value()) + " has " + std::to_string(list.items().size()) +
                      " children and can have " + std::to_string(most) +
                      ": a T800 has four links, and one of a worker leads to its parent");
        }
        for (const YamlValue& item : list.items()) {
            const auto below = static_cast<std::uint32_t>(item.integer(1, static_cast<std::int64_t>(machine_nodes) - 1));
            if (farm.parents[below]) {
                item.fail("n" + std::to_string(below) + " is below n" + std::to_string(farm.parents[below]->value()) +
                          " already; in a tree every node has one parent");
            }
            farm.parents[below] = above;
            last = std::max(last, below);
        }
    }
    farm.parents.resize(last + 1);
    farm.nodes = last + 1;
    for (std::uint32_t node = 1; node <= last; ++node) {
        if (!farm.parents[node]) continue;
        std::uint32_t steps = 0, at = node;
        while (at != 0 && farm.parents[at] && steps++ <= last) at = farm.parents[at]->value();
        if (at != 0)
            value.fail("n" + std::to_string(node) + " is not below the manager n0; name the parents on its way up to n0");
    }
    if (last == 0) value.fail("the tree has no worker; give n0 at least one child, for example {n0: [1]}");
}

Policy policy_of(const std::string& word, const vocabulary::SourcePosition& where) {
    const std::vector<std::string> names = farm_spec::policy_names();
    const auto found = std::find(names.begin(), names.end(), word);
    if (found != names.end()) return static_cast<Policy>(found - names.begin());
    const std::string hint = vocabulary::did_you_mean(word, names);
    throw vocabulary::InputError(
        where, "there is no policy '" + word + "'" +
                   (hint.empty() ? "; policies are flood-filling, round-robin, work-stealing and priorities" : hint));
}

void read_farm(Scenario& scenario, const Sources& sources) {
    const auto section = sources.section("farm");
    if (section) section->only_keys(keys_of("farm"));
    scenario.farm = {};
    if (const auto spec = sources.find("farm.spec")) {
        read_spec(scenario, section, *spec);
    } else {
        sources.at("farm.tree");
    }
    sources.put_section(scenario, "farm");
    if (scenario.farm.nodes == 0) sources.at("farm.nodes");  // says that it is missing
    if (!sources.find("farm.spec")) sources.at("farm.tasks");
}

std::vector<SettingRow> farm_rows() {
    const std::string started = "the nodes were given the farm's settings when their programs were started";
    const auto row = [&](const char* name, Range range, const char* otherwise, const char* unit, const char* meaning,
                         void (*put)(Scenario&, const Given&)) {
        return SettingRow{name, "", std::move(range), otherwise, unit, started, meaning, put};
    };
    return {
        row("farm.spec", Form{"a .spf file"}, "", "",
            "the thesis' five numbers, instead of nodes, tree, tasks, degree and depth", nullptr),
        row("farm.tree", Form{"chain, binary, ternary, best, or the children of each node as {n0: [1], n1: [2, 3]}"}, "", "",
            "tree of the farm; a branch that is no link goes over the network (docs/model/farm.md); best: the fastest tree in "
            "the machine "
            "(docs/guide/prediction.md)",
            put_tree),
        row("farm.nodes", WholeNumber{2, topologies::most_nodes, "at most those of the machine"}, "", "nodes",
            "nodes of the farm, the manager n0 included; not with a tree given node by node", put_nodes),
        row("farm.tasks", WholeNumber{0, farm_spec::most_tasks}, "", "tasks", "tasks of the farm",
            [](Scenario& s, const Given& given) { s.farm.tasks = static_cast<std::uint32_t>(given.whole()); }),
        row("farm.degree", WholeNumber{1, farm_spec::most_degree}, "1", "sub-tasks",
            "sub-tasks of a split; 1 is the processor farm (PFVM)",
            [](Scenario& s, const Given& given) { s.farm.degree = static_cast<std::uint32_t>(given.whole()); }),
        row("farm.depth", WholeNumber{0, farm_spec::most_depth}, "1", "splits", "most splits of a task",
            [](Scenario& s, const Given& given) { s.farm.depth = static_cast<std::uint32_t>(given.whole()); }),
        row("farm.buffers", WholeNumber{1, farm_spec::most_buffers}, "1", "tasks",
            "tasks that a node may hold besides the one it computes",
            [](Scenario& s, const Given& given) { s.farm.buffers = static_cast<std::uint32_t>(given.whole()); }),
        row("farm.granularity", WholeNumber{1, farm_spec::most_granularity}, "1", "tasks", "tasks that travel in one message",
            [](Scenario& s, const Given& given) { s.farm.granularity = static_cast<std::uint32_t>(given.whole()); }),
        row("farm.policy", OneOf{farm_spec::policy_names()}, "flood-filling", "",
            "choice of the node that gets a task (docs/model/farm.md)",
            [](Scenario& s, const Given& given) { s.farm.policy = policy_of(given.text(), given.where()); }),
        row("farm.managers", OneOf{{"high", "low"}}, "high", "", "priority of TrEK's managers, split and join",
            [](Scenario& s, const Given& given) { s.farm.managers_high = given.word() == 0; }),
        row("farm.survives", OneOf{{"yes", "no"}}, "no", "",
            "yes: a worker that dies takes no task with it (docs/model/survival.md); 1 and 0 mean the same",
            [](Scenario& s, const Given& given) {
                const std::string text = given.text();
                s.farm.survives = text == "1" || (text != "0" && given.word() == 0);
            }),
    };
}

}  // namespace scenario
