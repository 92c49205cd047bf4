// Farms without a fault: every task comes back, whatever the tree and the way of working.
#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <numeric>
#include <ostream>

#include <trollius_os/services.hpp>

#include "child_process.hpp"
#include "test_farm.hpp"

using farm_spec::FarmSpec;
using farm_spec::TreeKind;
using test_support::in_child;
using test_support::SimTime;
using test_support::TestFarm;
using test_support::uniform_tasks;

namespace {

struct Shape {
    std::uint32_t nodes;
    TreeKind tree;
    std::uint32_t tasks, degree, depth, buffers;
    bool managers_high;
    FarmSpec config() const { return {nodes, tree, tasks, degree, depth, buffers, managers_high}; }
    friend void PrintTo(const Shape& s, std::ostream* out) {
        *out << s.nodes << "nodes_tree" << static_cast<int>(s.tree) << "_" << s.tasks << "tasks_degree" << s.degree << "_depth"
             << s.depth << "_buffers" << s.buffers << (s.managers_high ? "" : "_low");
    }
};
class EveryFarm : public testing::TestWithParam<Shape> {};

std::uint32_t sum(const std::vector<std::uint32_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), 0U);
}

}  // namespace

TEST_P(EveryFarm, BringsEveryTaskBackOnceAndReportsWhoComputed) {
    TestFarm farm(GetParam().config(), uniform_tasks(3000));
    ASSERT_TRUE(farm.run());
    EXPECT_TRUE(farm.every_task_returned_once(GetParam().tasks));
    const auto& result = farm.farm.result();
    ASSERT_EQ(result.distribution.size(), GetParam().nodes);
    EXPECT_EQ(result.distribution[0], 0u);
    if (GetParam().degree == 1) {
        EXPECT_EQ(sum(result.distribution), GetParam().tasks);
    } else {
        EXPECT_GE(sum(result.distribution), GetParam().tasks);
        EXPECT_EQ((sum(result.distribution) - GetParam().tasks) % (GetParam().degree - 1),
                  0u);  // a split makes `degree` of one
    }
    EXPECT_EQ(result.execution_us % 64, 0u);
    EXPECT_GT(result.execution_us, 0u);
    EXPECT_EQ(farm.printed, result.report);
    EXPECT_TRUE(farm.truth.bugs().empty());
}
INSTANTIATE_TEST_SUITE_P(
    Shapes, EveryFarm,
    testing::Values(Shape{2, TreeKind::Chain, 20, 1, 1, 1, true}, Shape{6, TreeKind::Chain, 60, 1, 1, 1, true},
                    Shape{20, TreeKind::Chain, 200, 1, 1, 1, true}, Shape{8, TreeKind::Binary, 100, 1, 1, 1, true},
                    Shape{16, TreeKind::Binary, 400, 1, 1, 1, true}, Shape{16, TreeKind::Binary, 400, 1, 1, 4, true},
                    Shape{14, TreeKind::Ternary, 200, 1, 1, 1, true}, Shape{9, TreeKind::Ternary, 100, 1, 1, 2, true},
                    Shape{8, TreeKind::Binary, 100, 1, 1, 1, false}, Shape{8, TreeKind::Binary, 100, 2, 5, 1, true},
                    Shape{16, TreeKind::Binary, 100, 2, 5, 1, true}, Shape{16, TreeKind::Binary, 100, 2, 2, 1, true},
                    Shape{14, TreeKind::Ternary, 100, 3, 5, 1, true}, Shape{14, TreeKind::Ternary, 100, 2, 5, 1, true},
                    Shape{8, TreeKind::Binary, 60, 4, 5, 1, true}, Shape{16, TreeKind::Binary, 60, 16, 1, 1, true},
                    Shape{6, TreeKind::Chain, 60, 2, 5, 1, true}, Shape{12, TreeKind::Chain, 40, 2, 20, 1, true},
                    Shape{16, TreeKind::Binary, 100, 2, 5, 3, true}, Shape{16, TreeKind::Binary, 100, 2, 5, 1, false},
                    Shape{1 + 1, TreeKind::Binary, 10, 2, 5, 1, true}));

TEST(Farm, FillsAChainFromItsHead) {
    // Five long tasks, one buffer: n1 computes one and holds one, n2 the same, n3 has the fifth.
    TestFarm farm({.nodes = 6, .tree = TreeKind::Chain, .tasks = 5}, uniform_tasks(1'000'000));
    ASSERT_TRUE(farm.run());
    EXPECT_THAT(farm.farm.result().distribution, testing::ElementsAre(0, 2, 2, 1, 0, 0));
}

