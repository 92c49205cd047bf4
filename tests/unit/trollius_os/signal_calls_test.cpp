// Signals in the middle of the calls of the network layer: no message is lost, none comes twice.
#include <gmock/gmock.h>

#include <array>

#include <vocabulary/split_mix.hpp>

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

// The times lie before, in and after the arrival of the message, 20 us apart.
class ArrestInReceive : public testing::TestWithParam<int> {};

TEST_P(ArrestInReceive, LosesNoMessage) {
    SignalledMail bench;
    auto* process = bench.receive(3);
    bench.send(3);
    bench.run_for(SimTime::us(GetParam() * 20));
    bench.signal(2, process, Signal::Arrest);
    bench.run_for(SimTime::ms(50));
    ASSERT_EQ(bench.state(process), "<stopped>");
    const auto before = bench.got;
    bench.signal(2, process, Signal::Release);
    bench.run_for(SimTime::ms(50));
    EXPECT_EQ(bench.got, bench.first(3));
    EXPECT_LT(before.size(), 3u);
    EXPECT_EQ(bench.interrupted, 0);
}
INSTANTIATE_TEST_SUITE_P(At, ArrestInReceive, testing::Range(0, 40));

TEST(SignalledReceive, GetsTheMessageThatCameWhileItWasStopped) {
    SignalledMail bench;
    auto* process = bench.receive(2);
    bench.run_for(SimTime::ms(5));
    bench.signal(2, process, Signal::Arrest);
    bench.run_for(SimTime::ms(5));
    bench.send(2);
    bench.run_for(SimTime::ms(50));
    EXPECT_EQ(bench.senders_done, 1) << "the buffers have them";
    EXPECT_TRUE(bench.got.empty());
    bench.signal(2, process, Signal::Release);
    bench.run_for(SimTime::ms(50));
    EXPECT_EQ(bench.got, bench.first(2));
}

TEST(SignalledReceive, DoesNotHinderOthersWhileItIsStopped) {
    SignalledMail bench;
    auto* process = bench.receive(1);
    for (int i = 0; i < 30; ++i) {
        bench.signal(2, process, Signal::Arrest);
        if (i == 10) bench.send(1);
        SimTime took;
        bench.user(1, [&](Api& api) { took = trollius_os::echo(api, NodeId(2), 10); });
        bench.run_for(SimTime::ms(5));
        EXPECT_GT(took, SimTime()) << i;
        bench.signal(2, process, Signal::Release);
        if (!bench.got.empty()) break;
        bench.run_for(SimTime::us(100 + 20 * i));
    }
    EXPECT_EQ(bench.got, bench.first(1));
}

TEST(SignalledReceive, ThatEndsInterruptedLeavesTheMessageForTheNext) {
    SignalledMail bench;
    auto* process = bench.receive(3);
    bench.run_for(SimTime::ms(5));
    bench.signal(2, process, Signal::Release);  // never retried
    bench.run_for(SimTime::ms(5));
    EXPECT_EQ(bench.interrupted, 1);
    bench.send(3, SimTime::ms(1));
    for (int i = 0; i < 20; ++i) {
        bench.run_for(SimTime::us(300));
        bench.signal(2, process, Signal::Release);
    }
    bench.run_for(SimTime::ms(50));
    EXPECT_EQ(bench.got, bench.first(3));
    EXPECT_GT(bench.interrupted, 1);
}

TEST(SignalledReceive, GoesOnAfterAHandlerThatReceivesToo) {
    SignalledMail bench;
    int in_handler = 0;
    bool got = false;
    auto* process = bench.user(2, [&](Api& api) {
        api.ksignal(Signal::A, SignalAction::handle([&](Api& its, Signal) {
                        Message message{.event = other_mail};
                        EXPECT_EQ(its.nrecv(message), Outcome::Done);
                        in_handler = message.data[0];
                    }));
        Message message{.event = mail};
        EXPECT_EQ(api.nrecv(message), Outcome::Done);
        got = true;
    });
    bench.run_for(SimTime::ms(5));
    bench.signal(2, process, Signal::A);
    bench.send(1);
    bench.run_for(SimTime::ms(20));
    EXPECT_FALSE(got);
    bench.user(1, [](Api& api) {
        Message message{.node = NodeId(2), .event = other_mail, .data = {9}};
        api.nsend(message);
    });
    bench.run_for(SimTime::ms(20));
    EXPECT_EQ(in_handler, 9);
    EXPECT_TRUE(got);
}

// The message that waited past the buffers is gone when the handler is done. So bufferd has to be asked after all.
TEST(SignalledReceive, AsksTheBuffersIfItsHandlerTakesTheMessageThatWasThere) {
    SignalledMail bench;
    std::vector<int> got_by;
    auto* process = bench.user(2, [&](Api& api) {
        api.ksignal(Signal::A, SignalAction::handle([&](Api& its, Signal) {
                        Message message{.event = mail};
                        EXPECT_EQ(its.krecv(message, false), Outcome::Done);
                        got_by.push_back(message.data[0]);
                    }));
        api.compute(SimTime::ms(5));
        Message message{.event = mail};
        EXPECT_EQ(api.nrecv(message), Outcome::Done);
        got_by.push_back(message.data[0]);
    });
    bench.user(1, [](Api& api) {
        Message message{.node = NodeId(2), .event = mail, .flags = trollius_os::flags::no_buffer, .data = {8}};
        api.nsend(message);
    });
    bench.run_for(SimTime::ms(2));
    bench.signal(2, process, Signal::A);
    bench.run_for(SimTime::ms(20));
    EXPECT_THAT(got_by, testing::ElementsAre(8));
    bench.send(1);
    bench.run_for(SimTime::ms(20));
    EXPECT_THAT(got_by, testing::ElementsAre(8, 0));
}

