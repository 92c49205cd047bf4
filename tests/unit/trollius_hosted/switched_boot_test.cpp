// Boot of machines with crossbars, with several connections of the host, and of those that cannot be booted.
#include <gmock/gmock.h>

#include <topologies/generators.hpp>
#include <trollius_hosted/reconfigurer.hpp>

#include "child_process.hpp"
#include "test_multicomputer.hpp"

namespace {

using test_support::TestMulticomputer;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;

SimTime boot_time(TestMulticomputer& machine) {
    machine.box.boot();
    machine.run_until([&] { return machine.box.booted() || !machine.box.failure().empty(); });
    return machine.box.now();
}

}  // namespace

TEST(ReconfigurerDeathTest, TakesOrdersOnceItHasStarted) {
    TestMulticomputer machine(topologies::chain(6, true));
    trollius_hosted::Reconfigurer reconfigurer(machine.box, {});
    EXPECT_DEATH(reconfigurer.order({}), "reconfigurer.order.from_now_on");
}

TEST(SwitchedBoot, SetsTheSwitchesByConfigurationMessagesBeforeTheImageGoesOut) {
    TestMulticomputer machine(topologies::chain(6, true));
    boot_time(machine);
    ASSERT_TRUE(machine.box.booted()) << machine.box.failure();
    const auto& programmed = machine.box.programmed();
    EXPECT_TRUE(programmed.differences.empty());
    // Reset, three bytes a connection, end of set-up; an enquiry about each of 32 outputs.
    std::size_t connections = machine.box.description().switches[0].connections.size();
    EXPECT_EQ(programmed.bytes, 2 + 3 * connections + 64);
    EXPECT_GT(programmed.ended, programmed.began);
    EXPECT_EQ(machine.box.machine().link_switch(vocabulary::SwitchId(0)).status().messages, 2 + connections + 32);
}

TEST(SwitchedBoot, TakesTwoControlConnectionsAtOnce) {
    auto description = topologies::binary_tree(63, true);
    ASSERT_GE(description.switches.size(), 4u);
    const auto time_with = [&](std::vector<std::vector<vocabulary::SwitchId>> control) {
        description.control = std::move(control);
        TestMulticomputer machine(description);
        boot_time(machine);
        return machine.box.programmed().ended - machine.box.programmed().began;
    };
    std::vector<vocabulary::SwitchId> near, far, all;
    for (std::uint16_t i = 0; i < description.switches.size(); ++i) {
        (i % 2 == 0 ? near : far).emplace_back(i);
        all.emplace_back(i);
    }
    const auto one = test_support::in_child([&] { return time_with({all}).in_ps(); });
    const auto two = test_support::in_child([&] { return time_with({near, far}).in_ps(); });
    ASSERT_TRUE(one && two);
    EXPECT_LT(*two, *one * 2 / 3);
}

TEST(SwitchedBoot, FailsAtASwitchThatIsNotAsItWasSetAndNamesIt) {
    TestMulticomputer machine(topologies::chain(6, true));
    const auto [a, b] = machine.box.description().switches[0].connections.front();
    machine.box.machine().link_switch(vocabulary::SwitchId(0)).stick(b, std::optional(vocabulary::WayNo(31)));
    boot_time(machine);
    EXPECT_FALSE(machine.box.booted());
    EXPECT_THAT(machine.box.failure(), testing::HasSubstr(" output " + std::to_string(b.value()) +
                                                          " is connected to input 31, not " + std::to_string(a.value())));
}

TEST(SwitchedBoot, RefusesAMachineWithoutAHost) {
    auto description = topologies::chain(3);
    std::erase_if(description.wires, [](const topologies::Wire& wire) {
        return std::holds_alternative<topologies::HostEnd>(wire.a) || std::holds_alternative<topologies::HostEnd>(wire.b);
    });
    description.without_host = true;
    TestMulticomputer machine(description);
    boot_time(machine);
    EXPECT_FALSE(machine.box.booted());
    EXPECT_THAT(machine.box.failure(), testing::StartsWith("machine 'chain_3' has no host"));
}

TEST(SwitchedBoot, WaitsOnlyForNodesThatTheHostCanReach) {
    auto description = topologies::chain(6, true);
    description.switches[0].connections.erase(description.switches[0].connections.begin() + 3);  // n3 - n4
    description.unreachable_allowed = true;
    TestMulticomputer machine(description);
    boot_time(machine);
    EXPECT_TRUE(machine.box.booted()) << machine.box.failure();
    EXPECT_TRUE(machine.box.booted(NodeId(3)));
    EXPECT_FALSE(machine.box.booted(NodeId(4)));
}

TEST(SwitchedBoot, UsesEveryConnectionOfTheHost) {
    auto description = topologies::chain(8);
    const auto one = test_support::in_child([&] {
        TestMulticomputer machine(description);
        return boot_time(machine).in_ps();
    });
    description.wires.push_back({topologies::HostEnd{LinkNo(3)}, topologies::NodeLink{NodeId(7), LinkNo(3)}});
    TestMulticomputer machine(description);
    const SimTime two = boot_time(machine);
    ASSERT_TRUE(one);
    EXPECT_TRUE(machine.box.booted());
    EXPECT_LT(two.in_ps(), *one * 3 / 4) << "the image comes from both sides";
    EXPECT_GT(machine.box.machine().node(NodeId(7)).link(LinkNo(3))->totals().lost_on_arrival + 1, 0u);
    EXPECT_EQ(machine.box.network().routes(NodeId(7))[machine.box.host_id().value()], LinkNo(3));
}
