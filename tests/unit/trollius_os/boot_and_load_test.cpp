// From power-up to a running program.
#include <gmock/gmock.h>

#include <optional>

#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;

class BootedMachine : public testing::TestWithParam<const char*> {};

TEST_P(BootedMachine, HasEveryNodeUpAfterTheImageHasTravelledDown) {
    TestMulticomputer bench(test_support::machine_file(GetParam()));
    bench.box.boot();
    ASSERT_TRUE(bench.run_until([&] { return bench.box.booted(); }, SimTime::s(10), SimTime::us(100)));
    // Four levels of store and forward; the children of a node get it one after the other. So at least 5 images of 48 KiB pass
    // in a row.
    EXPECT_GT(bench.box.now(), SimTime::ns(575) * 49'152 * 5);
    EXPECT_LT(bench.box.now(), SimTime::s(1));
    std::vector<SimTime> answers;
    bench.box.host().create({"tping", trollius_os::Priority::Low, 0, 1024, [&](Api& api) {
                                 for (std::uint16_t node = 0; node < 8; ++node)
                                     answers.push_back(trollius_os::echo(api, NodeId(node), 100));
                             }});
    bench.run_for(SimTime::s(1));
    EXPECT_EQ(answers.size(), 8u);
}
INSTANTIATE_TEST_SUITE_P(Files, BootedMachine, testing::Values("btree_8", "btree_8_c004"));

namespace {

struct LoadBench : TestMulticomputer {
    LoadBench() : TestMulticomputer(topologies::chain(3)) {
        box.programs()["worker"] = {
            40'000, 4096, [this](Api& api, std::int32_t argument) { started.emplace_back(api.node().value(), argument); }};
        box.programs()["huge"] = {64'000'000, 4096, [](Api&, std::int32_t) {}};
        box.programs()["deep"] = {1'000, 64'000'000, [](Api&, std::int32_t) {}};
        box.start_at_once();
        run_for(SimTime::ms(20));
    }
    std::optional<vocabulary::ProcessId> load(const std::string& program, std::uint16_t node, std::int32_t argument) {
        std::optional<vocabulary::ProcessId> pid;
        bool done = false;
        box.host().create({"loadgo", trollius_os::Priority::Low, 0, 1024, [&](Api& api) {
                               pid = trollius_os::loadgo(api, NodeId(node), box.host_id(), program, argument);
                               done = true;
                           }});
        run_for(SimTime::s(1));
        EXPECT_TRUE(done);
        return pid;
    }
    std::uint64_t used(std::uint16_t node) { return box.machine().node(NodeId(node)).arena.used_bytes(); }
    std::vector<std::pair<int, int>> started;
};

}  // namespace

TEST(Loadgo, StartsAProgramOnTheNodeWithItsArgument) {
    LoadBench bench;
    EXPECT_TRUE(bench.load("worker", 2, 7));
    EXPECT_TRUE(bench.load("worker", 0, 8));
    EXPECT_THAT(bench.started, testing::ElementsAre(std::pair(2, 7), std::pair(0, 8)));
}

TEST(Loadgo, TakesTheProgramsMemoryOnItsNode) {
    LoadBench bench;
    const std::uint64_t before = bench.used(2);
    bench.load("worker", 2, 0);
    EXPECT_EQ(bench.used(2), before + 40'000);  // its stack is given back: it has ended
}

TEST(Loadgo, RefusesWhatTheNodesMemoryIsTooSmallFor) {
    LoadBench bench;
    const std::uint64_t before = bench.used(1);
    EXPECT_FALSE(bench.load("huge", 1, 0));
    EXPECT_FALSE(bench.load("deep", 1, 0));
    EXPECT_EQ(bench.used(1), before);
    EXPECT_TRUE(bench.load("worker", 1, 1));
}

TEST(Loadgo, RefusesAnUnknownProgram) {
    LoadBench bench;
    EXPECT_FALSE(bench.load("nobody", 1, 0));
}

TEST(Loadgo, GoesOnForAHundredCommands) {
    LoadBench bench;
    for (int i = 0; i < 70; ++i) ASSERT_TRUE(bench.load("worker", 1, i)) << i;
}
