// Farms that survive: whichever worker dies, at whatever moment, every task comes back once.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <map>
#include <ostream>
#include <set>

#include "child_process.hpp"
#include "test_farm.hpp"

namespace recovery_cases {

using farm_spec::FarmSpec;
using farm_spec::TreeKind;
using test_support::in_child;
using test_support::NodeId;
using test_support::SimTime;
using test_support::TestFarm;
using test_support::uniform_tasks;

namespace {

using Piece = std::pair<std::uint32_t, std::uint32_t>;  // task, sub-task

constexpr std::uint32_t task_count = 60;

FarmSpec surviving(TreeKind tree, std::uint32_t nodes, std::uint32_t degree = 1) {
    return {.nodes = nodes, .tree = tree, .tasks = task_count, .degree = degree, .depth = 3, .survives = true};
}

void at(TestFarm& farm, SimTime when, const std::function<void()>& act) {
    farm.run_until([] { return false; }, when, SimTime::us(50));
    act();
}
void die(TestFarm& farm, SimTime when, std::uint16_t node) {
    at(farm, when, [&] { farm.box.machine().node(NodeId(node)).crash(); });
}

// The pieces that the parent has sent to the child and not received back, by the events.
std::multiset<Piece> below(const TestFarm& farm, NodeId parent, NodeId child) {
    std::multiset<Piece> pieces;
    for (const auto& event : farm.truth.events()) {
        if (event.node != parent.value() || event.peer != child.value()) continue;
        if (event.kind == trace_record::EventKind::Send) {
            pieces.insert({event.task, event.subtask});
        } else if (const auto found = pieces.find({event.task, event.subtask}); found != pieces.end()) {
            pieces.erase(found);
        }
    }
    return pieces;
}

// Each task is at the manager once, from below or computed by itself. This holds by its own account, and without bundles by
// the events too.
bool every_task_is_back_once(const TestFarm& farm) {
    const trek_kernel::TaskAccount account = farm.farm.account();
    if (account.completed != task_count || account.unexpected > 0) return false;
    if (farm.farm.config().granularity > 1) return true;
    std::map<std::uint32_t, int> back;
    for (const std::uint32_t task : farm.returned()) ++back[task];
    for (const auto& [time, step] : farm.truth.steps()) {
        const bool computed = step.process == trek_kernel::UserProcess::Compute && step.moment == trek_kernel::Moment::End;
        if (step.node.value() == 0 && computed) ++back[step.task];
    }
    return back.size() == task_count &&
           std::all_of(back.begin(), back.end(), [](const auto& task) { return task.second == 1; });
}

struct Shape {
    FarmSpec config;
    friend void PrintTo(const Shape& s, std::ostream* out) {
        *out << s.config.nodes << "nodes_tree" << static_cast<int>(s.config.tree) << "_degree" << s.config.degree << "_"
             << policy_name(s.config.policy) << "_granularity" << s.config.granularity;
    }
};
FarmSpec with(FarmSpec config, farm_spec::Policy policy, std::uint32_t granularity) {
    config.policy = policy;
    config.granularity = granularity;
    return config;
}
class EverySurvivingFarm : public testing::TestWithParam<Shape> {};

struct Outcome {
    bool finished = false, right = false, plausible = false, once = false;
    std::size_t given_up = 0, issued_again = 0;
};

Outcome outcome_of(const TestFarm& farm, bool finished, std::uint16_t victim) {
    Outcome result{finished, every_task_is_back_once(farm), true,
                   true,     farm.truth.given_up().size(),  farm.truth.reissued().size()};
    std::set<Piece> pieces, on_the_wire;
    for (const auto& [time, task] : farm.truth.reissued()) {
        result.once = result.once && pieces.insert({task.task, task.subtask}).second;
        result.plausible = result.plausible && task.child.value() == victim;
        // A bundle is one event with the number of its first task.
        const Piece message{task.task - task.task % farm.farm.config().granularity, task.subtask};
        if (below(farm, task.node, task.child).count(message) == 0) on_the_wire.insert(message);
    }
    result.plausible = result.plausible && on_the_wire.size() <= 1;  // the piece that was being sent has made no event
    return result;
}

}  // namespace

TEST_P(EverySurvivingFarm, BringsEveryTaskBackOnceWhicheverWorkerDiesWhenever) {
    std::size_t issued_again = 0;
    for (std::uint16_t victim = 1; victim < GetParam().config.nodes; ++victim) {
        const SimTime when = SimTime::us(1500 + 7919 * victim % 9 * 1000);
        const auto outcome = in_child([&] {
            TestFarm farm(GetParam().config, uniform_tasks(3000));
            die(farm, when, victim);
            const bool finished = farm.run();
            return outcome_of(farm, finished, victim);
        });
        ASSERT_TRUE(outcome) << "n" << victim;
        EXPECT_TRUE(outcome->finished) << "n" << victim;
        EXPECT_TRUE(outcome->right) << "n" << victim;
        EXPECT_TRUE(outcome->plausible) << "n" << victim;
        EXPECT_TRUE(outcome->once) << "n" << victim;
        EXPECT_EQ(outcome->given_up, 1u) << "n" << victim;
        issued_again += outcome->issued_again;
    }
    EXPECT_GT(issued_again, 0u);
}
INSTANTIATE_TEST_SUITE_P(Shapes, EverySurvivingFarm,
                         testing::Values(Shape{surviving(TreeKind::Chain, 6)}, Shape{surviving(TreeKind::Binary, 15)},
                                         Shape{surviving(TreeKind::Ternary, 13)}, Shape{surviving(TreeKind::Binary, 15, 2)},
                                         Shape{surviving(TreeKind::Chain, 6, 2)},
                                         Shape{with(surviving(TreeKind::Binary, 8), farm_spec::Policy::WorkStealing, 1)},
                                         Shape{with(surviving(TreeKind::Binary, 8, 2), farm_spec::Policy::WorkStealing, 3)},
                                         Shape{with(surviving(TreeKind::Ternary, 13, 3), farm_spec::Policy::Priorities, 4)},
                                         Shape{with(surviving(TreeKind::Ternary, 13), farm_spec::Policy::RoundRobin, 2)}));

TEST_P(EverySurvivingFarm, GivesNobodyUpWhenNobodyDies) {
    TestFarm farm(GetParam().config, uniform_tasks(30'000));
    ASSERT_TRUE(farm.run());
    EXPECT_TRUE(every_task_is_back_once(farm));
    EXPECT_TRUE(farm.truth.given_up().empty());
    EXPECT_TRUE(farm.truth.reissued().empty());
    EXPECT_EQ(farm.farm.result().distribution[0], 0u);
}

TEST(Recovery, IssuesAgainExactlyWhatTheDeadNodeHad) {
    TestFarm farm(surviving(TreeKind::Binary, 8), uniform_tasks(3000));
    die(farm, SimTime::us(17'300), 2);
    const auto had = below(farm, NodeId(1), NodeId(2));
    ASSERT_TRUE(farm.run());
    std::multiset<Piece> again;
    for (const auto& [time, task] : farm.truth.reissued()) again.insert({task.task, task.subtask});
    EXPECT_GE(had.size(), 6u);
    // The piece on the wire at the death has been sent for the parent, or arrived, and has made no event.
    EXPECT_TRUE(std::includes(again.begin(), again.end(), had.begin(), had.end()));
    EXPECT_LE(again.size(), had.size() + 1);
    EXPECT_EQ(farm.truth.given_up().front().given_up.node, NodeId(1));
    EXPECT_EQ(farm.truth.given_up().front().given_up.child, NodeId(2));
}

TEST(Recovery, DoesNotHappenInAFarmThatDoesNotSurvive) {
    FarmSpec config = surviving(TreeKind::Binary, 8);
    config.survives = false;
    TestFarm farm(config, uniform_tasks(3000));
    die(farm, SimTime::us(17'300), 2);
    EXPECT_FALSE(farm.run());
    EXPECT_TRUE(farm.truth.given_up().empty());
    EXPECT_LT(farm.returned().size(), task_count);
}

TEST(Recovery, LetsTheManagerComputeWhenAllAreDead) {
    TestFarm farm(surviving(TreeKind::Chain, 4), uniform_tasks(3000));
    die(farm, SimTime::us(17'300), 1);
    ASSERT_TRUE(farm.run());
    EXPECT_TRUE(every_task_is_back_once(farm));
    EXPECT_GT(farm.farm.result().distribution[0], task_count / 2);
    EXPECT_EQ(farm.truth.results_at_manager(), task_count);
}

TEST(Recovery, SurvivesTheDeathOfOneNodeAfterTheOther) {
    for (const std::uint32_t degree : {1U, 2U}) {
        for (const auto& [first, second] : {std::pair<std::uint16_t, std::uint16_t>{4, 2}, {2, 3}, {5, 4}, {3, 1}, {6, 7}}) {
            const auto right = in_child([&, first = first, second = second] {
                TestFarm farm(surviving(TreeKind::Binary, 8, degree), uniform_tasks(6000));
                die(farm, SimTime::ms(15), first);
                die(farm, SimTime::ms(degree == 1 ? 60 : 130), second);
                return farm.run() && every_task_is_back_once(farm);
            });
            EXPECT_TRUE(right && *right) << "n" << first << ", then n" << second << ", degree " << degree;
        }
    }
}

TEST(Recovery, CountsNoResultTwiceWhenTheSuspicionWasWrong) {
    for (const std::uint32_t degree : {1U, 2U}) {
        for (const std::uint16_t slow : {std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{4}}) {
            const auto right = in_child([&] {
                FarmSpec config = surviving(TreeKind::Binary, 8, degree);
                TestFarm farm(config, uniform_tasks(20'000));
                hw_model::Processor& processor = farm.box.machine().node(NodeId(slow)).processor;
                at(farm, SimTime::ms(25), [&] { processor.set_slowness(100'000); });
                at(farm, SimTime::ms(250), [&] { processor.set_slowness(1); });  // and it says all that it has to say
                const bool finished = farm.run();
                return finished && every_task_is_back_once(farm) && !farm.truth.given_up().empty() &&
                       farm.farm.account().unexpected == 0;
            });
            EXPECT_TRUE(right && *right) << "n" << slow << ", degree " << degree;
        }
    }
}

TEST(Recovery, SaysWhichTaskItHasNoMemoryToKeep) {
    FarmSpec config = surviving(TreeKind::Chain, 3);
    config.buffers = 40;  // so that all tasks are under way: 6 MB, and the manager has 4 MiB
    TestFarm farm(config, uniform_tasks(1'000'000), {.task_bytes = 100'000, .result_bytes = 100});
    farm.box.kernel(NodeId(0)).add_witness(farm.truth);
    ASSERT_TRUE(farm.run());
    EXPECT_TRUE(every_task_is_back_once(farm));
    ASSERT_FALSE(farm.truth.dropped().empty());
    EXPECT_STREQ(farm.truth.dropped()[0].why, "no memory for a copy of a task handed to a child");
    EXPECT_GE(farm.truth.dropped()[0].task, 30);
}

TEST(Recovery, GivesTheMemoryOfCopiesBack) {
    TestFarm farm(surviving(TreeKind::Chain, 3), uniform_tasks(3000), {.task_bytes = 10'000, .result_bytes = 100});
    ASSERT_TRUE(farm.run());
    // 60 tasks of 10000 bytes went through; no more than five were under way.
    EXPECT_LT(farm.box.machine().node(NodeId(0)).arena.high_water_bytes(), 400'000u);
}

TEST(Recovery, RunsACrashingTaskAgainOnASoundNode) {
    for (const std::uint32_t degree : {1U, 2U}) {
        const auto right = in_child([&] {
            trek_kernel::TaskTable tasks = uniform_tasks(3000);
            auto bad = tasks.of(0);
            bad.segments[static_cast<std::size_t>(trek_kernel::UserProcess::Compute)].bug = 4;
            const auto good = tasks.of(0);
            tasks.set(20, bad);
            tasks.set(21, good);
            TestFarm farm(surviving(TreeKind::Binary, 8, degree), tasks);
            return farm.run() && every_task_is_back_once(farm) && !farm.truth.bugs().empty() && !farm.truth.reissued().empty();
        });
        EXPECT_TRUE(right && *right) << degree;
    }
}

}  // namespace recovery_cases
