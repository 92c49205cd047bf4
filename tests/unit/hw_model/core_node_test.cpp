// Nodes with a T800 core behind the pins and links of Node. Boot; analyse and reset with the states they leave; a crash; a
// crossbar that changes under a program; totals.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include <hw_model/core_driver.hpp>

#include "child_process.hpp"
#include "core_box.hpp"
#include "hw_bench.hpp"

namespace {

using hw_model::LinkLevel;
using hw_test::CoreBox;
using hw_test::cores;
using hw_test::LinkNo;
using hw_test::NodeId;
using hw_test::SimTime;

const std::string code_start = "start: ajw 40\n stl 0\n stl 1\n stl 2\n mint\n sthf\n mint\n stlf\n";
const std::string code_tell = " ldl 2\n adc -16\n ldl 5\n outword\n";  // word 5 to the host

}  // namespace

TEST(CoreNode, BootsAndAnswersPeekAndPoke) {
    for (const LinkLevel level : {LinkLevel::Message, LinkLevel::Byte}) {
        const auto got = test_support::in_child([&] {
            CoreBox box(cores(1), level);
            box.host->send({0, 0x00, 0x02, 0x00, 0x80, 1, 2, 3, 4, 1, 0x00, 0x02, 0x00, 0x80});
            box.boot(code_start + " ldc 7\n stl 5\n" + code_tell + " stopp\n");
            box.box.run_until(SimTime::ms(5));
            std::array<std::uint8_t, 9> all{static_cast<std::uint8_t>(box.host->got.size())};
            for (std::size_t i = 0; i < 8 && i < box.host->got.size(); ++i) all[i + 1] = box.host->got[i];
            return all;
        });
        ASSERT_TRUE(got);
        EXPECT_EQ(*got, (std::array<std::uint8_t, 9>{8, 1, 2, 3, 4, 7, 0, 0, 0}));
    }
}

TEST(CoreNode, AnalyseHaltsItAndResetTellsTheCode) {
    const auto got = test_support::in_child([&] {
        CoreBox box(cores(1));
        // Counts in a word of memory for ever; a jump is a descheduling point.
        box.boot(code_start + " ldc 0\n stl 5\nagain: ldl 5\n adc 1\n stl 5\n ldl 5\n ldc 0x80000800\n stnl 0\n j again\n");
        box.box.run_until(SimTime::ms(5));
        box.node(0).analyse();
        box.box.run_until(SimTime::ms(10));
        const bool halted = box.node(0).processor.halted();
        const std::uint32_t counted = box.core(0).word(0x80000800);
        box.box.run_until(SimTime::ms(20));
        const bool stands = counted == box.core(0).word(0x80000800);
        box.node(0).reset();
        box.boot(code_start + " ldl 0\n stl 9\n ldc 0x80000800\n ldnl 0\n stl 5\n" + code_tell + " testpranal\n stl 5\n" +
                 code_tell + " ldl 9\n stl 5\n" + code_tell + " stopp\n");
        box.box.run_until(SimTime::ms(30));
        std::array<std::uint32_t, 5> all{halted && stands ? 1U : 0U, counted > 1000 ? 1U : 0U};
        const auto& bytes = box.host->got;
        for (std::size_t i = 0; i + 4 <= bytes.size() && i < 12; i += 4) {
            std::uint32_t word = 0;
            for (std::size_t k = 4; k > 0; --k) word = word << 8 | bytes[i + k - 1];
            if (i == 0) word = word == counted ? 1 : 0;
            if (i == 8) word = word >= 0x80000070U && word < 0x80000100U ? 1 : 0;  // A: Iptr at the halt
            all[2 + i / 4] = word;
        }
        return all;
    });
    ASSERT_TRUE(got);
    EXPECT_EQ((*got)[0], 1U) << "halted, and stands";
    EXPECT_EQ((*got)[1], 1U) << "had counted";
    EXPECT_EQ((*got)[2], 1U) << "the memory was kept";
    EXPECT_EQ((*got)[3], 1U) << "testpranal";
    EXPECT_EQ((*got)[4], 1U) << "A has the Iptr of the halt";
}

TEST(CoreNode, HaltsOnErrorAndShowsItsPin) {
    const auto got = test_support::in_child([&] {
        CoreBox box(cores(1));
        box.boot(code_start + " testerr\n sethalterr\n seterr\n ldc 1\n stl 5\n" + code_tell);
        box.box.run_until(SimTime::ms(5));
        return std::array<bool, 3>{box.node(0).processor.halted(), box.node(0).error(), box.host->got.empty()};
    });
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, (std::array<bool, 3>{true, true, true}));
}