// A process has asked and does not receive yet, since others have the processor. So bufferd waits for it. It must not wait for
// ever when the process is doomed or arrested.
class BufferdThatWaits : public testing::TestWithParam<bool> {};

TEST_P(BufferdThatWaits, IsFreedByASignalToTheProcessThatAsked) {
    SignalledMail bench;
    trollius_os::Kernel& kernel = bench.box.kernel(NodeId(1));
    const Process& bufferd = *kernel.processes()[1];
    ASSERT_EQ(bufferd.name(), "bufferd");
    const auto send = [&](std::uint16_t to) {
        bench.user(0, [to](Api& api) {
            Message message{.node = NodeId(to), .event = mail};
            api.nsend(message);
        });
    };
    const auto until = [&](const std::function<bool()>& seen) {
        for (int n = 0; n < 3000 && !seen(); ++n) bench.run_for(SimTime::us(10));
        return seen();
    };
    int seen = 0;
    for (int i = 0; i < 5; ++i) {
        send(1);  // it is stored
        bench.run_for(SimTime::ms(20));
        kernel.forget_routes();
        send(2);  // so bufferd asks the router, and takes no request meanwhile
        until([&] { return bufferd.last_event() == bufferd.reply_event(); });
        auto* process = bench.user(1, [](Api& api) {
            Message message{.event = mail};
            api.nrecv(message);
        });
        for (int n = 0; n < 3; ++n) bench.user(1, [](Api& api) { api.compute(SimTime::ms(8)); });
        const bool waits = until([&] {
            return bufferd.state() == ProcessState::BlockedSending && bufferd.last_event() == mail &&
                   process->state() != ProcessState::Ended;
        });
        if (waits) ++seen;
        GetParam() ? kernel.doom(*process) : kernel.signal(*process, Signal::Arrest);
        bench.run_for(SimTime::ms(50));
        EXPECT_EQ(bufferd.state(), ProcessState::BlockedReceiving) << i;
        if (!GetParam()) kernel.doom(*process);
        bench.run_for(SimTime::ms(20));
    }
    EXPECT_GT(seen, 0);
}
INSTANTIATE_TEST_SUITE_P(DoomOrArrest, BufferdThatWaits, testing::Bool());

// Three packets a message; arrests of both sides at random moments.
class ArrestOfLongMessages : public testing::TestWithParam<int> {};

TEST_P(ArrestOfLongMessages, LeavesThemWholeAndInOrder) {
    SignalledMail bench;
    std::vector<std::byte> body(10'000);
    auto* receiver = bench.receive(4, 10'000);
    bench.send(4, SimTime(), 10'000);
    Process* sender = bench.box.kernel(NodeId(0)).processes().back().get();
    std::uint64_t rolled = 0;
    const auto dice = [&](std::uint64_t sides) {
        return vocabulary::split_mix(static_cast<std::uint64_t>(GetParam()), ++rolled) % sides;
    };
    for (int i = 0; i < 40; ++i) {
        bench.run_for(SimTime::us(static_cast<std::int64_t>(dice(8000))));
        const bool at_receiver = dice(2) == 0;
        const std::uint16_t node = at_receiver ? 2 : 0;
        bench.signal(node, at_receiver ? receiver : sender, Signal::Arrest);
        bench.run_for(SimTime::us(static_cast<std::int64_t>(dice(3000))));
        bench.signal(node, at_receiver ? receiver : sender, dice(3) == 0 ? Signal::C : Signal::Release);
        bench.signal(node, at_receiver ? receiver : sender, Signal::Release);
    }
    bench.run_for(SimTime::s(1));
    EXPECT_EQ(bench.got, bench.first(4));
    EXPECT_TRUE(bench.whole);
}
INSTANTIATE_TEST_SUITE_P(Seeds, ArrestOfLongMessages, testing::Range(1, 13));

class RandomSignalsToAReceiver : public testing::TestWithParam<int> {};

TEST_P(RandomSignalsToAReceiver, LoseNothingOfAStream) {
    SignalledMail bench;
    auto* process = bench.receive(100);
    bench.send(100, SimTime::us(300));
    std::uint64_t rolled = 0;
    const auto dice = [&](std::uint64_t sides) {
        return vocabulary::split_mix(static_cast<std::uint64_t>(GetParam()), ++rolled) % sides;
    };
    static constexpr std::array signals = {Signal::Trace, Signal::C,       Signal::Arrest, Signal::Release,
                                           Signal::A,     Signal::Release, Signal::B,      Signal::Release};
    for (int i = 0; i < 600; ++i) {
        bench.run_for(SimTime::us(static_cast<std::int64_t>(dice(200))));
        bench.signal(2, process, signals[dice(signals.size())]);
    }
    bench.signal(2, process, Signal::Release);
    bench.run_for(SimTime::s(1));
    EXPECT_EQ(bench.got, bench.first(100));
    EXPECT_GT(bench.interrupted, 10);
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomSignalsToAReceiver, testing::Range(1, 9));
