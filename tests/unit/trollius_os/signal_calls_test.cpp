// Signals in the middle of the calls of the network and transport layers: no message is lost, none comes twice.
#include <gmock/gmock.h>

#include <array>
#include <numeric>

#include <trollius_os/services.hpp>
#include <vocabulary/split_mix.hpp>

#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::Message;
using trollius_os::Outcome;
using trollius_os::Process;
using trollius_os::ProcessState;
using trollius_os::Signal;
using trollius_os::SignalAction;

namespace {
constexpr EventNo mail{77}, other_mail{78};

struct SignalledMail : TestMulticomputer {
    SignalledMail() : TestMulticomputer(topologies::chain(3)) {
        box.start_at_once();
        // Something happens all the time, so a process that a test creates begins when it is created.
        box.host().create({"ticks", trollius_os::Priority::High, 0, 1024, [](Api& api) {
                               while (true) api.wait_until_clock(api.port().clock_us(trollius_os::Priority::High) + 20);
                           }});
        run_for(SimTime::ms(20));
    }
    void signal(std::uint16_t node, Process* process, Signal number) { box.kernel(NodeId(node)).signal(*process, number); }
    static std::string state(const Process* process) { return trollius_os::state_text(process->status()); }
    // Messages with the numbers 0, 1, ... from n0 to n2.
    void send(int count, SimTime between = SimTime(), std::uint32_t bytes = 0) {
        user(0, [this, count, between, bytes](Api& api) {
            std::vector<std::byte> body(bytes);
            for (int i = 0; i < count; ++i) {
                for (std::size_t at = 0; at < body.size(); ++at)
                    body[at] = static_cast<std::byte>(at + static_cast<unsigned>(i));
                Message message{.node = NodeId(2), .event = mail, .data = {i}, .length = bytes, .body = body};
                while (api.nsend(message) == Outcome::Interrupted) {
                }
                if (between != SimTime()) api.compute(between);
            }
            ++senders_done;
        });
    }
    Process* receive(int count, std::uint32_t bytes = 0) {
        return user(2, [this, count, bytes](Api& api) {
            std::vector<std::byte> room(bytes);
            while (static_cast<int>(got.size()) < count) {
                Message message{.event = mail, .body = room};
                if (api.nrecv(message) == Outcome::Interrupted) {
                    ++interrupted;
                    continue;
                }
                got.push_back(message.data[0]);
                for (std::size_t at = 0; at < room.size(); ++at)
                    whole = whole && room[at] == static_cast<std::byte>(at + static_cast<unsigned>(message.data[0]));
                whole = whole && message.length == bytes;
            }
        });
    }
    std::vector<int> first(int count) {
        std::vector<int> numbers(static_cast<std::size_t>(count));
        std::iota(numbers.begin(), numbers.end(), 0);
        return numbers;
    }

    std::vector<int> got;
    int interrupted = 0, senders_done = 0;
    bool whole = true;
};

}  // namespace

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

// A process that has asked, but does not receive yet: bufferd waits for it, and must not wait for ever.
TEST(SignalledReceive, FreesBufferdWhenTheProcessThatAskedIsDoomed) {
    SignalledMail bench;
    for (int i = 0; i < 60; ++i) {
        auto* process = bench.user(2, [](Api& api) {
            Message message{.event = mail};
            api.nrecv(message);
        });
        bench.user(0, [](Api& api) {
            Message message{.node = NodeId(2), .event = mail};
            api.nsend(message);
        });
        bench.run_for(SimTime::us(200 + 20 * i));
        bench.box.kernel(NodeId(2)).doom(*process);
        SimTime took;
        bench.user(1, [&](Api& api) { took = trollius_os::echo(api, NodeId(2), 10); });
        bench.run_for(SimTime::ms(10));
        ASSERT_GT(took, SimTime()) << i;
    }
}

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
