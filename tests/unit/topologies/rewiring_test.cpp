// Changes of the settings of a running machine. The fewest changes are held against every setting that small machines can have.
// That search follows wires by itself. It uses nothing of the solver, of Network or of the rewiring.
#include <gmock/gmock.h>

#include <functional>
#include <set>

#include <topologies/end_names.hpp>
#include <topologies/rewiring.hpp>
#include <topologies/shapes.hpp>
#include <topologies/ubc_machine.hpp>
#include <vocabulary/source_position.hpp>

#include "input_error_text.hpp"
#include "solver_cases.hpp"

namespace rewiring_cases {

using namespace solver_cases;  // NOLINT: names of this folder's tests
using topologies::Connections;
using topologies::HostEnd;
using topologies::NodeLink;
using topologies::Rewiring;
using topologies::SwitchWay;
using topologies::WireEnd;

namespace {

// Not `link`, which the host has too.
NodeLink node_link(std::size_t node, std::size_t number) {
    return solver_cases::link(node, number);
}

using Pair = std::pair<std::size_t, std::size_t>;
using Setting = std::vector<std::set<Pair>>;  // by switch, lower way first

Setting setting_of(const MachineDescription& machine) {
    Setting setting(machine.switches.size());
    for (std::size_t x = 0; x < setting.size(); ++x) {
        for (const auto& [a, b] : machine.switches[x].connections)
            setting[x].insert(std::minmax<std::size_t>(a.value(), b.value()));
    }
    return setting;
}

std::size_t distance(const Setting& a, const Setting& b) {
    std::size_t changes = 0;
    for (std::size_t x = 0; x < a.size(); ++x) {
        for (const Pair& one : a[x]) changes += 1 - b[x].count(one);
        for (const Pair& one : b[x]) changes += 1 - a[x].count(one);
    }
    return changes;
}

// Which nodes a setting joins, the host as the node after the last. Empty: a connection is no part of a way between two ends,
// or a way passes a switch twice.
std::optional<std::multiset<Pair>> edges_of(const MachineDescription& machine, const Setting& setting) {
    std::map<WireEnd, WireEnd> cable;
    for (const auto& wire : machine.wires) {
        cable.emplace(wire.a, wire.b);
        cable.emplace(wire.b, wire.a);
    }
    std::map<Pair, std::size_t> inside;
    std::size_t connections = 0, passed = 0;
    for (std::size_t x = 0; x < setting.size(); ++x) {
        connections += setting[x].size();
        for (const auto& [a, b] : setting[x]) {
            inside[{x, a}] = b;
            inside[{x, b}] = a;
        }
    }
    std::multiset<Pair> edges;
    for (const auto& [start, first] : cable) {
        if (std::holds_alternative<SwitchWay>(start)) continue;
        WireEnd at = first;
        std::size_t passes = 0;
        std::set<std::size_t> through;
        while (const auto* entry = std::get_if<SwitchWay>(&at)) {
            const auto on = inside.find({entry->which.value(), entry->way.value()});
            if (on == inside.end()) break;
            if (!through.insert(entry->which.value()).second) return std::nullopt;
            ++passes;
            at = cable.at(way(entry->which.value(), on->second));
        }
        if (std::holds_alternative<SwitchWay>(at) || at < start) continue;
        const auto node = [&](const WireEnd& end) {
            const auto* its = std::get_if<NodeLink>(&end);
            return its != nullptr ? std::size_t{its->node.value()} : machine.nodes.size();
        };
        passed += passes;
        edges.insert(std::minmax(node(start), node(at)));
    }
    if (passed != connections) return std::nullopt;
    return edges;
}

// Every setting of the switches, one after the other.
void each_setting(const MachineDescription& machine, const std::function<void(const Setting&)>& visit) {
    std::vector<SwitchWay> ways;
    for (const auto& wire : machine.wires) {
        for (const auto& end : {wire.a, wire.b}) {
            if (const auto* its = std::get_if<SwitchWay>(&end)) ways.push_back(*its);
        }
    }
    std::sort(ways.begin(), ways.end());
    Setting setting(machine.switches.size());
    std::vector<bool> used(ways.size());
    const std::function<void(std::size_t)> go_on = [&](std::size_t i) {
        while (i < ways.size() && used[i]) ++i;
        if (i == ways.size()) return visit(setting);
        go_on(i + 1);  // this way stays open
        for (std::size_t j = i + 1; j < ways.size(); ++j) {
            if (used[j] || ways[j].which != ways[i].which) continue;
            used[j] = true;
            auto& its = setting[ways[i].which.value()];
            its.insert({ways[i].way.value(), ways[j].way.value()});
            go_on(i + 1);
            its.erase({ways[i].way.value(), ways[j].way.value()});
            used[j] = false;
        }
    };
    go_on(0);
}

// The wanted edges among the first `nodes` nodes and the host, and none from these to others.
bool is_wanted(const std::multiset<Pair>& edges, const std::multiset<Pair>& wanted, std::size_t nodes, std::size_t host) {
    std::multiset<Pair> among;
    for (const Pair& edge : edges) {
        const auto ours = [&](std::size_t node) { return node < nodes || node == host; };
        if (ours(edge.first) != ours(edge.second)) return false;
        if (ours(edge.first)) among.insert(edge);
    }
    return among == wanted;
}

struct Random {
    std::mt19937 engine;
    std::size_t below(std::size_t bound) { return engine() % bound; }
};

// Up to five nodes on one or two switches with one or two cables between them, with a setting of some kind.
MachineDescription small_machine(Random& random) {
    MachineDescription machine;
    machine.name = "small";
    machine.unreachable_allowed = true;
    machine.nodes.assign(3 + random.below(3), {4U << 20, 20'000'000});
    const std::size_t switches = 1 + random.below(2);
    std::vector<std::size_t> next(switches);
    for (std::size_t x = 0; x < switches; ++x) machine.switches.push_back({"x" + std::to_string(x), {}});
    machine.wires.push_back({HostEnd{}, way(0, next[0]++)});
    for (std::size_t trunk = 0; switches > 1 && trunk < 1 + random.below(2); ++trunk) {
        const std::size_t near = next[0]++;
        machine.wires.push_back({way(0, near), way(1, next[1]++)});
    }
    for (std::size_t l = 0; l < 2; ++l) {
        for (std::size_t n = 0; n < machine.nodes.size(); ++n) {
            const std::size_t x = random.below(switches);
            if (next[x] < (switches == 1 ? 9U : 6U)) machine.wires.push_back({node_link(n, l), way(x, next[x]++)});
        }
    }
    std::vector<Setting> some;
    each_setting(machine, [&](const Setting& setting) {
        if (random.below(40) == 0 && edges_of(machine, setting)) some.push_back(setting);
    });
    const Setting present = some.empty() ? Setting(switches) : some[random.below(some.size())];
    for (std::size_t x = 0; x < switches; ++x) {
        for (const auto& [a, b] : present[x]) machine.switches[x].connections.emplace_back(way(x, a).way, way(x, b).way);
    }
    return machine;
}

}  // namespace

TEST(Rewiring, ChangesTheFewestSettingsOfAllThatMakeTheNetwork) {
    Random random{std::mt19937(17)};
    std::size_t made = 0, proven = 0, impossible = 0, with_rest = 0;
    for (int i = 0; i < 100; ++i) {
        const MachineDescription machine = small_machine(random);
        const std::size_t host = machine.nodes.size(), nodes = 2 + random.below(machine.nodes.size() - 1);
        Edges edges;
        for (std::size_t n = 0; n + 1 < nodes; ++n) edges.emplace_back(n, n + 1);  // a chain, the host at one of its ends
        const std::size_t first = random.below(2) == 0 ? 0 : nodes - 1;
        std::multiset<Pair> asked(edges.begin(), edges.end());
        asked.insert({first, host});
        std::optional<std::size_t> fewest;
        each_setting(machine, [&](const Setting& setting) {
            const auto found = edges_of(machine, setting);
            if (!found || !is_wanted(*found, asked, nodes, host)) return;
            const std::size_t changes = distance(setting_of(machine), setting);
            fewest = std::min(fewest.value_or(changes), changes);
        });
        try {
            const Rewiring change = topologies::rewiring_to(machine, wanted(nodes, edges, {first}));
            const MachineDescription after = topologies::rewired(machine, change);
            const auto found = edges_of(after, setting_of(after));
            ASSERT_TRUE(fewest && found && is_wanted(*found, asked, nodes, host)) << i;
            EXPECT_EQ(change.changes(), distance(setting_of(machine), setting_of(after))) << i;
            EXPECT_EQ(change.changes(), *fewest) << i;
            proven += change.fewest() ? 1 : 0;
            ++made;
            with_rest += found->size() > asked.size() ? 1 : 0;
        } catch (const vocabulary::InputError&) {
            EXPECT_FALSE(fewest) << i;
            ++impossible;
        }
    }
    EXPECT_GT(made, 20u);
    EXPECT_GE(proven + made / 20, made) << "the bound is sharp but for cables that the rest takes";
    EXPECT_GT(impossible, 10u);
    EXPECT_GT(with_rest, 3u) << "links among nodes outside the network stay";
}

TEST(Rewiring, TellsLinksThatEndAndNodesThatAreOutOfReach) {
    MachineDescription machine = topologies::ubc_machine();
    machine = topologies::rewired(machine, topologies::rewiring_to(machine, topologies::make_shape("chain:20")));
    const Rewiring change = topologies::rewiring_to(machine, topologies::make_shape("ring:16"));
    EXPECT_EQ(topologies::node_list(change.out_of_reach), "n16 to n19");
    ASSERT_EQ(change.cut.size(), 1u) << "the link from n15 to n16; those behind stay";
    ASSERT_EQ(change.joined.size(), 1u) << "the ring is closed";
    EXPECT_TRUE(change.fewest());
    EXPECT_EQ(topologies::rewiring_to(topologies::rewired(machine, change), topologies::make_shape("ring:16")).changes(), 0u);
}

TEST(Rewiring, MakesAndTakesAwayOneLink) {
    const MachineDescription machine = topologies::ubc_machine();
    const Rewiring made = topologies::rewiring_with_link(machine, node_link(0, 1), node_link(7, 2));
    ASSERT_EQ(made.joined.size(), 1u);
    EXPECT_EQ(made.joined[0].a, WireEnd(node_link(0, 1)));
    EXPECT_EQ(made.joined[0].b, WireEnd(node_link(7, 2)));
    const MachineDescription with = topologies::rewired(machine, made);
    const Rewiring taken = topologies::rewiring_without_link(with, node_link(7, 2), WireEnd(node_link(0, 1)));
    EXPECT_EQ(topologies::rewired(with, taken), machine);
    EXPECT_EQ(taken.cut.size(), 1u);
}

TEST(Rewiring, LeadsALinkOverFreeCablesBetweenSwitches) {
    // n0 on x0, n1 on x2, a cable from each switch to the next; the shorter way from x0 to x2 is taken first.
    MachineDescription machine;
    machine.name = "row";
    machine.unreachable_allowed = true;
    machine.nodes.assign(4, {4U << 20, 20'000'000});
    for (const char* name : {"x0", "x1", "x2"}) machine.switches.push_back({name, {}});
    machine.wires = {{HostEnd{}, way(0, 9)},       {node_link(0, 0), way(0, 0)}, {node_link(1, 0), way(2, 0)},
                     {node_link(2, 0), way(0, 1)}, {node_link(3, 0), way(2, 1)}, {way(0, 5), way(1, 5)},
                     {way(1, 6), way(2, 6)},       {way(0, 7), way(2, 7)}};
    const Rewiring near = topologies::rewiring_with_link(machine, node_link(0, 0), node_link(1, 0));
    EXPECT_EQ(near.made.size(), 2u);
    const MachineDescription one = topologies::rewired(machine, near);
    const Rewiring far = topologies::rewiring_with_link(one, node_link(3, 0), node_link(2, 0));
    EXPECT_EQ(far.made.size(), 3u);
    ASSERT_EQ(far.joined.size(), 1u);
    EXPECT_EQ(far.joined[0].through.size(), 3u);
}

TEST(Rewiring, RefusesEndsThatAreInUseOrSolderedOrOfNoUse) {
    MachineDescription machine = topologies::ubc_machine();
    machine = topologies::rewired(machine, topologies::rewiring_with_link(machine, node_link(0, 1), node_link(7, 2)));
    const auto fails = [&](const auto& call) { return input_error_text(call); };
    EXPECT_EQ(fails([&] { topologies::rewiring_with_link(machine, node_link(0, 1), node_link(3, 0)); }),
              "n0.1: leads to n7.2 already; 'disconnect n0.1' first");
    EXPECT_THAT(fails([&] { topologies::rewiring_with_link(machine, node_link(3, 0), node_link(3, 1)); }),
                testing::HasSubstr("is a link of n3 as well"));
    EXPECT_THAT(fails([&] { topologies::rewiring_with_link(machine, node_link(3, 0), node_link(3, 0)); }),
                testing::HasSubstr("is one end"));
    EXPECT_EQ(fails([&] { topologies::rewiring_without_link(machine, node_link(4, 0), std::nullopt); }),
              "n4.0: leads nowhere; 'links' lists where each link leads");
    EXPECT_EQ(fails([&] { topologies::rewiring_without_link(machine, node_link(0, 1), WireEnd(node_link(4, 0))); }),
              "n0.1: leads to n7.2, not to n4.0; 'links' lists where each link leads");
    const MachineDescription soldered = topologies::make_shape("ring:4");
    EXPECT_THAT(fails([&] { topologies::rewiring_without_link(soldered, node_link(1, 0), std::nullopt); }),
                testing::HasSubstr("is soldered to n"));
    EXPECT_THAT(fails([&] { topologies::rewiring_with_link(soldered, node_link(1, 3), node_link(2, 3)); }),
                testing::HasSubstr("has no cable"));
}

TEST(Rewiring, SaysWhyANetworkCannotBeMade) {
    const MachineDescription machine = topologies::ubc_machine();
    EXPECT_THAT(input_error_text([&] { topologies::rewiring_to(machine, topologies::make_shape("ring:76")); }),
                testing::HasSubstr("ring_76: wants 76 nodes"));
    EXPECT_THAT(input_error_text([&] { topologies::rewiring_to(machine, topologies::make_shape("mesh:4x4")); }),
                testing::HasSubstr("mesh_4x4: cannot be made of ubc_75: impossible with the places kept"));
}

TEST(RewiringDeathTest, TakesOneSettingASwitch) {
    EXPECT_DEATH(topologies::rewiring(topologies::ubc_machine(), {}), "rewiring.one_setting_a_switch");
}

}  // namespace rewiring_cases
