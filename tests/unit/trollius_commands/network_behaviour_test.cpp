// Behaviours of a whole machine: loading in any order, a state that hangs at a crashed node, and routes that are shortest.
#include <gmock/gmock.h>

#include <deque>
#include <map>
#include <random>

#include <trollius_commands/command_run.hpp>
#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;

namespace {

// Counts the links that packets of one event cross, and their weights.
struct HopCounter final : trollius_os::Witness {
    void on_packet(const trollius_os::PacketArrived& arrived) override {
        if (arrived.packet.event != watched) return;
        ++hops;
        for (const topologies::LinkWeight& one : weights) {
            const auto ends_here = [&](const topologies::WireEnd& end) {
                const auto* link = std::get_if<topologies::NodeLink>(&end);
                return link != nullptr && link->node == arrived.node && link->link == arrived.link;
            };
            if (ends_here(one.a) || ends_here(one.b)) weight += static_cast<int>(one.weight);
        }
    }
    vocabulary::EventNo watched{4711};
    int hops = 0, weight = 0;
    std::vector<topologies::LinkWeight> weights;
};

// Weight and hops of the lightest way between each two nodes, of those the way with the fewest hops. The host is left out.
using Way = std::pair<int, int>;
std::vector<std::vector<Way>> lightest_ways(const topologies::MachineDescription& machine) {
    const std::size_t count = machine.nodes.size();
    std::vector<std::vector<Way>> ways(count, std::vector<Way>(count, {1 << 20, 0}));
    for (std::size_t n = 0; n < count; ++n) ways[n][n] = {0, 0};
    for (const topologies::LinkWeight& one : machine.weights) {
        const std::size_t a = std::get<topologies::NodeLink>(one.a).node.value();
        const std::size_t b = std::get<topologies::NodeLink>(one.b).node.value();
        ways[a][b] = ways[b][a] = std::min(ways[a][b], {static_cast<int>(one.weight), 1});
    }
    for (std::size_t k = 0; k < count; ++k)
        for (std::size_t a = 0; a < count; ++a)
            for (std::size_t b = 0; b < count; ++b)
                ways[a][b] = std::min(ways[a][b], {ways[a][k].first + ways[k][b].first, ways[a][k].second + ways[k][b].second});
    return ways;
}

// Breadth first over the machine's wires, without the tables of the code under test.
std::vector<int> distances(const topologies::MachineDescription& machine, int from) {
    std::map<int, std::vector<int>> neighbours;
    for (const topologies::Wire& wire : machine.wires) {
        const auto* a = std::get_if<topologies::NodeLink>(&wire.a);
        const auto* b = std::get_if<topologies::NodeLink>(&wire.b);
        if (a == nullptr || b == nullptr) continue;
        neighbours[a->node.value()].push_back(b->node.value());
        neighbours[b->node.value()].push_back(a->node.value());
    }
    std::vector<int> away(machine.nodes.size(), -1);
    std::deque<int> queue{from};
    away[static_cast<std::size_t>(from)] = 0;
    while (!queue.empty()) {
        const int at = queue.front();
        queue.pop_front();
        for (const int next : neighbours[at]) {
            if (away[static_cast<std::size_t>(next)] >= 0) continue;
            away[static_cast<std::size_t>(next)] = away[static_cast<std::size_t>(at)] + 1;
            queue.push_back(next);
        }
    }
    return away;
}

// A random connected network of 12 nodes, each with two to four links.
topologies::MachineDescription random_network(unsigned seed) {
    std::mt19937 chance(seed);
    constexpr int nodes = 12;
    topologies::MachineDescription machine;
    machine.name = "random";
    machine.nodes.assign(nodes, {4 << 20, 20'000'000});
    std::vector<int> used(nodes, 0);
    const auto wire = [&](int a, int b) {
        if (a == b || used[static_cast<std::size_t>(a)] == 4 || used[static_cast<std::size_t>(b)] == 4) return;
        const auto end = [&](int n) {
            return topologies::NodeLink{NodeId(static_cast<std::uint16_t>(n)),
                                        vocabulary::LinkNo(static_cast<std::uint8_t>(used[static_cast<std::size_t>(n)]++))};
        };
        machine.wires.push_back({end(a), end(b)});
    };
    used[0] = 1;
    machine.wires.push_back({topologies::HostEnd{}, topologies::NodeLink{NodeId(0), vocabulary::LinkNo(0)}});
    for (int n = 1; n < nodes; ++n) wire(static_cast<int>(chance() % static_cast<unsigned>(n)), n);
    for (int extra = 0; extra < 8; ++extra) wire(static_cast<int>(chance() % nodes), static_cast<int>(chance() % nodes));
    return machine;
}

}  // namespace

class RoutesOfANetwork : public testing::TestWithParam<unsigned> {};

