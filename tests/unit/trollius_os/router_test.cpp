// The router of a node: types of nodes, orders, and what a dumb one does.
#include <gmock/gmock.h>

#include "daemon_bench.hpp"

using test_support::DaemonBench;
using test_support::NodeId;
using test_support::SimTime;
using testing::ElementsAre;
using trollius_os::Api;
using trollius_os::datalink_event;
using trollius_os::LinkNo;
using trollius_os::NodeKind;
using trollius_os::nowhere;
using trollius_os::services::RouteEntry;
namespace errors = trollius_os::errors;
namespace types = trollius_os::node_types;

namespace {
constexpr NodeId host{4};
}

TEST(Router, KnowsTheTypesOfAllNodes) {
    DaemonBench bench;
    bench.ask(
        [](Api& api) {
            EXPECT_EQ(trollius_os::getrent(api, NodeId(1)).type, types::itb | types::me);
            EXPECT_EQ(trollius_os::getrent(api, NodeId(0)).type, types::itb | types::jones);  // it has booted this one
            EXPECT_EQ(trollius_os::getrent(api, NodeId(2)).type, types::itb | types::jones | types::boot);
            EXPECT_EQ(trollius_os::getrent(api, NodeId(3)).type, types::itb);
            EXPECT_EQ(trollius_os::getrent(api, host).type, types::origin);
            EXPECT_EQ(trollius_os::getrent(api, NodeId(5)).error, errors::bad_node);
            EXPECT_EQ(trollius_os::getrent(api, NodeId(3)).next, trollius_os::getrent(api, NodeId(2)).next);
            EXPECT_EQ(trollius_os::getrent(api, NodeId(1)).next, nowhere);
        },
        1);
}

TEST(Router, CountsAndListsNodesByType) {
    DaemonBench bench;
    bench.ask([](Api& api) {
        EXPECT_EQ(trollius_os::getntype(api, 0, 0), 5U);
        EXPECT_EQ(trollius_os::getntype(api, types::itb, types::itb), 4U);
        EXPECT_THAT(trollius_os::getnodes(api, 0, types::itb), ElementsAre(host));
        EXPECT_THAT(trollius_os::getnodes(api, types::jones, types::jones), ElementsAre(NodeId(0)));
        EXPECT_THAT(trollius_os::getnodes(api, 0, types::jones | types::me), ElementsAre(NodeId(1), NodeId(2), NodeId(3)));
        EXPECT_THAT(trollius_os::getnodes(api, types::waste, types::waste), ElementsAre());
    });
}

TEST(Router, ListsMoreNodesThanAPacketHolds) {
    auto costs = test_support::standard_costs();
    costs.set("kernel.most_packet", 64, "test");  // sixteen ids
    test_support::TestMulticomputer bench(topologies::chain(40), costs);
    bench.box.start_at_once();
    std::size_t listed = 0;
    bench.user(3, [&](Api& api) { listed = trollius_os::getnodes(api, types::itb, types::itb).size(); });
    bench.run_for(SimTime::ms(20));
    EXPECT_EQ(listed, 40U);
}

TEST(Router, TakesEntriesFromAnotherNode) {
    DaemonBench bench;
    bench.ask([](Api& api) {
        const RouteEntry entry{.node = NodeId(3), .link = 1, .type = types::itb | types::waste};
        EXPECT_EQ(trollius_os::rrsetrents(api, NodeId(2), std::span(&entry, 1)), 0);
        EXPECT_EQ(trollius_os::rremrent(api, NodeId(2), NodeId(1)), 0);
        EXPECT_EQ(trollius_os::rremrent(api, NodeId(2), NodeId(1)), errors::bad_node);
    });
    bench.ask(
        [](Api& api) {
            EXPECT_EQ(trollius_os::getrent(api, NodeId(3)).type, types::itb | types::waste);
            EXPECT_EQ(trollius_os::getrent(api, NodeId(3)).next, datalink_event(LinkNo(1)));
            const NodeKind gone = trollius_os::getrent(api, NodeId(1));
            EXPECT_EQ(gone.error, errors::bad_node);
            EXPECT_EQ(gone.next, nowhere);
            EXPECT_EQ(trollius_os::getntype(api, 0, 0), 4U);
        },
        2);
}

