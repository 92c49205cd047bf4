// The section `halo` of a scenario file, and its rows of the table of settings. A halo comes instead of a farm and its
// application (docs/model/halo.md).
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <halo_kernel/neighbours.hpp>
#include <topologies/end_names.hpp>
#include <topologies/machine_checks.hpp>
#include <vocabulary/nearest_name.hpp>

#include "given.hpp"
#include "scenario_parts.hpp"
#include "setting_rows.hpp"

namespace scenario {
namespace {

using halo_kernel::BugKind;
using halo_kernel::HaloBug;
using halo_kernel::HaloSettings;
using halo_kernel::Process;
using topologies::YamlValue;
using vocabulary::InputError;
using vocabulary::NodeId;

constexpr const char* halo_model = "halo";

HaloSettings& halo_of(Scenario& scenario, const Given& given) {
    if (!scenario.halo) given.fail("the scenario runs a farm and has no 'halo'; leave the setting out");
    return *scenario.halo;
}

std::uint32_t nodes_of_machine(const Scenario& scenario) {
    return static_cast<std::uint32_t>(scenario.machine.nodes.size());
}

void put_halo_tree(Scenario& scenario, const Given& given) {
    halo_of(scenario, given);
    const YamlValue tree = given.value();
    if (!tree.is_scalar()) return read_given_tree(scenario.farm, tree, nodes_of_machine(scenario));
    const std::vector<std::string> words = {"chain", "binary", "ternary"};
    const auto found = std::find(words.begin(), words.end(), given.text());
    if (found == words.end()) {
        const std::string hint = vocabulary::did_you_mean(given.text(), words);
        given.fail(fmt::format("there is no tree '{}'{}", given.text(),
                               hint.empty() ? "; trees are chain, binary, ternary, or any other node by node, as {n0: [1], n1: "
                                              "[2, 3]}"
                                            : hint));
    }
    const bool named_its_nodes = scenario.farm.tree == farm_spec::TreeKind::Given;
    scenario.farm.tree = static_cast<farm_spec::TreeKind>(found - words.begin() + 1);
    scenario.farm.parents.clear();
    if (named_its_nodes) scenario.farm.nodes = nodes_of_machine(scenario);
}

void put_halo_nodes(Scenario& scenario, const Given& given) {
    halo_of(scenario, given);
    if (scenario.farm.tree == farm_spec::TreeKind::Given) given.fail("the tree names its nodes; leave 'nodes' out");
    scenario.farm.nodes = static_cast<std::uint32_t>(given.whole(nodes_of_machine(scenario)));
}

template <class Enum>
Enum word_of_enum(const YamlValue& value, std::initializer_list<Enum> all) {
    std::vector<std::string> words;
    for (const Enum one : all) words.emplace_back(word_of(one));
    const std::string word = value.one_of(words);
    return *(all.begin() + (std::find(words.begin(), words.end(), word) - words.begin()));
}

// {process: step_fn, node: n3, step: 7, kind: hang}
HaloBug halo_bug_of(const YamlValue& entry) {
    entry.only_keys({"process", "node", "step", "kind", "to"});
    HaloBug bug;
    bug.where = entry.where();
    bug.process = word_of_enum(entry.at("process"), {Process::InitialFn, Process::StepFn, Process::Exchange});
    bug.kind = word_of_enum(entry.at("kind"), {BugKind::Hang, BugKind::Crash, BugKind::Lose});
    bug.node = node_named(entry.at("node"));
    const auto step = entry.find("step"), to = entry.find("to");
    if (bug.process == Process::InitialFn) {
        if (step) step->fail("initial_fn runs once, before every step; leave 'step' out");
    } else {
        bug.step = static_cast<std::uint32_t>(entry.at("step").integer(0, halo_kernel::most_steps));
    }
    if (bug.kind == BugKind::Lose) {
        if (bug.process != Process::Exchange)
            entry.at("kind").fail("only a message of an exchange can be lost; write 'process: exchange'");
        bug.to = node_named(entry.at("to"));
    } else if (to) {
        to->fail(fmt::format("'to' names the neighbour whose message is lost, and '{}' loses none; leave 'to' out",
                             word_of(bug.kind)));
    }
    return bug;
}

void put_halo_bugs(Scenario& scenario, const Given& given) {
    HaloSettings& halo = halo_of(scenario, given);
    halo.bugs.clear();
    for (const YamlValue& entry : given.value().items()) halo.bugs.push_back(halo_bug_of(entry));
}

void check_halo_bug(const HaloBug& bug, const Scenario& scenario) {
    const std::uint32_t steps = scenario.halo->steps;
    if (!scenario.farm.has(bug.node))
        throw InputError(bug.where,
                         fmt::format("{} is no node of the halo, which has {}; name another", topologies::node_name(bug.node),
                                     topologies::node_list(scenario.farm.members())));
    const std::uint32_t most = bug.process == Process::StepFn ? steps - 1 : steps;
    if (bug.step > most)
        throw InputError(bug.where, fmt::format("there is no {} {}; with {} steps the last one is {}",
                                                bug.process == Process::StepFn ? "step" : "exchange", bug.step, steps, most));
    if (bug.kind != BugKind::Lose) return;
    const std::vector<NodeId> neighbours = halo_kernel::neighbours(scenario.farm, bug.node);
    if (std::find(neighbours.begin(), neighbours.end(), bug.to) != neighbours.end()) return;
    throw InputError(bug.where,
                     fmt::format("{} sends nothing to {}; its neighbours in the tree are {}", topologies::node_name(bug.node),
                                 topologies::node_name(bug.to), topologies::node_list(neighbours)));
}

}  // namespace

bool has_halo(const Sources& sources) {
    return sources.section("halo").has_value();
}

void read_halo(Scenario& scenario, const Sources& sources) {
    const YamlValue section = *sources.section("halo");
    section.only_keys(keys_of("halo"));
    for (const char* other : {"farm", "application"}) {
        if (const auto value = sources.section(other))
            value->fail(
                fmt::format("'{}' stands beside 'halo', which is a program of its own; leave one of the two out", other));
    }
    for (const SettingRow& row : settings()) {
        const bool of_farm = row.name.starts_with("farm.") || row.name.starts_with("application.");
        if (const auto given = of_farm || row.name == "reconfigure" ? sources.find(row.name) : std::nullopt)
            given->fail(of_farm
                            ? fmt::format("'{}' is a setting of a farm, and the scenario runs a halo; leave it out", row.name)
                            : "does not go with 'halo': a message may be on a way that ends; leave one of the two out");
    }
    scenario.halo.emplace();
    scenario.farm = {.nodes = nodes_of_machine(scenario), .tree = farm_spec::TreeKind::Chain, .model = halo_model};
    put_defaults(scenario, "halo");
    sources.at("halo.steps");  // says that it is missing
    sources.put_section(scenario, "halo");
}

void finish_halo(Scenario& scenario) {
    if (scenario.farm.nodes < 2)
        throw InputError({scenario.path, 0, 0},
                         "the halo has one node, which has no neighbour; take a machine with at least two nodes");
    scenario.farm.tasks = scenario.halo->steps + 1;
    const auto& bugs = scenario.halo->bugs;
    for (std::size_t i = 0; i < bugs.size(); ++i) {
        check_halo_bug(bugs[i], scenario);
        for (std::size_t j = 0; j < i; ++j) {
            if (bug_text(bugs[i]) == bug_text(bugs[j]))
                throw InputError(bugs[i].where,
                                 fmt::format("the same bug stands in the list already ({}); leave one of the two "
                                             "out",
                                             bug_text(bugs[i])));
        }
    }
}

std::vector<SettingRow> halo_rows() {
    const std::string made = "the programs were made with it before they were loaded";
    const auto row = [&](const char* name, Range range, const char* otherwise, const char* unit, const char* meaning,
                         void (*put)(Scenario&, const Given&)) {
        return SettingRow{name, "", std::move(range), otherwise, unit, made, meaning, put};
    };
    return {
        row("halo.tree", Form{"chain, binary, ternary, or the children of each node as {n0: [1], n1: [2, 3]}"}, "chain", "",
            "instead of a farm: a program that exchanges cells with its neighbours in this tree (docs/model/halo.md)",
            put_halo_tree),
        row("halo.nodes", WholeNumber{2, topologies::most_nodes, "at most those of the machine"}, "", "nodes",
            "nodes of the halo; all of the machine when left out; not with a tree given node by node", put_halo_nodes),
        row("halo.steps", WholeNumber{1, halo_kernel::most_steps}, "", "steps", "steps, each between two exchanges",
            [](Scenario& s, const Given& given) { halo_of(s, given).steps = static_cast<std::uint32_t>(given.whole()); }),
        row("halo.cells", WholeNumber{1, halo_kernel::most_cells}, "16", "cells", "cells of a node, 8 bytes each in a message",
            [](Scenario& s, const Given& given) { halo_of(s, given).cells = static_cast<std::uint32_t>(given.whole()); }),
        row("halo.step_us", WholeNumber{1, 1'000'000'000}, "1000", "us",
            "work of a step on each node, in the time of a T800-20; that of the first values, too",
            [](Scenario& s, const Given& given) { halo_of(s, given).step = vocabulary::SimTime::us(given.whole()); }),
        row("halo.bugs", Form{"a list of bugs, as [{process: step_fn, node: n3, step: 7, kind: hang}]"}, "", "",
            "bugs in the program of single nodes (docs/model/halo.md)", put_halo_bugs),
    };
}

}  // namespace scenario