TEST(Farm, NamesEachSubTaskByTheBranchesTakenToItsNode) {
    static constexpr std::array<std::uint32_t, 16> subtask_at = {0,      0x0000, 0x0000, 0x0010, 0x0000, 0x0100,
                                                                 0x0010, 0x0110, 0x0000, 0x1000, 0x0100, 0x1100,
                                                                 0x0010, 0x1010, 0x0110, 0x1110};
    TestFarm farm({.nodes = 16, .tree = TreeKind::Binary, .tasks = 60, .degree = 2, .depth = 5}, uniform_tasks(20'000));
    ASSERT_TRUE(farm.run());
    std::array<int, 16> seen{};
    for (const auto& [time, step] : farm.truth.steps()) {
        if (step.process != trek_kernel::UserProcess::Compute) continue;
        EXPECT_EQ(step.subtask, subtask_at[step.node.value()]) << "node " << step.node.value();
        ++seen[step.node.value()];
    }
    for (std::size_t node = 1; node < 16; ++node) EXPECT_GT(seen[node], 0) << "node " << node;
}

TEST(Farm, SplitsEveryTaskOnlyAsOftenAsItsDepthAllows) {
    TestFarm farm({.nodes = 16, .tree = TreeKind::Binary, .tasks = 60, .degree = 2, .depth = 1}, uniform_tasks(20'000));
    ASSERT_TRUE(farm.run());
    for (const auto& [time, step] : farm.truth.steps()) {
        EXPECT_TRUE(step.process != trek_kernel::UserProcess::Split || step.node.value() == 1);
    }
    EXPECT_EQ(farm.farm.result().distribution[4], 0u);
}

TEST(Farm, PrintsTheReportOfTheThesis) {
    TestFarm farm({.nodes = 3, .tree = TreeKind::Chain, .tasks = 4}, uniform_tasks(1000));
    ASSERT_TRUE(farm.run());
    EXPECT_EQ(farm.printed, "Execution time = " + std::to_string(farm.farm.result().execution_us) +
                                " microseconds\n***** Final Report*****\nConfiguration : Linear Chain\nTotal Nodes = "
                                "3\nGranularity = 1\nTotal Buffers = 1\n"
                                "Task Distribution:\nNode 0   0 Tasks\nNode 1   " +
                                std::to_string(farm.farm.result().distribution[1]) + " Tasks\nNode 2   " +
                                std::to_string(farm.farm.result().distribution[2]) + " Tasks\nResults taken = 4\n");
}

TEST(Farm, EndsWithoutATask) {
    TestFarm farm({.nodes = 4, .tree = TreeKind::Binary, .tasks = 0}, uniform_tasks(1000));
    EXPECT_TRUE(farm.run(SimTime::s(2)));
}

// The master comes last, as in the sessions of the thesis.
class LoadingOrder : public testing::TestWithParam<std::array<std::uint16_t, 4>> {};

TEST_P(LoadingOrder, OfTheSlavesDoesNotMatterToAFarm) {
    test_support::TestMulticomputer bench(topologies::chain(4));
    ground_truth::Truth truth;
    trek_kernel::SimulatedApplication application(uniform_tasks(2000), {});
    const FarmSpec config{.nodes = 4, .tree = TreeKind::Chain, .tasks = 30};
    trek_kernel::Farm farm(trek_hosted::farm_setup(bench.box, config, test_support::standard_costs(), application, {&truth}));
    bench.box.programs()["master"] = farm.master();
    bench.box.programs()["slave"] = farm.slave();
    bench.box.start_at_once();
    bench.box.host().create({"loadgo", trollius_os::Priority::Low, 0, 1024, [&](trollius_os::Api& api) {
                                 for (const std::uint16_t node : GetParam()) {
                                     EXPECT_TRUE(trollius_os::loadgo(api, test_support::NodeId(node), bench.box.host_id(),
                                                                     node == 0 ? "master" : "slave"));
                                 }
                             }});
    EXPECT_TRUE(bench.run_until([&] { return farm.result().finished; }, SimTime::s(20)))
        << farm.started_nodes() << " nodes started";
    EXPECT_EQ(truth.results_at_manager(), 30u);
}
INSTANTIATE_TEST_SUITE_P(Orders, LoadingOrder,
                         testing::Values(std::array<std::uint16_t, 4>{1, 2, 3, 0}, std::array<std::uint16_t, 4>{3, 2, 1, 0},
                                         std::array<std::uint16_t, 4>{2, 3, 1, 0}));

namespace {

struct Outcome {
    char hash[17];
    std::uint64_t execution_us;
    bool operator==(const Outcome& other) const {
        return std::strcmp(hash, other.hash) == 0 && execution_us == other.execution_us;
    }
};

Outcome outcome_of(std::uint32_t degree, std::uint64_t seed) {
    TestFarm farm({.nodes = 16, .tree = TreeKind::Binary, .tasks = 200, .degree = degree, .depth = 5}, uniform_tasks(5000), {},
                  seed);
    farm.run();
    Outcome result{};
    std::strncpy(result.hash, farm.truth.run_hash().c_str(), 16);
    result.execution_us = farm.farm.result().execution_us;
    return result;
}

}  // namespace

class FarmOfDegree : public testing::TestWithParam<std::uint32_t> {};

TEST_P(FarmOfDegree, RunsTheSameWayWithTheSameSeed) {
    const auto first = in_child([] { return outcome_of(GetParam(), 7); });
    const auto second = in_child([] { return outcome_of(GetParam(), 7); });
    ASSERT_TRUE(first && second);
    EXPECT_GT(first->execution_us, 0u);
    EXPECT_TRUE(*first == *second) << first->hash << " and " << second->hash;
    // In this process too, which has other things at other addresses.
    EXPECT_TRUE(*first == outcome_of(GetParam(), 7));
}
INSTANTIATE_TEST_SUITE_P(Degrees, FarmOfDegree, testing::Values(1, 2));