TEST(Router, RefusesWrongEntriesAndKeepsAllOfItsOwn) {
    DaemonBench bench;
    const auto refused = [](Api& api, const RouteEntry& wrong) {
        const RouteEntry entries[] = {{.node = NodeId(3), .link = -1, .type = 0}, wrong};
        return trollius_os::rrsetrents(api, NodeId(2), entries);
    };
    bench.ask([&](Api& api) {
        EXPECT_EQ(refused(api, {.node = NodeId(9), .link = 0}), errors::no_route_descriptors);
        EXPECT_EQ(refused(api, {.node = NodeId(0), .link = 3}), errors::bad_link);  // no wire there
        EXPECT_EQ(refused(api, {.node = NodeId(0), .link = 15}), errors::bad_link);
        EXPECT_EQ(refused(api, {.node = NodeId(0), .link = INT32_MIN}), errors::bad_link);
        EXPECT_EQ(refused(api, {.node = NodeId(2), .link = 0}), errors::bad_node);
        EXPECT_EQ(trollius_os::rremrent(api, NodeId(2), NodeId(77)), errors::bad_node);
        EXPECT_GT(trollius_os::echo(api, NodeId(3), 1).in_ps(), 0);
    });
}

TEST(Router, LetsClientsOfADumbOneWait) {
    DaemonBench bench;
    bench.ask([](Api& api) { EXPECT_EQ(trollius_os::rrsetsmart(api, NodeId(2), false), 0); });
    bool smart = false, listed = false;
    bench.begin([](Api& api) { trollius_os::getsmart(api); }, smart, 2);
    bench.begin([](Api& api) { EXPECT_EQ(trollius_os::getnodes(api, 0, 0).size(), 5U); }, listed, 2);
    bench.run_for(SimTime::ms(50));
    EXPECT_FALSE(smart);
    EXPECT_FALSE(listed);
    bench.ask([](Api& api) { EXPECT_GT(trollius_os::echo(api, NodeId(3), 1).in_ps(), 0); });  // what passes does not wait
    EXPECT_FALSE(smart);
    bench.ask([](Api& api) { EXPECT_EQ(trollius_os::rrsetsmart(api, NodeId(2), true), 0); });
    bench.run_for(SimTime::ms(5));
    EXPECT_TRUE(smart);
    EXPECT_TRUE(listed);
}

TEST(Router, OutlivesClientsThatAreDoomedWhileItIsDumb) {
    DaemonBench bench;
    bench.ask([](Api& api) { trollius_os::rrsetsmart(api, NodeId(2), false); }, 2);
    for (int i = 0; i < 300; ++i) {
        trollius_os::Process* client = bench.user(2, [](Api& api) { trollius_os::getsmart(api); });
        ASSERT_NE(client, nullptr);
        bench.run_for(SimTime::ms(1));
        bench.box.kernel(NodeId(2)).doom(*client);
    }
    bool waits = false;
    bench.begin([](Api& api) { trollius_os::getsmart(api); }, waits, 2);
    bench.ask([](Api& api) { trollius_os::rrsetsmart(api, NodeId(2), true); }, 2);
    bench.run_for(SimTime::ms(5));
    EXPECT_TRUE(waits);
}

TEST(Router, HasNoHelperUntilAnOrderComesFromAfar) {
    DaemonBench bench;
    bench.ask([](Api& api) { trollius_os::getnodes(api, 0, 0); }, 2);
    EXPECT_FALSE(bench.runs(2, "rrouter"));
    bench.ask([](Api& api) { trollius_os::rrsetsmart(api, NodeId(2), true); });
    EXPECT_TRUE(bench.runs(2, "rrouter"));
}

TEST(Router, KnowsTheNodesThatDoNotComputeAndRoutesByWeight) {
    auto ring = topologies::ring(5);  // n0.0 is the host's; n0.1 - n1, n0.2 - n4
    const topologies::Network network(ring);
    for (const topologies::Path& path : network.paths()) {
        const auto* a = std::get_if<topologies::NodeLink>(&path.a);
        const auto* b = std::get_if<topologies::NodeLink>(&path.b);
        if (a != nullptr && b != nullptr && a->node == NodeId(0) && b->node == NodeId(1)) ring.weights = {{path.a, path.b, 5}};
    }
    ASSERT_EQ(ring.weights.size(), 1U);
    ring.waste = {NodeId(3)};
    test_support::TestMulticomputer bench(ring);
    bench.box.start_at_once();
    bool asked = false;
    bench.user(0, [&](Api& api) {
        EXPECT_EQ(trollius_os::getrent(api, NodeId(3)).type, types::itb | types::waste);
        EXPECT_THAT(trollius_os::getnodes(api, types::waste, types::waste), ElementsAre(NodeId(3)));
        EXPECT_EQ(trollius_os::getntype(api, types::itb, types::itb | types::waste), 4U);
        EXPECT_EQ(trollius_os::getrent(api, NodeId(1)).next, trollius_os::getrent(api, NodeId(4)).next);
        asked = true;
    });
    ASSERT_TRUE(bench.run_until([&] { return asked; }));
}
