// Boot by bootd: order, clocks, routers that are dumb until their table comes, and links that are dead.
#include <gmock/gmock.h>

#include <memory>

#include <hw_model/fault_injector.hpp>
#include <topologies/fault_plan.hpp>
#include <topologies/generators.hpp>
#include <trollius_hosted/multicomputer.hpp>
#include <trollius_os/services.hpp>

#include "child_process.hpp"
#include "test_multicomputer.hpp"

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using trollius_os::Api;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;

NodeId boot_node_of(std::size_t number) {
    return NodeId(static_cast<NodeId::value_type>(number));
}

// `faults`: the entries of a fault plan.
struct FullBootBench {
    explicit FullBootBench(const topologies::MachineDescription& description, const std::string& faults = "",
                           const topologies::CostTable& costs = test_support::standard_costs())
        : plan(faults.empty() ? topologies::FaultPlan()
                              : topologies::parse_fault_plan("version: 1\nfaults: [" + faults + "]\n", "f", description)),
          box(description, costs, 7, {}, {.tapped_wires = plan.wires()}),
          injector(plan, box.machine()) {
        injector.arm(SimTime::s(100));
    }
    void run_until(const std::function<bool()>& done, SimTime limit = SimTime::s(60)) {
        box.run(limit, SimTime::us(100), done);
    }
    // In the order in which the nodes came up, the host left out.
    std::vector<int> boot() {
        std::vector<int> order;
        box.boot_in_full();
        run_until([&] {
            for (std::size_t i = 0; i < box.node_count(); ++i) {
                const bool is_new = std::find(order.begin(), order.end(), static_cast<int>(i)) == order.end();
                if (is_new && box.booted(boot_node_of(i))) order.push_back(static_cast<int>(i));
            }
            return box.booted();
        });
        EXPECT_TRUE(box.booted());
        return order;
    }
    // The nodes that answer an echo.
    std::vector<int> answering(const std::vector<int>& nodes) {
        std::vector<int> answered;
        for (const int node : nodes) {
            box.host().create({"tping", trollius_os::Priority::Low, 0, 1024, [&answered, node](Api& api) {
                                   trollius_os::echo(api, boot_node_of(static_cast<std::size_t>(node)), 1);
                                   answered.push_back(node);
                               }});
            box.run(box.now() + SimTime::ms(50), SimTime::ms(1), [&] { return !answered.empty() && answered.back() == node; });
        }
        return answered;
    }

    topologies::FaultPlan plan;
    trollius_hosted::Multicomputer box;
    hw_model::FaultInjector injector;
};

}  // namespace

