// Channels of one node: ALT in memory and over links, the event pin, wake-ups.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench_node.hpp"
#include "node_programs.hpp"

namespace t800_channels {
namespace {

using namespace t800_test;

const std::string alternative = R"(
        ldc 0x80000000
        ldc 0x80000A00
        stnl 0
)" + start_other + R"(
        alt
        ldc 0x80000A00     ; channel
        ldc 1
        enbc
        altwt
        ldc 0x80000A00
        ldc 1
        ldc 0
        disc
        altend
        ldc 0x80000900
        ldc 0x80000A00
        ldc 4
        in
        stopp
other:  ldc 0x80000A00
        ldc 99
        outword
        ldc 1
        ldc 0x80000904
        stnl 0
        stopp
)";

TEST(T800Channels, AnAltTakesAMessageFromASoftChannel) {
    BenchNode node;
    node.load(alternative);
    node.run(10'000);
    EXPECT_EQ(node.core.word(data), 99U);
    EXPECT_EQ(node.core.word(data + 4), 1U);
    EXPECT_EQ(node.core.word(0x80000A00U), not_process);
}

const std::string link_alternative = R"(
        ldc 0
        sttimer
        talt
        ldc 10
        ldc 1
        enbt
        ldc 0x80000014
        ldc 1
        enbc
        taltwt
        ldc 10
        ldc 1
        ldc late - end
        dist
        ldc 0x80000014
        ldc 1
        ldc 0
        disc
        altend
end:    ldc 0x80000900
        ldc 0x80000014
        ldc 1
        in
        stopp
late:   ldc 7
        ldc 0x80000904
        stnl 0
        stopp
)";

TEST(T800Channels, AnAltOverALinkWakesWithTheFirstByte) {
    BenchNode node;
    node.load(link_alternative);
    node.run(500);
    EXPECT_FALSE(node.core.registers().running);
    node.send(1, {42});
    node.run(5'000);
    EXPECT_EQ(node.core.word(data) & 0xFFU, 42U);
    EXPECT_EQ(node.core.word(0x80000028U), not_process);  // and has left the timer queue
}

TEST(T800Channels, AnAltOverALinkEndsWithItsTime) {
    BenchNode node;
    node.load(link_alternative);
    node.run(64 * 20 * 12);
    EXPECT_EQ(node.core.word(data + 4), 7U);
    EXPECT_EQ(node.core.word(0x80000014U), not_process);
}

TEST(T800Channels, TheEventPinWakesAnInput) {
    BenchNode node;
    node.load("ldc 0\n ldc 0x80000020\n ldc 0\n in\n ldc 7\n ldc 0x80000900\n stnl 0\n stopp\n");
    node.core.run_until(500);
    EXPECT_EQ(node.core.word(data), 0U);
    node.core.event_raised();
    node.core.run_until(1000);
    EXPECT_EQ(node.core.word(data), 7U);
    EXPECT_EQ(node.events_acknowledged, 1);
}

TEST(T800Channels, AnEventThatComesFirstIsKept) {
    BenchNode node;
    node.load("ldc 0\n ldc 0x80000020\n ldc 0\n in\n ldc 7\n ldc 0x80000900\n stnl 0\n stopp\n");
    node.core.event_raised();
    node.core.run_until(1000);
    EXPECT_EQ(node.core.word(data), 7U);
}

TEST(T800Channels, TheWakeUpOfALinkFollowsTheChannelWord) {
    BenchNode node;
    node.load("ldc 0x80000900\n ldc 0x80000010\n ldc 4\n in\n ldc 1\n stl 1\n stopp\n");
    node.core.run_until(200);
    node.core.set_word(0x80000010U, 0x80000B01U);  // code redirects it
    node.core.set_word(0x80000B00U - 4, 0x80000300U);
    node.core.input_done(LinkNo(0));
    EXPECT_EQ(node.core.registers().wptr, 0x80000B00U);
    EXPECT_EQ(node.core.registers().iptr, 0x80000300U);
}

}  // namespace
}  // namespace t800_channels
