// Signals in the middle of the transport layer, of conversations with services, and of transfers over links.
#include <gmock/gmock.h>

#include <array>

#include "signal_bench.hpp"

using signal_test::mail;
using signal_test::other_mail;
using signal_test::SignalledMail;
using test_support::NodeId;
using test_support::SimTime;
using trollius_os::Api;
using trollius_os::Message;
using trollius_os::Outcome;
using trollius_os::Process;
using trollius_os::ProcessState;
using trollius_os::Signal;
using trollius_os::SignalAction;

class ArrestInTransport : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(ArrestInTransport, DoesNotLeaveItHalfDone) {
    const auto [at, at_sender] = GetParam();
    SignalledMail bench;
    std::vector<std::byte> body(5000, std::byte{7}), room(5000);
    int done = 0;
    auto* sender = bench.user(0, [&](Api& api) {
        Message message{.node = NodeId(2), .event = mail, .length = 5000, .body = body};
        EXPECT_EQ(api.tsend(message), Outcome::Done);
        ++done;
    });
    auto* receiver = bench.user(2, [&](Api& api) {
        Message message{.event = mail, .body = room};
        EXPECT_EQ(api.trecv(message), Outcome::Done);
        ++done;
    });
    bench.run_for(SimTime::us(at));
    const std::uint16_t node = at_sender ? 0 : 2;
    Process* process = at_sender ? sender : receiver;
    bench.signal(node, process, Signal::Arrest);
    bench.run_for(SimTime::ms(100));
    if (process->state() != ProcessState::Ended) {
        EXPECT_EQ(bench.state(process), "<stopped>");
        bench.signal(node, process, Signal::Release);
        bench.run_for(SimTime::ms(5));
        bench.signal(node, process, Signal::C);
        bench.run_for(SimTime::ms(100));
    }
    EXPECT_EQ(done, 2);
    EXPECT_EQ(room, body);
}
INSTANTIATE_TEST_SUITE_P(At, ArrestInTransport,
                         testing::Combine(testing::Values(100, 300, 700, 1200, 2000, 3000, 4500, 6000, 8000), testing::Bool()));

TEST(SignalledTransport, WaitsForItsReceiverAfterARelease) {
    SignalledMail bench;
    int done = 0;
    auto* sender = bench.user(0, [&](Api& api) {
        Message message{.node = NodeId(2), .event = mail};
        EXPECT_EQ(api.tsend(message), Outcome::Done);
        ++done;
    });
    bench.run_for(SimTime::ms(10));
    bench.signal(0, sender, Signal::Release);
    bench.run_for(SimTime::ms(10));
    EXPECT_EQ(sender->state(), ProcessState::BlockedReceiving);
    auto* receiver = bench.user(1, [&](Api& api) {
        Message message{.event = mail};
        EXPECT_EQ(api.trecv(message), Outcome::Interrupted) << "nobody has begun";
        ++done;
    });
    bench.run_for(SimTime::ms(10));
    bench.signal(1, receiver, Signal::Release);
    bench.user(2, [&](Api& api) {
        Message message{.event = mail};
        EXPECT_EQ(api.trecv(message), Outcome::Done);
        ++done;
    });
    bench.run_for(SimTime::ms(50));
    EXPECT_EQ(done, 3);
}

TEST(SignalledConversation, WithAServiceIsNeverLeftHalfDone) {
    SignalledMail bench;
    std::size_t lines = 0;
    bool went_on = false;
    auto* process = bench.user(0, [&](Api& api) {
        lines = trollius_os::state(api, NodeId(2)).size();
        went_on = true;
        api.kpause();
    });
    bench.run_for(SimTime::us(900));
    bench.signal(0, process, Signal::Arrest);
    bench.signal(0, process, Signal::Die);
    EXPECT_EQ(process->state(), ProcessState::BlockedReceiving);
    EXPECT_NE(bench.state(process), "<stopped>");
    EXPECT_NE(process->pending(), 0);
    bench.run_for(SimTime::ms(50));
    EXPECT_GT(lines, 5u);
    EXPECT_TRUE(went_on);
    EXPECT_EQ(process->state(), ProcessState::Ended) << "at its next call of the kernel";
}

TEST(SignalledConversation, WithTheNodesOwnBuffersOrRouterIsAnswered) {
    SignalledMail bench;
    int probes = 0;
    auto* process = bench.user(0, [&](Api& api) {
        for (; probes < 50; ++probes) {
            api.nprobe(mail, 0);
            trollius_os::ask_router(api.calls(), NodeId(2)).get();
        }
    });
    for (int i = 0; i < 400 && process->state() != ProcessState::Ended; ++i) {
        bench.run_for(SimTime::us(77));
        bench.signal(0, process, i % 3 == 0 ? Signal::Release : Signal::C);
    }
    bench.run_for(SimTime::ms(100));
    EXPECT_EQ(probes, 50);
}

TEST(SignalledLink, IsNoticedAfterTheTransfer) {
    SignalledMail bench;
    std::array<std::byte, 4> room{}, from{std::byte{1}};
    std::vector<std::string> order;
    auto* process = bench.user(1, [&](Api& api) {
        api.ksignal(Signal::C, SignalAction::handle([&](Api&, Signal) { order.emplace_back("handler"); }));
        api.circuit_receive(vocabulary::LinkNo(0), NodeId(0), {.header = {}, .body = room});
        order.emplace_back("transfer");
        Message message{.event = mail};
        api.krecv(message, false);
    });
    bench.run_for(SimTime::ms(1));
    bench.signal(1, process, Signal::C);
    bench.run_for(SimTime::ms(1));
    EXPECT_EQ(process->state(), ProcessState::Ready);
    bench.user(0, [&](Api& api) {
        api.circuit_send(vocabulary::LinkNo(1), NodeId(1),
                         {.channel = trollius_os::LinkChannel::Circuit, .body = from, .wire_bytes = 4});
    });
    bench.run_for(SimTime::ms(5));
    EXPECT_THAT(order, testing::ElementsAre("transfer", "handler"));
}