// Behaviour 11: every node reaches all; the hop count is that of the shortest path under weights.
TEST_P(RoutesOfANetwork, ReachEveryNodeByTheShortestPathUnderWeights) {
    topologies::MachineDescription machine = random_network(GetParam());
    std::mt19937 chance(GetParam());
    for (const topologies::Wire& wire : machine.wires)
        if (std::holds_alternative<topologies::NodeLink>(wire.a))
            machine.weights.push_back({wire.a, wire.b, static_cast<std::uint32_t>(1 + chance() % 5)});
    TestMulticomputer bench(machine);
    HopCounter counter;
    counter.weights = machine.weights;
    for (std::uint16_t n = 0; n <= 12; ++n) bench.box.kernel(NodeId(n)).add_witness(counter);
    bench.box.start_at_once();
    bench.run_for(SimTime::ms(20));
    const auto ways = lightest_ways(machine);
    const std::vector<int> reachable = distances(machine, 0);
    for (std::uint16_t from = 0; from < 12; ++from) {
        const std::vector<int> away = distances(machine, from);
        for (std::uint16_t to = 0; to < 12; ++to) {
            if (to == from || away[to] < 0 || reachable[from] < 0) continue;
            counter.hops = counter.weight = 0;
            bool arrived = false;
            bench.user(to, [&](Api& api) {
                trollius_os::Message message{.event = vocabulary::EventNo(4711)};
                api.nrecv(message);
                arrived = true;
            });
            bench.user(from, [&](Api& api) {
                trollius_os::Message message{.node = NodeId(to), .event = vocabulary::EventNo(4711)};
                api.nsend(message);
            });
            ASSERT_TRUE(bench.run_until([&] { return arrived; }));
            EXPECT_EQ(Way(counter.weight, counter.hops), ways[from][to]) << from << " to " << to;
        }
    }
}

TEST_P(RoutesOfANetwork, ReachEveryNodeInAsManyHopsAsTheShortestWayHas) {
    const topologies::MachineDescription machine = random_network(GetParam());
    TestMulticomputer bench(machine);
    HopCounter counter;
    for (std::uint16_t n = 0; n <= 12; ++n) bench.box.kernel(NodeId(n)).add_witness(counter);
    bench.box.start_at_once();
    bench.run_for(SimTime::ms(20));
    const std::vector<int> reachable = distances(machine, 0);
    for (std::uint16_t from = 0; from < 12; ++from) {
        if (reachable[from] < 0) continue;  // a wire that found no free link
        const std::vector<int> away = distances(machine, from);
        for (std::uint16_t to = 0; to < 12; ++to) {
            if (to == from || away[to] < 0) continue;
            counter.hops = 0;
            bool arrived = false;
            bench.user(to, [&](Api& api) {
                trollius_os::Message message{.event = vocabulary::EventNo(4711)};
                api.nrecv(message);
                arrived = true;
            });
            bench.user(from, [&](Api& api) {
                trollius_os::Message message{.node = NodeId(to), .event = vocabulary::EventNo(4711)};
                api.nsend(message);
            });
            ASSERT_TRUE(bench.run_until([&] { return arrived; }));
            EXPECT_EQ(counter.hops, away[to]) << from << " to " << to;
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Networks, RoutesOfANetwork, testing::Range(1U, 9U));

class LoadingAChain : public testing::TestWithParam<int> {};

TEST_P(LoadingAChain, WorksInAnyOrderOfStart) {
    TestMulticomputer bench(topologies::chain(4));
    std::vector<int> order{0, 1, 2, 3}, started;
    for (int i = 0; i < GetParam(); ++i) std::next_permutation(order.begin(), order.end());
    bench.box.programs()["worker"] = {40'000, 4096,
                                      [&](Api& api, const trollius_os::Arguments&) { started.push_back(api.node().value()); }};
    bench.box.start_at_once();
    bench.run_for(SimTime::ms(20));
    for (const int node : order) {
        bench.box.host().create({"loadgo", trollius_os::Priority::Low, 0, 1024, [&bench, node](Api& api) {
                                     trollius_os::loadgo(api, NodeId(static_cast<std::uint16_t>(node)), bench.box.host_id(),
                                                         "worker");
                                 }});
    }
    EXPECT_TRUE(bench.run_until([&] { return started.size() == 4; }));
    EXPECT_THAT(started, testing::UnorderedElementsAre(0, 1, 2, 3));
}
INSTANTIATE_TEST_SUITE_P(Orders, LoadingAChain, testing::Range(0, 24));

TEST(StateOfAChain, HangsWhenItReachesACrashedNode) {
    TestMulticomputer bench(topologies::chain(4));
    bench.box.start_at_once();
    bench.run_for(SimTime::ms(20));
    bench.box.kernel(NodeId(2)).port().crash();
    const trollius_commands::Site site{
        .nodes = 4, .host = bench.box.host_id(), .usual = {}, .most_packet = 4096, .programs = {}};
    const trollius_commands::CommandRun run(bench.box.host(), site,
                                            trollius_commands::parse_command({"state", "-g", "n0-3"}, site), std::nullopt);
    EXPECT_FALSE(bench.run_until([&] { return run.over(); }, SimTime::s(100)));
    EXPECT_THAT(run.text(), testing::HasSubstr("\nn1 "));
    EXPECT_THAT(run.text(), testing::Not(testing::HasSubstr("\nn2 ")));
    EXPECT_THAT(run.text(), testing::Not(testing::HasSubstr("\nn3 ")));
}
