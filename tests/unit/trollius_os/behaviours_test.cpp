// The behaviours that make the system Trollius, 1 to 7: rendez-vous, signals and buffers. Details of each have tests of their
// own beside this file; 8 to 12 are in behaviours_of_programs_test.cpp.
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "behaviour_bench.hpp"

namespace behaviours {

using testing::ElementsAre;
using trollius_os::Signal;

TEST(Behaviour1, ReceiversOfOneEventAreServedByPriorityThenByTime) {
    OneNode bench;
    std::vector<std::string> order;
    const auto receiver = [&](const char* name) {
        return [&order, name](Api& api) {
            Message message{.event = of_behaviour};
            api.krecv(message);
            order.emplace_back(name);
        };
    };
    bench.user(1, receiver("first of 0"), 0);
    bench.user(1, receiver("second of 0"), 0);
    bench.user(1, receiver("5"), 5);
    bench.run_for(SimTime::ms(1));
    bench.user(1, [](Api& api) {
        for (int i = 0; i < 3; ++i) {
            Message message{.event = of_behaviour};
            api.ksend(message);
        }
    });
    bench.run_for(SimTime::ms(5));
    EXPECT_THAT(order, ElementsAre("5", "first of 0", "second of 0"));
}

TEST(Behaviour2, TypesMeetByZeroOrACommonBitAndTheReceiverSeesTheSenders) {
    OneNode bench;
    std::vector<std::pair<std::int32_t, Outcome>> sent;  // types of the sender
    std::vector<std::int32_t> seen;                      // types that the receiver saw
    bench.user(1, [&](Api& api) {
        for (const std::int32_t wanted : {6, 6, 0}) {
            Message message{.event = of_behaviour, .type = wanted};
            api.krecv(message);
            seen.push_back(message.type);
        }
    });
    bench.run_for(SimTime::ms(1));
    bench.user(1, [&](Api& api) {
        for (const std::int32_t type : {1, 0, 8, 2, 1}) {
            Message message{.event = of_behaviour, .type = type};
            sent.emplace_back(type, api.ksend(message, false));
            Chain::sleep(api, 500);  // the receiver comes back meanwhile
        }
    });
    bench.run_for(SimTime::ms(5));
    EXPECT_THAT(sent, ElementsAre(std::pair(1, Outcome::WouldBlock), std::pair(0, Outcome::Done),
                                  std::pair(8, Outcome::WouldBlock), std::pair(2, Outcome::Done), std::pair(1, Outcome::Done)));
    EXPECT_THAT(seen, ElementsAre(0, 2, 1));
}

TEST(Behaviour3, TheShorterLengthIsCopiedAndBothSidesLearnIt) {
    OneNode bench;
    for (const auto& [room, length] : {std::pair(4u, 10u), {10u, 4u}}) {
        std::array<std::byte, 10> from{}, to{};
        std::memcpy(from.data(), "abcdefghij", 10);
        std::uint32_t sent = 0, got = 0;
        bench.user(1, [&, room = room](Api& api) {
            Message message{.event = of_behaviour, .body = std::span(to).first(room)};
            api.krecv(message);
            got = message.length;
        });
        bench.user(1, [&, length = length](Api& api) {
            Message message{.event = of_behaviour, .length = length, .body = from};
            api.ksend(message);
            sent = message.length;
        });
        bench.run_for(SimTime::ms(5));
        EXPECT_EQ(sent, 4u);
        EXPECT_EQ(got, 4u);
        EXPECT_EQ(std::memcmp(to.data(), "abcd\0", 5), 0);
    }
}

TEST(Behaviour4, AServerWhoseCallerIsKilledInSendReceiveDoesNotHang) {
    OneNode bench;
    std::optional<Outcome> answered;
    auto* server = bench.user(1, [&](Api& api) {
        Message request{.event = of_behaviour};
        api.krecv(request);
        api.compute(SimTime::ms(2));
        Message answer{.event = beside_it};
        answered = api.ksend(answer, false);
    });
    auto* caller = bench.user(1, [](Api& api) {
        Message request{.event = of_behaviour}, answer{.event = beside_it};
        api.ksr(request, answer);
        ADD_FAILURE() << "a doomed process ran";
    });
    bench.run_for(SimTime::ms(1));
    EXPECT_EQ(caller->state(), ProcessState::BlockedReceiving);
    bench.kernel().doom(*caller);
    bench.run_for(SimTime::ms(10));
    EXPECT_EQ(answered, Outcome::WouldBlock);
    EXPECT_EQ(server->state(), ProcessState::Ended);
}

TEST(Behaviour5, ASignalEndsABlockedCallAndArrestStopsUntilRelease) {
    Chain bench(2);
    std::vector<int> handled;
    std::vector<std::pair<Outcome, int>> ends;
    auto* process = bench.user(1, [&](Api& api) {
        const auto noting = [&](Api&, Signal signal) { handled.push_back(static_cast<int>(signal)); };
        api.ksignal(Signal::A, trollius_os::SignalAction::handle(noting));
        api.ksignal(Signal::C, trollius_os::SignalAction::handle(noting));
        api.ksigsetretry(trollius_os::all_signals & ~mask_of(Signal::C));
        for (int i = 0; i < 3; ++i) {
            Message message{.event = of_behaviour};
            const Outcome outcome = api.nrecv(message);
            ends.emplace_back(outcome, message.data[0]);
        }
    });
    const auto state_by_message = [&](Api& api) {
        for (const auto& line : trollius_os::state(api, NodeId(1)))
            if (line.pid == process->pid()) return trollius_os::state_text(line.status());
        return std::string("none");
    };
    const auto give = [&](Api& api, int value) {
        Message message{.node = NodeId(1), .event = of_behaviour, .data = {value}};
        api.nsend(message);
        Chain::sleep(api, 10'000);
    };
    bench.on_host([&](Api& api) {
        trollius_os::doom(api, NodeId(1), process->pid(), 7);  // the handler runs, and the call is made again
        EXPECT_EQ(state_by_message(api), "BR (77, 0)");
        EXPECT_THAT(ends, ElementsAre());
        give(api, 1);
        trollius_os::doom(api, NodeId(1), process->pid(), 2);  // no retry: the call ends
        EXPECT_EQ(state_by_message(api), "BR (77, 0)");
        trollius_os::doom(api, NodeId(1), process->pid(), 5);
        EXPECT_EQ(state_by_message(api), "<stopped>");
        give(api, 3);
        EXPECT_EQ(state_by_message(api), "<stopped>");
        trollius_os::doom(api, NodeId(1), process->pid(), 6);
    });
    EXPECT_THAT(handled, ElementsAre(7, 2));
    ASSERT_EQ(ends.size(), 3u);
    EXPECT_EQ(ends[0], std::pair(Outcome::Done, 1));
    EXPECT_EQ(ends[1].first, Outcome::Interrupted);
    EXPECT_EQ(ends[2], std::pair(Outcome::Done, 3)) << "it came while the process was stopped";
    EXPECT_EQ(process->state(), ProcessState::Ended);
}

TEST(Behaviour6, AMessageThatNobodyReceivesIsShownByBfstateUntilSweepTakesIt) {
    Chain bench(2);
    int left = 0;
    bench.send(0, 1, 1, 100, left);
    bench.on_host([&](Api& api) {
        const auto before = trollius_os::buffer_state(api, NodeId(1));
        ASSERT_EQ(before.packets.size(), 1u);
        EXPECT_EQ(before.packets[0].event, of_behaviour);
        EXPECT_EQ(before.packets[0].node.id(), NodeId(1));
        EXPECT_EQ(before.packets[0].length, 100u);
        EXPECT_GT(before.used, 100u);
        EXPECT_EQ(trollius_os::sweep_buffers(api, NodeId(1)), 1u);
        const auto after = trollius_os::buffer_state(api, NodeId(1));
        EXPECT_TRUE(after.packets.empty());
        EXPECT_EQ(after.used, 0u);
    });
    EXPECT_EQ(left, 1);
}

class Behaviour6 : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Behaviour6, AnUnbufferedMessageThatNobodyReceivesPlugsItsLink) {
    Chain bench(2);
    int plug = 0, left = 0;
    std::vector<int> plugged, got;
    bench.send(0, 1, 1, 100, plug, trollius_os::flags::no_buffer);
    bench.run_for(SimTime::ms(20));
    bench.receive(1, 2, got, GetParam(), beside_it);
    auto* sender = bench.send(0, 1, 2, 100, left, GetParam(), beside_it);
    bench.run_for(SimTime::ms(500));
    EXPECT_THAT(got, ElementsAre()) << "their receiver waits, and they do not come";
    EXPECT_EQ(left, 1) << "the link's process holds one";
    EXPECT_EQ(sender->state(), ProcessState::BlockedSending);
    bench.receive(1, 1, plugged, trollius_os::flags::no_buffer);
    bench.run_for(SimTime::ms(50));
    EXPECT_THAT(plugged, ElementsAre(0));
    EXPECT_THAT(got, ElementsAre(0, 1));
}
INSTANTIATE_TEST_SUITE_P(NextIsBufferedOrNot, Behaviour6, testing::Values(0, trollius_os::flags::no_buffer));

// A receiver that never reads. 40 messages of 8000 bytes are 320 Kbytes; users may fill 192 Kbytes of the pool. They come over
// one link of n1, the host's messages over the other: what waits at the end of a link plugs it for all.
TEST(Behaviour7, AFullPoolBlocksTheSenderAndLetsTheSystemPass) {
    Chain bench(3);
    int left = 0;
    std::vector<int> got;
    auto* sender = bench.send(2, 1, 40, 8000, left);
    bench.run_for(SimTime::s(2));
    const std::uint32_t users = bench.box.kernel(NodeId(1)).costs().user_pool;
    EXPECT_EQ(sender->state(), ProcessState::BlockedSending);
    EXPECT_LT(left, 40);
    bench.on_host([&](Api& api) {
        const auto pool = trollius_os::buffer_state(api, NodeId(1));
        EXPECT_LE(pool.used, users);
        EXPECT_GT(pool.used, users - 2 * 4200) << "not even one more packet and its header fit";
        EXPECT_GT(trollius_os::echo(api, NodeId(1), 1000), SimTime()) << "a message to a service and its answer";
    });
    const int before = left;
    bench.receive(1, 40, got);
    bench.run_for(SimTime::s(3));
    EXPECT_LT(before, left);
    EXPECT_EQ(got, up_to(40)) << "nothing is lost";
}

TEST(Behaviour7, SweepFreesAFullPool) {
    Chain bench(3);
    int left = 0;
    bench.send(2, 1, 60, 4000, left);
    bench.run_for(SimTime::s(1));
    const int before = left;
    EXPECT_LT(before, 60);
    bench.on_host([&](Api& api) {
        const auto full = trollius_os::buffer_state(api, NodeId(1));
        EXPECT_EQ(trollius_os::sweep_buffers(api, NodeId(1)), full.packets.size());
        EXPECT_LT(trollius_os::buffer_state(api, NodeId(1)).used, full.used);
    });
    EXPECT_EQ(left, 60) << "the rest has room now";
}

}  // namespace behaviours
