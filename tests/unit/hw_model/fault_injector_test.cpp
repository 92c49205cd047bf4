#include <gtest/gtest.h>

#include <hw_model/fault_injector.hpp>

#include "tapped_chain.hpp"

using hw_model::FaultInjector;
using hw_model::LinkLevel;
using hw_test::NodeId;
using hw_test::run_machine;
using hw_test::SimTime;
using hw_test::TappedChain;
using topologies::FaultStep;

namespace {

class Injector : public testing::Test {
protected:
    Injector() : chain(LinkLevel::Message) {}
    // Entries of the plan, one a line.
    FaultInjector& inject(const std::string& entries, SimTime limit = SimTime::s(10)) {
        plan = topologies::parse_fault_plan("version: 1\nseed: 5\nfaults:\n" + entries, "p", chain.description);
        held.emplace(plan, chain.machine);
        held->arm(limit);
        return *held;
    }
    bool sent_after(SimTime when) { return chain.send_at(when, 0, 1, 10).sent(); }
    hw_model::Processor& processor(std::uint16_t node) { return chain.machine.node(NodeId(node)).processor; }
    TappedChain chain;
    topologies::FaultPlan plan;
    std::optional<FaultInjector> held;
};

}  // namespace

TEST_F(Injector, KillsANodeAtItsTime) {
    const auto& injector = inject("  - {die: n1, at: 2ms}\n");
    chain.script.at(SimTime::us(1999), [&] { EXPECT_FALSE(processor(1).crashed()); });
    run_machine(SimTime::ms(3));
    EXPECT_TRUE(processor(1).crashed());
    EXPECT_FALSE(processor(0).crashed());
    EXPECT_EQ(injector.tallies()[0].first, SimTime::ms(2));
    EXPECT_EQ(injector.tallies()[0].struck, 1U);
    ASSERT_EQ(injector.strikes().size(), 1U);
    EXPECT_FALSE(injector.strikes()[0].message);
}

TEST_F(Injector, HaltsANodeWhoseTransferStillEnds) {
    inject("  - {halt: n1, at: 100us}\n");
    auto& message = chain.send_at(SimTime::us(50), 0, 1, 1000);
    run_machine(SimTime::ms(3));
    EXPECT_TRUE(processor(1).halted());
    EXPECT_TRUE(message.sent());
}

TEST_F(Injector, SlowsANodeForAWhile) {
    const auto& injector = inject("  - {slow: n1, factor: 3, at: 1ms, for: 1ms}\n");
    auto* self = static_cast<hw_model::Fiber*>(nullptr);
    std::vector<SimTime> done;
    hw_model::Fiber fiber(hw_test::Priority::Low, chain.machine.node(NodeId(1)).arena, [&] {
        for (int i = 0; i < 30; ++i) {
            self->use(vocabulary::Cycles(2000));  // 100 us
            done.push_back(chain.machine.timeline().now());
        }
    });
    self = &fiber;
    processor(1).start(fiber);
    run_machine(SimTime::ms(10));
    ASSERT_EQ(done.size(), 30U);
    EXPECT_NEAR(static_cast<double>((done[29] - done[0]).in_us()), 2900 + 667, 4);
    EXPECT_EQ(injector.tallies()[0].ended, SimTime::ms(2));
}