TEST(CoreNode, BooksItsWorkAsUsesOfTheProcessor) {
    const auto got = test_support::in_child([&] {
        CoreBox box(cores(1));
        box.boot(code_start + "again: j again\n");
        box.box.run_until(SimTime::ms(10));
        const auto totals = box.node(0).processor.totals();
        const SimTime idle = box.box.timeline().now() - totals.low_busy - totals.high_busy;
        return std::array<std::int64_t, 2>{totals.low_busy.in_ps() / 1'000'000, idle.in_ps() / 1'000'000};
    });
    ASSERT_TRUE(got);
    EXPECT_GT((*got)[0], 8'000);
    EXPECT_LT((*got)[1], 100);  // the boot
}

// n0 sends numbers to n1 and waits for each; n1 adds them up. The crossbar between them opens and closes while one is under
// way.
TEST(CoreNode, GoesOnWhenItsCrossbarHasChangedUnderIt) {
    for (const LinkLevel level : {LinkLevel::Message, LinkLevel::Byte}) {
        const auto got = test_support::in_child([&] {
            topologies::MachineDescription machine = cores(2);
            machine.wires.clear();
            machine.switches.push_back({"x0", {{vocabulary::WayNo(0), vocabulary::WayNo(1)}}});
            const topologies::SwitchWay first{vocabulary::SwitchId(0), vocabulary::WayNo(0)},
                second{vocabulary::SwitchId(0), vocabulary::WayNo(1)};
            machine.wires.push_back({topologies::HostEnd{LinkNo(0)}, topologies::NodeLink{NodeId(0), LinkNo(0)}});
            machine.wires.push_back({topologies::NodeLink{NodeId(0), LinkNo(1)}, first});
            machine.wires.push_back({topologies::NodeLink{NodeId(1), LinkNo(0)}, second});
            CoreBox box(machine, level);
            // n1 sends 30000 bytes of its memory in one output; n0 takes words until 20 of them have come after the break.
            box.boot(code_start + R"(
        ldap child
        ldc 0x80000004
        ldc child_end - child
        out
        ldc 0
        stl 5
        ldc 0
        stl 8
        ldc 2000
        stl 9
again:  ldlp 12
        ldc 0x80000014
        ldc 4
        in
        ldl 5
        adc 1
        stl 5
        ldlp 8
        ldc over - again
        lend
over:
)" + code_tell + R"(
        stopp
child:  .byte child_end - code
code:   ajw 40
next:   ldc 0x80000100
        mint
        ldc 30000
        out
        j next
child_end:
)");
            box.box.run_until(SimTime::ms(3));
            box.box.link_switch(vocabulary::SwitchId(0)).disconnect(vocabulary::WayNo(0));
            box.box.run_until(SimTime::ms(5));
            const bool silent = box.host->got.empty();
            box.box.link_switch(vocabulary::SwitchId(0)).connect(vocabulary::WayNo(0), vocabulary::WayNo(1));
            box.box.run_until(SimTime::ms(60));
            const auto lost = box.node(1).link(LinkNo(0))->totals().lost;
            return std::array<std::uint64_t, 3>{silent ? 1U : 0U, lost,
                                                box.host->got.size() == 4 ? box.host->got[0] + 256U * box.host->got[1] : 0U};
        });
        ASSERT_TRUE(got);
        EXPECT_EQ((*got)[0], 1U);
        EXPECT_EQ((*got)[1], 1U) << "the output under way is lost, and n1 sends another";
        EXPECT_EQ((*got)[2], 2000U);
    }
}

TEST(CoreNode, StandsStillWhenItCrashes) {
    const auto got = test_support::in_child([&] {
        CoreBox box(cores(1));
        box.boot(code_start + " ldc 0\n stl 5\nagain: ldl 5\n adc 1\n stl 5\n ldl 5\n ldc 0x80000800\n stnl 0\n j again\n");
        box.box.run_until(SimTime::ms(5));
        box.node(0).crash();
        box.box.run_until(SimTime::ms(7));
        const std::uint32_t counted = box.core(0).word(0x80000800);
        box.box.run_until(SimTime::ms(20));
        return counted == box.core(0).word(0x80000800) && counted > 0;
    });
    ASSERT_TRUE(got);
    EXPECT_TRUE(*got);
}