TEST(FullBoot, BootsFromTheHostOutwardsAndReachesEveryNode) {
    FullBootBench bench(topologies::chain(4));
    EXPECT_THAT(bench.boot(), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(bench.box.not_booted(), IsEmpty());
    EXPECT_THAT(bench.answering({0, 1, 2, 3}), ElementsAre(0, 1, 2, 3));
    for (std::size_t i = 0; i <= 4; ++i)
        EXPECT_EQ(bench.box.services(boot_node_of(i)).routes,
                  trollius_os::RouteTable(bench.box.machine().network().routes(boot_node_of(i))));
}

TEST(FullBoot, FollowsTheBootOrder) {
    auto tree = topologies::binary_tree(8);  // n1 has n2 and n3
    tree.boot_order = {NodeId(0), NodeId(1), NodeId(3), NodeId(7), NodeId(6), NodeId(2)};
    FullBootBench bench(tree);
    const std::vector<int> order = bench.boot();
    const auto place = [&](int node) { return std::find(order.begin(), order.end(), node) - order.begin(); };
    EXPECT_EQ(order.size(), 8U);
    EXPECT_LT(place(3), place(2));
    EXPECT_LT(place(7), place(6));
    EXPECT_LT(place(4), place(5));  // not in the order, so by number
}

TEST(FullBoot, GivesBootOfEachNodeToTheNeighbourThatBootedIt) {
    auto ring = topologies::ring(4);  // n0's neighbours are n1 and n3
    ring.boot_order = {NodeId(0), NodeId(3), NodeId(2), NodeId(1)};
    FullBootBench bench(ring);
    bench.boot();
    std::vector<NodeId> children;
    bench.box.kernel(NodeId(3)).create({"user", trollius_os::Priority::Low, 0, 1024, [&](Api& api) {
                                            children = trollius_os::getnodes(api, trollius_os::node_types::boot,
                                                                             trollius_os::node_types::boot);
                                        }});
    bench.run_until([&] { return !children.empty(); });
    EXPECT_THAT(children, ElementsAre(NodeId(2)));
}

TEST(FullBoot, SetsTheClocksOfTheNodes) {
    FullBootBench bench(topologies::chain(6));
    const auto clock = [&](std::size_t node) {
        return static_cast<std::int64_t>(bench.box.port(boot_node_of(node)).clock_us(trollius_os::Priority::High));
    };
    const std::int64_t before = std::abs(clock(5) - clock(6));
    bench.boot();
    std::int64_t most = 0;
    for (std::size_t node = 0; node < 6; ++node) most = std::max(most, std::abs(clock(node) - clock(6)));
    // A microsecond a hop, and the drift since, at most 30 ppm each of the nodes above.
    const auto drift = static_cast<std::int64_t>(bench.box.now().in_us() * 30 / 1'000'000);
    EXPECT_LE(most, 6 + drift);
    EXPECT_LT(most, before);
}

TEST(FullBoot, LeavesARouterDumbUntilItsTableHasCome) {
    FullBootBench bench(topologies::chain(3));
    bench.box.boot_in_full();
    bench.run_until([&] { return bench.box.booted(NodeId(0)); });
    ASSERT_FALSE(bench.box.services(NodeId(0)).router.smart);
    bool smart = false;
    trollius_os::EventNo way{};
    bench.box.kernel(NodeId(0)).create({"user", trollius_os::Priority::Low, 0, 1024, [&](Api& api) {
                                            way = trollius_os::getrent(api, NodeId(2)).next;
                                            smart = true;
                                        }});
    bench.run_until([&] { return bench.box.booted(NodeId(2)); });
    EXPECT_FALSE(smart) << "the client waits while the others boot";
    EXPECT_FALSE(bench.box.services(NodeId(2)).router.smart);
    bench.run_until([&] { return smart; });
    EXPECT_TRUE(bench.box.services(NodeId(0)).router.smart);
    EXPECT_FALSE(bench.box.services(NodeId(2)).router.smart) << "the nearest has its table first";
    EXPECT_EQ(way, trollius_os::datalink_event(LinkNo(1)));
    bench.run_until([&] { return bench.box.booted(); });
    EXPECT_TRUE(bench.box.services(NodeId(2)).router.smart);
}

TEST(FullBoot, NamesADeadLinkAndTheNodesBehindIt) {
    FullBootBench bench(topologies::binary_tree(8), "{cut: n1.1 - n2.0, at: 0ms}");
    EXPECT_THAT(bench.boot(), ElementsAre(0, 1, 3, 6, 7));
    EXPECT_THAT(bench.box.not_booted(), ElementsAre("n2 could not be booted: it did not answer through n1.1 - n2.0",
                                                    "n4 and n5 could not be booted: no way leads there past that node"));
    EXPECT_THAT(bench.answering({0, 1, 3, 6, 7}), ElementsAre(0, 1, 3, 6, 7));
    EXPECT_FALSE(bench.box.network().routes(bench.box.host_id())[4]);
}

TEST(FullBoot, TakesAnotherWayRoundADeadLink) {
    const auto ring = topologies::ring(5);
    const topologies::Network network(ring);
    std::string link;
    for (const topologies::Path& path : network.paths()) {
        const auto* a = std::get_if<topologies::NodeLink>(&path.a);
        const auto* b = std::get_if<topologies::NodeLink>(&path.b);
        if (a != nullptr && b != nullptr && a->node == NodeId(0) && b->node == NodeId(1))
            link = "n0." + std::to_string(a->link.value()) + " - n1." + std::to_string(b->link.value());
    }
    FullBootBench bench(ring, "{cut: " + link + ", at: 0ms}");
    const std::vector<int> order = bench.boot();
    EXPECT_THAT(order, ElementsAre(0, 4, 3, testing::AnyOf(1, 2), testing::AnyOf(1, 2)));
    EXPECT_THAT(bench.box.not_booted(), IsEmpty());
    EXPECT_THAT(bench.answering({0, 1, 2, 3, 4}), ElementsAre(0, 1, 2, 3, 4));
    EXPECT_EQ(bench.box.network().hops(NodeId(0))[1], 4U);
}

TEST(FullBoot, NamesADeadNodeWithEachLinkThatWasTried) {
    auto mesh = topologies::mesh(2, 2);  // n0 - n1, n0 - n2, n1 - n3, n2 - n3
    FullBootBench bench(mesh, "{die: n3, at: 0ms}");
    bench.boot();
    ASSERT_EQ(bench.box.not_booted().size(), 1U);
    EXPECT_THAT(bench.box.not_booted()[0],
                testing::AllOf(testing::StartsWith("n3 could not be booted: it did not answer through n1."),
                               testing::HasSubstr(" and n2.")));
    EXPECT_THAT(bench.answering({0, 1, 2}), ElementsAre(0, 1, 2));
}

TEST(FullBoot, SaysThatNothingAnswersAtTheHostsOwnLink) {
    FullBootBench bench(topologies::chain(3), "{cut: host - n0.0, at: 0ms}");
    EXPECT_THAT(bench.boot(), IsEmpty());
    EXPECT_THAT(bench.box.not_booted(), ElementsAre("n0 could not be booted: it did not answer through host - n0.0",
                                                    "n1 and n2 could not be booted: no way leads there past that node"));
}

TEST(FullBoot, WorksOverSwitchesAndInTheMiddleOfBoot) {
    FullBootBench bench(topologies::chain(4, true));
    bench.box.boot();  // the switches are being set
    bench.boot();
    EXPECT_THAT(bench.box.not_booted(), IsEmpty());
    EXPECT_THAT(bench.answering({3}), ElementsAre(3));
}

TEST(FullBoot, MayComeAfterBootWhenNothingHasMoved) {
    FullBootBench bench(topologies::chain(3));
    bench.box.boot();
    bench.box.machine().run_until(SimTime());
    EXPECT_THAT(bench.boot(), ElementsAre(0, 1, 2));
    EXPECT_THAT(bench.answering({2}), ElementsAre(2));
}

TEST(FullBoot, IsTheSameEachTime) {
    const auto time = [] {
        FullBootBench bench(topologies::random_regular(20, 3, {.gateway = true}), "{die: n7, at: 0ms}");
        bench.boot();
        return bench.box.now().in_ps();
    };
    const auto one = test_support::in_child(time), two = test_support::in_child(time);
    ASSERT_TRUE(one && two);
    EXPECT_EQ(*one, *two);
}

TEST(FullBootDeath, BeginsAtPowerUp) {
    FullBootBench bench(topologies::chain(2));
    bench.box.boot();
    bench.box.run(SimTime::ms(1), SimTime::us(100), [] { return false; });
    EXPECT_DEATH(bench.box.boot_in_full(), "multicomputer.boot_in_full.at_power_up");
}

TEST(BootBlock, HasTheNodesBehindOneInTheirOrder) {
    using trollius_os::services::BootEntry;
    const std::vector<BootEntry> block = {
        {NodeId(0), NodeId(1), 1}, {NodeId(0), NodeId(2), 2}, {NodeId(1), NodeId(3), 1}, {NodeId(3), NodeId(4), 0}};
    EXPECT_THAT(trollius_os::services::block_behind(block, NodeId(1)), ElementsAre(block[2], block[3]));
    EXPECT_EQ(trollius_os::services::decode_block(trollius_os::services::encode_block(block)), block);
    auto damaged = block;
    damaged[1].link = 4;
    damaged[2].node.word = 1 << 20;
    EXPECT_THAT(trollius_os::services::decode_block(trollius_os::services::encode_block(damaged)),
                ElementsAre(block[0], block[3]));
    EXPECT_THAT(trollius_os::services::decode_block({}), IsEmpty());
}