TEST_F(Injector, TakesTheWorstOfSlowDownsThatOverlap) {
    inject("  - {slow: n1, factor: 4, at: 1ms, for: 4ms}\n  - {slow: n1, factor: 2, at: 2ms, for: 1ms}\n");
    hw_model::Fiber* self = nullptr;
    std::vector<SimTime> done;
    hw_model::Fiber fiber(hw_test::Priority::Low, chain.machine.node(NodeId(1)).arena, [&] {
        self->use(vocabulary::Cycles(60'000));  // 3 ms; 1 ms passes before, 4 ms count for one, the rest comes after
        done.push_back(chain.machine.timeline().now());
    });
    self = &fiber;
    processor(1).start(fiber);
    run_machine(SimTime::ms(10));
    ASSERT_EQ(done.size(), 1U);
    EXPECT_NEAR(static_cast<double>(done[0].in_us()), 6000, 4);
}

TEST_F(Injector, SlowsANodeBeyondAnyEndOfARun) {
    inject("  - {slow: n1, factor: 1000000, at: 1ms}\n");
    hw_model::Fiber* self = nullptr;
    bool done = false;
    hw_model::Fiber fiber(hw_test::Priority::Low, chain.machine.node(NodeId(1)).arena, [&] {
        self->use(vocabulary::Cycles(20'000'000));     // 1 s, begun before
        self->use(vocabulary::Cycles(1'200'000'000));  // 60 s, more than 64 bits of picoseconds hold
        done = true;
    });
    self = &fiber;
    processor(1).start(fiber);
    run_machine(SimTime::s(2'000'000));
    EXPECT_FALSE(done);
    EXPECT_FALSE(processor(1).low_priority_idle());
}

TEST_F(Injector, CutsALinkAndSaysWhatWasOnIt) {
    const auto& injector = inject("  - {cut: n1.0 - n0.1, direction: forward, at: 100us}\n");
    auto& message = chain.send_at(SimTime::us(50), 0, 1, 1000);
    run_machine(SimTime::ms(3));
    EXPECT_FALSE(message.sent());
    const auto& tally = injector.tallies()[0];
    EXPECT_EQ(tally.struck, 1U);
    EXPECT_EQ(tally.messages, 1U);
    ASSERT_EQ(injector.strikes().size(), 2U);
    ASSERT_TRUE(injector.strikes()[1].message);
    EXPECT_EQ(injector.strikes()[1].message->bytes, 1000U);
    EXPECT_TRUE(injector.strikes()[1].message->from_a);
}

TEST_F(Injector, OpensACutLinkAgain) {
    inject("  - {cut: n0.1 - n1.0, at: 100us, until: 1ms}\n");
    auto& message = chain.send_at(SimTime::us(200), 0, 1, 10);
    run_machine(SimTime::ms(3));
    EXPECT_TRUE(message.sent());
    EXPECT_GT(message.arrived(), SimTime::ms(1));
}

TEST_F(Injector, StrikesOnTheFirstStepThatFits) {
    auto& injector = inject(
        "  - {die: n1, on: {task: 4, node: n1, step: start}}\n  - {halt: n2, on: {task: 4, subtask: 0010, step: send}}\n");
    chain.script.at(SimTime::us(10), [&] {
        injector.trigger({4, 0, NodeId(0), FaultStep::Start});
        injector.trigger({3, 0, NodeId(1), FaultStep::Start});
        injector.trigger({4, 0, NodeId(1), FaultStep::Finish});
        injector.trigger({4, 0, NodeId(1), FaultStep::Send});
    });
    chain.script.at(SimTime::us(20), [&] {
        EXPECT_FALSE(processor(1).crashed());
        EXPECT_FALSE(processor(2).halted());
        injector.trigger({4, 0, NodeId(1), FaultStep::Start});
        injector.trigger({4, 0x10, NodeId(0), FaultStep::Send});
        EXPECT_FALSE(processor(1).crashed());  // after what is being done now
    });
    run_machine(SimTime::us(20));
    run_machine(SimTime::us(1));
    EXPECT_TRUE(processor(1).crashed());
    EXPECT_TRUE(processor(2).halted());
    EXPECT_EQ(injector.tallies()[0].first, SimTime::us(20));
}

TEST_F(Injector, StrikesAtARateOnceWithinAFewMeans) {
    const auto& injector = inject("  - {die: n1, rate: 1000}\n  - {halt: n2, rate: 1e-6}\n");
    run_machine(SimTime::ms(50));
    EXPECT_TRUE(processor(1).crashed());
    EXPECT_FALSE(processor(2).halted());
    EXPECT_EQ(injector.tallies()[1].struck, 0U);
    EXPECT_TRUE(chain.machine.timeline().empty());  // events beyond the limit are not waited for
}

TEST_F(Injector, FlipsFromItsMomentOn) {
    const auto& injector = inject("  - {flip: n0.1 - n1.0, rate: 0.01, at: 1ms}\n");
    auto& before = chain.send_at(SimTime::us(10), 0, 1, 1000);
    chain.send_at(SimTime::ms(2), 0, 1, 1000);
    run_machine(SimTime::ms(9));
    EXPECT_TRUE(before.sent() && before.changed().empty());
    EXPECT_GT(injector.tallies()[0].struck, 0U);
    EXPECT_EQ(injector.tallies()[0].struck, injector.tallies()[0].messages);
}

TEST_F(Injector, CountsNoHitOfAPacketThatNeverCame) {
    const auto& injector = inject("  - {flip: n0.1 - n1.0, at: 1ms}\n");
    run_machine(SimTime::ms(9));
    EXPECT_EQ(injector.tallies()[0].struck, 0U);
    EXPECT_FALSE(injector.tallies()[0].first);
}

TEST_F(Injector, LeavesANodeLessMemory) {
    const auto smaller =
        topologies::parse_fault_plan("version: 1\nfaults: [{memory: n1, size: 256KiB}]\n", "p", chain.description);
    const auto less = hw_model::with_less_memory(chain.description, smaller);
    EXPECT_EQ(less.nodes[1].ram_bytes, 256U << 10);
    EXPECT_EQ(less.nodes[0].ram_bytes, chain.description.nodes[0].ram_bytes);
}

TEST(SeededStream, GivesAnExponentialDistributionOfMeanOne) {
    hw_model::SeededStream stream(1, 2);
    double sum = 0;
    int above_one = 0;
    constexpr int draws = 20'000;
    for (int i = 0; i < draws; ++i) {
        const double value = stream.exponential();
        sum += value;
        above_one += value > 1 ? 1 : 0;
    }
    EXPECT_NEAR(sum / draws, 1, 0.03);
    EXPECT_NEAR(static_cast<double>(above_one) / draws, 0.3679, 0.015);
}

TEST_F(Injector, TakesFaultsThatAreAddedWhileItRuns) {
    auto& injector = inject("  - {die: n1, at: 2ms}\n");
    chain.script.at(SimTime::ms(1), [&] {
        const auto more = topologies::parse_fault_plan(
            "version: 1\nfaults:\n  - {halt: n0, at: 0us}\n  - {die: n2, rate: 1000}\n", "more", chain.description);
        plan.faults.insert(plan.faults.end(), more.faults.begin(), more.faults.end());
        injector.arm_added();
    });
    run_machine(SimTime::s(1));
    ASSERT_EQ(injector.tallies().size(), 3U);
    EXPECT_EQ(injector.tallies()[0].first, SimTime::ms(2));
    EXPECT_EQ(injector.tallies()[0].struck, 1U);  // once, though it was armed before
    EXPECT_EQ(injector.tallies()[1].first, SimTime::ms(1));
    EXPECT_GT(injector.tallies()[2].first, SimTime::ms(1));
    EXPECT_TRUE(processor(2).crashed());
}
