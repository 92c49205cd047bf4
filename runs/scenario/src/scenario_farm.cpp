// The section `farm` of a scenario file.
#include <algorithm>
#include <charconv>

#include <tmon_streams/thesis_files.hpp>
#include <trek_kernel/tree.hpp>
#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

#include <scenario/scenario_parts.hpp>

namespace scenario {
namespace {

using topologies::YamlValue;
using trek_kernel::Policy;
using trek_kernel::TreeKind;
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

void read_tree(Scenario& scenario, const YamlValue& farm, const YamlValue& tree) {
    trek_kernel::FarmConfig& config = scenario.farm;
    const auto nodes = static_cast<std::int64_t>(scenario.machine.nodes.size());
    if (!tree.is_scalar()) {
        if (const auto twice = farm.find("nodes")) twice->fail("the tree names its nodes; leave 'nodes' out");
        read_given_tree(config, tree, scenario.machine.nodes.size());
        return;
    }
    const std::vector<std::string> words = {"chain", "binary", "ternary", "best"};
    const bool known = std::find(words.begin(), words.end(), tree.text()) != words.end();
    if (!known && vocabulary::did_you_mean(tree.text(), words).empty()) {
        tree.fail(
            "there is no tree '" + tree.text() +
            "'; trees are chain, binary, ternary, best, or any other node by node, as {n0: [1], n1: [2, 3]}; a worker has "
            "three links for children, so no regular one is wider than ternary");
    }
    const std::string word = tree.one_of(words);
    scenario.best_tree = word == "best";
    config.tree = word == "chain"     ? TreeKind::Chain
                  : word == "binary"  ? TreeKind::Binary
                  : word == "ternary" ? TreeKind::Ternary
                                      : TreeKind::Given;
    const auto count = farm.find("nodes");
    if (!count && !scenario.best_tree) farm.at("nodes");  // says that it is missing
    config.nodes = static_cast<std::uint32_t>(count ? count->integer(2, nodes) : nodes);
}

// A .spf file instead of the single keys.
void read_spec(Scenario& scenario, const YamlValue& farm, const YamlValue& value, const FileReader& file) {
    const farm_spec::FarmSpec spec = tmon_streams::read_spf(file("spec", value));
    const auto once = [&](const char* key, bool in_file) {
        const auto twice = in_file ? farm.find(key) : std::nullopt;
        if (twice) twice->fail(std::string("'") + key + "' is in the file that 'spec' names; give one of the two");
    };
    for (const char* key : {"nodes", "tree", "tasks", "degree", "depth"}) once(key, true);
    once("granularity", spec.granularity != 1);
    once("policy", spec.distribution != farm_spec::Distribution::FloodFilling);
    once("survives", spec.survives);
    if (spec.processors > scenario.machine.nodes.size()) {
        value.fail("the specification wants " + std::to_string(spec.processors) + " nodes and the machine has " +
                   std::to_string(scenario.machine.nodes.size()));
    }
    take_spec(scenario.farm, spec);
}

}  // namespace

// {n0: [1], n1: [2, 3]}: the children of each node that has some. Every node has one parent, and the manager is above all.
void read_given_tree(trek_kernel::FarmConfig& farm, const YamlValue& value, std::size_t machine_nodes) {
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
    std::vector<std::string> names;
    for (const Policy policy : {Policy::FloodFilling, Policy::RoundRobin, Policy::WorkStealing, Policy::Priorities}) {
        names.emplace_back(policy_name(policy));
        if (names.back() == word) return policy;
    }
    const std::string hint = vocabulary::did_you_mean(word, names);
    throw vocabulary::InputError(
        where, "there is no policy '" + word + "'" +
                   (hint.empty() ? "; policies are flood-filling, round-robin, work-stealing and priorities" : hint));
}

void read_farm(Scenario& scenario, const YamlValue& value, const FileReader& file) {
    value.only_keys(
        {"spec", "nodes", "tree", "tasks", "degree", "depth", "buffers", "managers", "granularity", "policy", "survives"});
    trek_kernel::FarmConfig& farm = scenario.farm;
    const auto number = [&](const char* key, std::int64_t least, std::int64_t most, std::uint32_t otherwise) {
        const auto found = value.find(key);
        return found ? static_cast<std::uint32_t>(found->integer(least, most)) : otherwise;
    };
    farm.buffers = number("buffers", 1, 1000, 1);
    farm.granularity = number("granularity", 1, most_granularity, 1);
    if (const auto managers = value.find("managers")) farm.managers_high = managers->one_of({"high", "low"}) == "high";
    if (const auto policy = value.find("policy")) farm.policy = policy_of(policy->text(), policy->where());
    if (const auto survives = value.find("survives")) farm.survives = survives->one_of({"yes", "no"}) == "yes";
    if (const auto spec = value.find("spec")) return read_spec(scenario, value, *spec, file);
    read_tree(scenario, value, value.at("tree"));
    farm.tasks = static_cast<std::uint32_t>(value.at("tasks").integer(0, most_tasks));
    farm.degree = number("degree", 1, 16, 1);
    farm.depth = number("depth", 0, 7, 1);
}

}  // namespace scenario
