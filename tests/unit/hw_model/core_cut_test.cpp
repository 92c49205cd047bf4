// Links, pins and faults cut a core at the instruction under way. A core that runs ahead and one that goes instruction by
// instruction, or in pieces, do the same at the same cycles.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <hw_model/core_driver.hpp>
#include <hw_model/fault_injector.hpp>
#include <t800_core/observer.hpp>
#include <topologies/fault_plan.hpp>

#include "child_process.hpp"
#include "core_box.hpp"
#include "hw_bench.hpp"

namespace {

using hw_model::LinkLevel;
using hw_test::CoreBox;
using hw_test::LinkNo;
using hw_test::NodeId;
using hw_test::SimTime;

// How a run comes to its end: ahead as far as it may, instruction by instruction, event by event, or in pieces.
enum class CutWay : std::uint8_t { Ahead, Instructions, Events, Pieces };

// Every process that gets the processor, with its cycle.
class Starts final : public t800_core::Observer {
public:
    void process_started(t800_core::Cycle at, std::uint32_t descriptor, std::uint32_t iptr) override {
        hash = (hash ^ at ^ (std::uint64_t{descriptor} << 20) ^ iptr) * 0x9E3779B97F4A7C15ULL;
        ++count;
        if ((descriptor & 1U) == 0) last_high = at;
    }
    std::uint64_t hash = 1, count = 0, last_high = 0;
};

void set_way(CoreBox& box, CutWay way) {
    for (std::size_t i = 0; i < box.box.node_count(); ++i) {
        if (way == CutWay::Instructions) box.node(i).core()->keep_to_pins();
    }
    if (way == CutWay::Events) box.box.timeline().outside().with_any_event();
}

void run(CoreBox& box, CutWay way, SimTime until) {
    if (way == CutWay::Pieces) {
        for (SimTime at = SimTime::us(7); at < until; at += SimTime::ns(7'130)) box.box.run_until(at);
    }
    box.box.run_until(until);
}

const std::string cut_start =
    "start: ajw 60\n stl 0\n stl 1\n stl 2\n mint\n sthf\n mint\n stlf\n mint\n mint\n stnl 9\n mint\n mint\n stnl 10\n ldc "
    "0\n sttimer\n";

// n0 starts n1. A high process of n0 takes words of n1. A timer wakes another, and a low one computes. n1 computes between
// its words. With an ALT it looks whether n0 has sent.
const std::string talk = cut_start + R"(
        ldap child
        ldc 0x80000004
        ldc child_end - child
        out
        ldap taker
        ldc 0x80000900 - 4
        stnl 0
        ldc 0x80000900
        runp
        ldap sleeper
        ldc 0x80000A00 - 4
        stnl 0
        ldc 0x80000A00
        runp
        ldc 0
        stl 5
count:  ldl 5
        adc 1
        stl 5
        ldl 5
        ldc 0x80000800
        stnl 0
        j count
taker:  ldlp 1
        ldc 0x80000014
        ldc 4
        in
        ldc 0x80000800
        ldnl 0
        ldc 0x80000804
        stnl 0
        ldlp 1
        ldc 0x80000004
        ldc 3
        out
        j taker
sleeper: ldtimer
        adc 37
        tin
        j sleeper
child:  .byte child_end - code
code:   ajw 60
        ldc 0
        stl 5
next:   ldl 5
        adc 1
        stl 5
        ldc 0
        stl 6
        ldl 5
        ldc 127
        and
        adc 3
        stl 7
work:   ldlp 6
        ldc worked - work
        lend
worked: ldc 0x80000000
        ldl 5
        outword
poll:   alt
        ldc 0x80000010
        ldc 1
        enbc
        ldc 1
        enbs
        altwt
        ldc 0x80000010
        ldc 1
        ldc took - ready
        disc
        ldc 1
        ldc poll - ready
        diss
        altend
ready:  j next
took:   ldlp 8
        ldc 0x80000010
        ldc 3
        in
        j next
child_end:
)";

struct TalkSeen {
    std::array<std::uint64_t, 2> hash{}, count{}, instructions{}, memory{};
    bool operator==(const TalkSeen&) const = default;
};

TalkSeen talk_in(CutWay way, LinkLevel level, bool observed) {
    // Cycles that links steal count at the end of a stretch, so they would tell where that is.
    topologies::CostTable table = hw_test::costs();
    table.set("link.stolen_cycles", 0, "test");
    CoreBox box(hw_test::cores(2), level, table);
    set_way(box, way);
    std::array<Starts, 2> starts;
    for (std::size_t i = 0; i < 2 && observed; ++i) box.core(i).observe(&starts[i]);
    box.boot(talk);
    box.box.timeline().outside().expect(SimTime::us(9'013));  // what is compared is the state of that moment
    run(box, way, SimTime::us(9'013));
    TalkSeen seen;
    for (std::size_t i = 0; i < 2; ++i) {
        seen.hash[i] = starts[i].hash, seen.count[i] = starts[i].count;
        seen.instructions[i] = box.core(i).totals().instructions;
        std::uint64_t sum = 0;
        for (const std::byte byte : box.core(i).memory().first(4096)) sum = sum * 31 + std::to_integer<std::uint64_t>(byte);
        seen.memory[i] = sum;
    }
    return seen;
}

}  // namespace

TEST(CoreCut, GoesTheSameWayHoweverFarItRunsAhead) {
    for (const LinkLevel level : {LinkLevel::Message, LinkLevel::Byte}) {
        for (const bool observed : {true, false}) {
            const auto ahead = test_support::in_child([&] { return talk_in(CutWay::Ahead, level, observed); });
            ASSERT_TRUE(ahead);
            EXPECT_GT(ahead->instructions[0], 10'000U);
            EXPECT_GT(ahead->instructions[1], 10'000U);
            for (const CutWay way : {CutWay::Instructions, CutWay::Events, CutWay::Pieces}) {
                const auto other = test_support::in_child([&] { return talk_in(way, level, observed); });
                ASSERT_TRUE(other);
                EXPECT_EQ(other->hash, ahead->hash) << static_cast<int>(way) << static_cast<int>(level);
                EXPECT_EQ(other->count, ahead->count) << static_cast<int>(way) << static_cast<int>(level);
                EXPECT_EQ(other->instructions, ahead->instructions) << static_cast<int>(way) << static_cast<int>(level);
                EXPECT_EQ(other->memory, ahead->memory) << static_cast<int>(way) << static_cast<int>(level);
            }
        }
    }
}

// The counter of a lone node, whose loop takes some 20 cycles, when a fault of a plan kills it.
TEST(CoreCut, AFaultOfAPlanStrikesAtItsMoment) {
    std::array<std::uint32_t, 3> counted{};
    for (std::size_t i = 0; i < counted.size(); ++i) {
        const auto got = test_support::in_child([&] {
            const auto machine = hw_test::cores(1);
            topologies::FaultPlan plan;
            plan.faults.emplace_back();
            plan.faults[0].verb = topologies::FaultVerb::Die;
            plan.faults[0].node = NodeId(0);
            plan.faults[0].at = SimTime::us(3'000 + 10 * static_cast<std::int64_t>(i));
            CoreBox box(machine);
            hw_model::FaultInjector faults(plan, box.box);
            faults.arm(SimTime::ms(20));
            box.boot(cut_start + " ldc 0\n stl 5\nagain: ldl 5\n adc 1\n stl 5\n ldl 5\n ldc 0x80000800\n stnl 0\n j again\n");
            box.box.run_until(SimTime::ms(20));
            return box.core(0).word(0x80000800);
        });
        ASSERT_TRUE(got);
        counted[i] = *got;
    }
    // 10 us are 200 cycles. The loop: 2 + 1 + 1 + 2 + (1 + 7) + 2 + 3 + prefix of j.
    EXPECT_NEAR(counted[1] - counted[0], 200.0 / 20, 1);
    EXPECT_NEAR(counted[2] - counted[1], 200.0 / 20, 1);
    EXPECT_GT(counted[0], 2'000U);
}

// A high process waits for the event pin; a low one computes.
TEST(CoreCut, AnEventCutsALowProcessWithinTheLatencyOfTheChip) {
    for (const std::int64_t at : {3'000'000, 3'333'331, 4'020'017, 5'999'999}) {
        const auto got = test_support::in_child([&] {
            CoreBox box(hw_test::cores(1));
            Starts starts;
            box.boot(cut_start + R"(
        ldap taker
        ldc 0x80000900 - 4
        stnl 0
        ldc 0x80000900
        runp
count:  j count
taker:  ldlp 1
        ldc 0x80000020
        ldc 0
        in
        j taker
)");
            box.box.timeline().outside().expect(SimTime::ns(at));
            box.box.run_until(SimTime::ns(at));
            box.core(0).observe(&starts);
            box.node(0).event.drive(hw_model::EventChannel::Source::Pin, true);
            box.box.run_until(SimTime::ms(9));
            return starts.last_high;
        });
        ASSERT_TRUE(got);
        const auto raised = static_cast<std::uint64_t>(at / 50);
        EXPECT_GE(*got, raised + 19) << at;
        EXPECT_LE(*got, raised + 58) << at;
    }
}

// A high process outputs to a node that takes nothing; a crossbar takes the path away, and the output ends.
TEST(CoreCut, ACrossbarThatTakesAPathAwayWakesTheSenderAtOnce) {
    for (const LinkLevel level : {LinkLevel::Message, LinkLevel::Byte}) {
        const auto got = test_support::in_child([&] {
            topologies::MachineDescription machine = hw_test::cores(2);
            machine.wires.clear();
            machine.switches.push_back({"x0", {{vocabulary::WayNo(0), vocabulary::WayNo(1)}}});
            machine.wires.push_back({topologies::HostEnd{LinkNo(0)}, topologies::NodeLink{NodeId(0), LinkNo(0)}});
            machine.wires.push_back({topologies::NodeLink{NodeId(0), LinkNo(1)},
                                     topologies::SwitchWay{vocabulary::SwitchId(0), vocabulary::WayNo(0)}});
            machine.wires.push_back({topologies::NodeLink{NodeId(1), LinkNo(0)},
                                     topologies::SwitchWay{vocabulary::SwitchId(0), vocabulary::WayNo(1)}});
            CoreBox box(machine, level);
            Starts starts;
            box.boot(cut_start + R"(
        ldap child
        ldc 0x80000004
        ldc child_end - child
        out
        ldap sender
        ldc 0x80000900 - 4
        stnl 0
        ldc 0x80000900
        runp
count:  j count
sender: ldc 0x80000100
        ldc 0x80000004
        ldc 30000
        out
        j sender
child:  .byte child_end - code
code:   ajw 60
        ldc 0x80001000
        ldc 0x80000010
        ldc 20000
        in
        stopp
child_end:
)");
            hw_test::Script script(box.box.timeline());
            script.at(SimTime::ns(5'123'456), [&] {
                box.core(0).observe(&starts);
                box.box.link_switch(vocabulary::SwitchId(0)).disconnect(vocabulary::WayNo(0));
            });
            box.box.run_until(SimTime::ms(9));
            return starts.last_high;
        });
        ASSERT_TRUE(got);
        EXPECT_GE(*got, 5'123'456U / 50 + 19) << static_cast<int>(level);
        EXPECT_LE(*got, 5'123'456U / 50 + 58) << static_cast<int>(level);
    }
}

// The pins Reset and Analyse: a store after each of them would show.
TEST(CoreCut, ResetAndAnalyseStopALowProcessAtOnce) {
    std::array<std::uint32_t, 4> counted{};
    for (std::size_t i = 0; i < counted.size(); ++i) {
        const auto got = test_support::in_child([&] {
            CoreBox box(hw_test::cores(1));
            box.boot(cut_start + " ldc 0\n stl 5\nagain: ldl 5\n adc 1\n stl 5\n ldl 5\n ldc 0x80000800\n stnl 0\n j again\n");
            const SimTime acts = SimTime::us(3'000 + 10 * static_cast<std::int64_t>(i / 2));
            box.box.timeline().outside().expect(acts);
            box.box.run_until(acts);
            i % 2 == 0 ? box.node(0).reset() : box.node(0).analyse();
            box.box.run_until(SimTime::ms(20));
            return box.core(0).word(0x80000800);
        });
        ASSERT_TRUE(got);
        counted[i] = *got;
    }
    EXPECT_NEAR(counted[1], counted[0], 1);
    EXPECT_NEAR(counted[2] - counted[0], 200.0 / 20, 1);
    EXPECT_NEAR(counted[3], counted[2], 1);
}
