#include <instrumentation/report_codec.hpp>

#include <gmock/gmock.h>

#include <array>

#include <instrumentation/record_codec.hpp>

namespace {

using instrumentation::head_of;
using instrumentation::loss_report;
using instrumentation::losses_of;
using instrumentation::losses_report;
using instrumentation::Report;
using testing::ElementsAre;
using testing::IsEmpty;
using trace_record::ClassSet;
using trace_record::EventClass;
using trace_record::LossCause;
using trace_record::LossRange;
using vocabulary::NodeId;

const LossRange thinned{0xFFFE, 7, 0xFFFFFFFE, LossCause::Thinned, ClassSet::of(EventClass::User), 12, 0xFFFFFFFF};
const LossRange off{0xFFFE, 3, 5, LossCause::SwitchedOff, ClassSet::of(EventClass::Task), 1, 9};

}  // namespace

TEST(ReportCodec, OneLossTravelsInThePouchAlone) {
    const trollius_os::Message report = loss_report(thinned);
    EXPECT_EQ(report.length, 0U);
    EXPECT_THAT(losses_of(report), ElementsAre(thinned));
}

TEST(ReportCodec, SeveralLossesShareABody) {
    std::array<std::byte, 64> body{};
    const trollius_os::Message report = losses_report(std::array{off, thinned}, body);
    EXPECT_EQ(report.length, 2 * instrumentation::loss_bytes);
    EXPECT_THAT(losses_of(report), ElementsAre(off, thinned));
    EXPECT_EQ(head_of(report)->first_seq, 3U);
    EXPECT_EQ(head_of(report)->last_seq, 0xFFFFFFFEU);
}

TEST(ReportCodec, RecordsHaveTheirNumbersAndTheTimeTheyWereUnloaded) {
    std::array<std::byte, 2 * instrumentation::record_bytes> body{};
    const auto head = head_of(instrumentation::trace_report(NodeId(0xFFFF), (std::uint64_t{1} << 32) + 5, 10, 300, 2, body));
    ASSERT_TRUE(head);
    EXPECT_EQ(head->what, Report::Trace);
    EXPECT_EQ(head->node, NodeId(0xFFFF));
    EXPECT_EQ(head->first_seq, 10U);
    EXPECT_EQ(head->last_seq, 300U);
    EXPECT_EQ(head->count, 2U);
    EXPECT_EQ(head->unloaded_us, 5U) << "32 bits of the clock travel";
}

TEST(ReportCodec, TheEndHasTheNumberOfRecordsAndOfDroppedMessages) {
    const auto head = head_of(instrumentation::end_report(NodeId(4), 1000, 3));
    ASSERT_TRUE(head);
    EXPECT_EQ(head->what, Report::End);
    EXPECT_EQ(head->first_seq, 1000U);
    EXPECT_EQ(head->dropped_messages, 3U);
}

TEST(ReportCodec, AHeartbeatHasItsTimeInThePouch) {
    const trollius_os::Message report = instrumentation::heartbeat_report(NodeId(7), (std::uint64_t{1} << 32) + 9);
    EXPECT_EQ(report.length, 0U);
    const auto head = head_of(report);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->what, Report::Heartbeat);
    EXPECT_EQ(head->node, NodeId(7));
    EXPECT_EQ(head->before_us, 9U) << "32 bits of the clock travel";
}

TEST(ReportCodec, WhatDoesNotFitTogetherIsNoReport) {
    EXPECT_FALSE(head_of({.data = {9}}));
    std::array<std::byte, instrumentation::record_bytes> body{};
    EXPECT_FALSE(head_of(instrumentation::trace_report(NodeId(1), 0, 0, 1, 2, body))) << "two records need more room";
    EXPECT_FALSE(head_of(instrumentation::trace_report(NodeId(1), 0, 5, 4, 1, body)));
    LossRange backward = off;
    backward.last_seq = 2;
    EXPECT_THAT(losses_of(loss_report(backward)), IsEmpty());
    LossRange of_nothing = off;
    of_nothing.classes = ClassSet();
    EXPECT_THAT(losses_of(loss_report(of_nothing)), IsEmpty());
}

TEST(ReportCodec, EachReportHasItsWordsInTheirPlaces) {
    std::array<std::byte, 64> body{};
    EXPECT_THAT(instrumentation::trace_report(NodeId(2), 50, 10, 300, 2, body).data,
                ElementsAre(0x20001, 50, 10, 2, 300, 0, 0, 0));
    EXPECT_THAT(loss_report(off).data, ElementsAre(static_cast<std::int32_t>(0xFFFE0172), 1, 3, 5, 9, 0, 0, 0));
    EXPECT_THAT(losses_report(std::array{off, thinned}, body).data,
                ElementsAre(static_cast<std::int32_t>(0xFFFE0002), 2, 3, -2, 0, 0, 0, 0));
    EXPECT_THAT(instrumentation::end_report(NodeId(4), 1000, 3).data, ElementsAre(0x40003, 0, 1000, 0, 3, 0, 0, 0));
}

TEST(ReportCodec, LossesThatAreMoreThanTheBodyHoldsAreNoReport) {
    std::array<std::byte, 64> body{};
    trollius_os::Message report = losses_report(std::array{off, thinned}, body);
    --report.length;
    EXPECT_FALSE(head_of(report));
    EXPECT_THAT(losses_of(report), IsEmpty());
}

TEST(ReportCodec, AnEmptyTraceIsNoReport) {
    EXPECT_FALSE(head_of(instrumentation::trace_report(NodeId(1), 0, 1, 1, 0, {})));
}

TEST(ReportCodecDeathTest, LossesWithoutRoomForThemAreABrokenContract) {
    std::array<std::byte, 2 * instrumentation::loss_bytes - 1> body{};
    EXPECT_DEATH(losses_report(std::array{off, thinned}, body), "report_codec.losses");
}

TEST(ReportCodecDeathTest, AReportOfNoLossesIsABrokenContract) {
    std::array<std::byte, instrumentation::loss_bytes> body{};
    EXPECT_DEATH(losses_report({}, body), "report_codec.losses");
}
