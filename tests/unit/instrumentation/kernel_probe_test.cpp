// Standard events: what becomes of an act of the kernel, and whose acts count.
#include <gtest/gtest.h>

#include <instrumentation/kernel_probe.hpp>

namespace {

using instrumentation::event_of;
using instrumentation::KernelProbe;
using trace_record::EventKind;
using trollius_os::KernelAct;
using trollius_os::Process;
using vocabulary::EventNo;
using vocabulary::NodeId;
using vocabulary::ProcessId;

const Process program{ProcessId(263'521), "trek.compute", 0};

}  // namespace

TEST(KernelProbe, PutsPeerEventProcessAndLengthIntoAMessagesRecord) {
    const auto event =
        event_of({.act = KernelAct::MessageSend, .peer = NodeId(3), .event = EventNo(-7), .bytes = 440}, program);
    EXPECT_EQ(event.kind, EventKind::MessageSend);
    EXPECT_EQ(event.peer, 3U);
    EXPECT_EQ(static_cast<std::int32_t>(event.task), -7);
    EXPECT_EQ(event.subtask, 263'521U);
    EXPECT_EQ(event.bytes, 440U);
}

TEST(KernelProbe, SaysThatTheSenderOfAMessageWithoutATagIsNotKnown) {
    EXPECT_EQ(event_of({.act = KernelAct::MessageReceive}, program).peer, trace_record::unknown_peer);
}

TEST(KernelProbe, PutsTheNumberOfAMessageIntoTheRecordOfItsSendsCall) {
    const trollius_os::MessageTag tag{.sender = NodeId(2), .number = 77};
    const auto call =
        event_of({.act = KernelAct::SendCall, .peer = NodeId(3), .event = EventNo(5), .bytes = 440, .tag = tag}, program);
    EXPECT_EQ(call.kind, EventKind::SendCall);
    EXPECT_EQ(call.peer, 3U);
    EXPECT_EQ(call.task, 5U);
    EXPECT_EQ(call.subtask, 263'521U);
    EXPECT_EQ(call.bytes, 77U);
    const auto untagged = event_of({.act = KernelAct::SendCall, .peer = NodeId(3), .bytes = 440}, program);
    EXPECT_EQ(untagged.bytes, 0U) << "numbers begin with 1";
}

TEST(KernelProbe, NamesSenderAndNumberInAPartnersRecord) {
    const auto partner = instrumentation::partner_of({.sender = NodeId(2), .number = 77}, program);
    EXPECT_EQ(partner.kind, EventKind::Partner);
    EXPECT_EQ(partner.peer, 2U);
    EXPECT_EQ(partner.task, 77U);
    EXPECT_EQ(partner.subtask, 263'521U);
}

TEST(KernelProbe, RecordsACallOfAReceiveWithoutPeerAndLength) {
    const auto event = event_of({.act = KernelAct::ReceiveCall, .peer = NodeId(3), .event = EventNo(5)}, program);
    EXPECT_EQ(event.peer, 0U);
    EXPECT_EQ(event.task, 5U);
    EXPECT_EQ(event.bytes, 0U);
}

TEST(KernelProbe, PutsIdAndTwelveCharactersOfTheNameIntoAProcessRecord) {
    const Process long_name{ProcessId(0x12345), "data_generator", 0};
    const auto event = event_of({.act = KernelAct::ProcessStart}, long_name);
    EXPECT_EQ(event.kind, EventKind::ProcessStart);
    EXPECT_EQ(event.peer, 0x2345U);
    EXPECT_EQ(event.task, 0x61746164U) << "'data', little endian";
    EXPECT_EQ(event.subtask, 0x6E65675FU) << "'_gen'";
    EXPECT_EQ(event.bytes, 0x74617265U) << "'erat'";
}

TEST(KernelProbe, LeavesNothingBehindAShortName) {
    const Process short_name{ProcessId(1), "ab", 0};
    const auto event = event_of({.act = KernelAct::ProcessEnd}, short_name);
    EXPECT_EQ(event.kind, EventKind::ProcessEnd);
    EXPECT_EQ(event.task, 0x6261U);
    EXPECT_EQ(event.subtask + event.bytes, 0U);
}

TEST(KernelProbe, TakesProgramsAndNeitherServicesNorTheMonitor) {
    EXPECT_TRUE(KernelProbe::is_program(program));
    EXPECT_FALSE(KernelProbe::is_program({ProcessId(1), "bufferd", 1100}));
    EXPECT_FALSE(KernelProbe::is_program({ProcessId(1), "nodemon.manager", 0}));
    EXPECT_FALSE(KernelProbe::is_program({ProcessId(1), "monmaster", 0}));
}
