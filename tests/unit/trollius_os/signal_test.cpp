// Signals in the kernel: who notices when, what handlers and masks do, and the defaults.
#include <gmock/gmock.h>

#include "signal_bench.hpp"

using signal_test::quiet_event;
using signal_test::SignalBench;
using test_support::SimTime;
using testing::ElementsAre;
using trollius_os::Api;
using trollius_os::Error;
using trollius_os::EventNo;
using trollius_os::mask_of;
using trollius_os::Message;
using trollius_os::Outcome;
using trollius_os::Process;
using trollius_os::ProcessState;
using trollius_os::Signal;
using trollius_os::SignalAction;

TEST(Signals, HaveTheNumbersAndNamesOfTrollius) {
    std::vector<std::string> names;
    for (std::int32_t number = -1; number <= 11; ++number) {
        if (const auto signal = trollius_os::signal_of(number))
            names.push_back(std::to_string(number) + " " + trollius_os::name_of(*signal));
    }
    EXPECT_THAT(names, ElementsAre("1 SIGTRACE", "2 SIGC", "4 SIGUDIE", "5 SIGARREST", "6 SIGRELEASE", "7 SIGA", "8 SIGB"));
    EXPECT_EQ(trollius_os::signal_numbers(0), "<nil>");
    EXPECT_EQ(trollius_os::signal_numbers(mask_of(Signal::C) | mask_of(Signal::B)), "2,8");
}

// Behaviour 5: the call ends, the handler runs, the call is made again.
TEST(Signals, ToABlockedProcessRunItsHandlerAndThenItsCallGoesOn) {
    SignalBench bench;
    auto* process = bench.receiver();
    bench.signal(process, Signal::C);
    EXPECT_THAT(bench.handled, ElementsAre(2));
    EXPECT_EQ(trollius_os::state_text(process->status()), "BR (77, 0)");
    bench.send(5);
    EXPECT_EQ(bench.outcome, Outcome::Done);
    EXPECT_EQ(bench.got, 5);
}

TEST(Signals, OutsideTheRetryMaskEndTheCall) {
    SignalBench bench;
    auto* process = bench.receiver([](Api& api) {
        EXPECT_EQ(api.ksigsetretry(0), trollius_os::all_signals & ~mask_of(Signal::Release));
        EXPECT_EQ(api.ksigretry(mask_of(Signal::A)), 0);
    });
    bench.signal(process, Signal::A);
    EXPECT_EQ(bench.outcome, std::nullopt);
    bench.signal(process, Signal::C);
    EXPECT_THAT(bench.handled, ElementsAre(2));
    EXPECT_EQ(bench.outcome, Outcome::Interrupted);
}

TEST(Signals, ReleaseEndsACallOfAProcessThatIsNotStopped) {
    SignalBench bench;
    bench.signal(bench.receiver(), Signal::Release);
    EXPECT_EQ(bench.outcome, Outcome::Interrupted);
}

TEST(Signals, TakeABlockedSenderOffItsEvent) {
    SignalBench bench;
    auto* sender = bench.user(1, [&](Api& api) {
        Message message{.event = quiet_event};
        bench.outcome = api.ksend(message);
    });
    bench.run_for(SimTime::ms(5));
    bench.signal(sender, Signal::Release);
    EXPECT_EQ(bench.outcome, Outcome::Interrupted);
    auto* receiver = bench.receiver();
    EXPECT_EQ(receiver->state(), ProcessState::BlockedReceiving) << "nobody sends any more";
}

TEST(Signals, AreNoticedByAReadyProcessAtItsNextCallOfTheKernel) {
    SignalBench bench;
    auto* process = bench.user(1, [&](Api& api) {
        api.ksignal(Signal::C, bench.noting());
        api.compute(SimTime::ms(20));
        EXPECT_THAT(bench.handled, ElementsAre());
        Message message{.event = quiet_event};
        bench.outcome = api.krecv(message, false);
    });
    bench.run_for(SimTime::ms(2));
    for (int i = 0; i < 3; ++i) bench.signal(process, Signal::C, SimTime::ms(1));
    EXPECT_EQ(process->pending(), mask_of(Signal::C));
    bench.run_for(SimTime::ms(50));
    EXPECT_THAT(bench.handled, ElementsAre(2)) << "signals of one number merge";
    EXPECT_GE(bench.handled_at, SimTime::ms(20));
    EXPECT_EQ(bench.outcome, Outcome::WouldBlock) << "the call was made again";
}

TEST(Signals, OfAProcessToItselfAreHandledWhenTheCallReturns) {
    SignalBench bench;
    bench.user(1, [&](Api& api) {
        api.ksignal(Signal::B, bench.noting());
        EXPECT_EQ(api.kdoom({}, 8), Error::None);
        EXPECT_THAT(bench.handled, ElementsAre(8));
        EXPECT_EQ(api.kdoom(api.pid(), 8), Error::None);
        EXPECT_THAT(bench.handled, ElementsAre(8, 8));
    });
    bench.run_for(SimTime::ms(5));
    EXPECT_EQ(bench.handled.size(), 2u);
}

TEST(Signals, AreHeldBackInTheirOwnHandlerAndRunAfterIt) {
    SignalBench bench;
    std::vector<std::string> order;
    bench.user(1, [&](Api& api) {
        api.ksignal(Signal::C, SignalAction::handle([&](Api& its, Signal) mutable {
                        order.emplace_back("in");
                        if (order.size() == 1) its.kdoom({}, 2);
                        EXPECT_EQ(its.kstate({})->pending, order.size() == 1 ? mask_of(Signal::C) : 0);
                        order.emplace_back("out");
                    }));
        api.kdoom({}, 2);
        Message message{.event = quiet_event};
        api.krecv(message, false);
    });
    bench.run_for(SimTime::ms(5));
    EXPECT_THAT(order, ElementsAre("in", "out", "in", "out"));
}

TEST(Signals, InterruptACallOfAHandler) {
    SignalBench bench;
    auto* process = bench.receiver([&](Api& api) {
        api.ksignal(Signal::A, SignalAction::handle([&](Api& its, Signal) {
                        Message message{.event = EventNo(78)};
                        EXPECT_EQ(its.krecv(message), Outcome::Done);
                        bench.handled.push_back(message.data[0]);
                    }));
    });
    bench.signal(process, Signal::A);
    EXPECT_EQ(trollius_os::state_text(process->status()), "BR (78, 0)");
    bench.signal(process, Signal::C);
    bench.user(1, [](Api& api) {
        Message message{.event = EventNo(78), .data = {99}};
        api.ksend(message);
    });
    bench.run_for(SimTime::ms(5));
    EXPECT_THAT(bench.handled, ElementsAre(2, 99));
    bench.send(6);
    EXPECT_EQ(bench.got, 6);
}

TEST(Signals, AreIgnoredByDefaultIfTheyAreTheUsersOrAboutTraces) {
    SignalBench bench;
    auto* process = bench.receiver([](Api& api) { api.ksignal(Signal::C, {}); });
    for (const Signal signal : {Signal::Trace, Signal::C, Signal::A, Signal::B}) {
        bench.signal(process, signal);
        EXPECT_EQ(process->state(), ProcessState::BlockedReceiving);
        EXPECT_EQ(process->pending(), 0);
    }
    EXPECT_EQ(bench.outcome, std::nullopt);
}

TEST(Signals, CanBeIgnoredAndGetTheirDefaultBack) {
    SignalBench bench;
    auto* process = bench.user(1, [&](Api& api) {
        EXPECT_EQ(api.ksignal(Signal::Die, SignalAction::ignore()).kind(), SignalAction::Kind::Default);
        Message message{.event = quiet_event};
        api.krecv(message);
        EXPECT_EQ(api.ksignal(Signal::Die, {}).kind(), SignalAction::Kind::Ignore);
        api.krecv(message);
    });
    bench.run_for(SimTime::ms(5));
    bench.signal(process, Signal::Die);
    EXPECT_EQ(process->state(), ProcessState::BlockedReceiving);
    bench.send(1);
    bench.signal(process, Signal::Die);
    EXPECT_EQ(process->state(), ProcessState::Ended);
}

TEST(Signals, ThatAreBlockedWaitUntilTheMaskLetsThemThrough) {
    SignalBench bench;
    auto* process = bench.receiver([](Api& api) {
        EXPECT_EQ(api.ksigblock(mask_of(Signal::C)), 0);
        EXPECT_EQ(api.ksigblock(mask_of(Signal::Die)), mask_of(Signal::C));
    });
    bench.signal(process, Signal::C);
    bench.signal(process, Signal::Die);
    EXPECT_EQ(process->state(), ProcessState::BlockedReceiving);
    EXPECT_EQ(process->pending(), mask_of(Signal::C) | mask_of(Signal::Die));
    bench.send(3);
    EXPECT_EQ(bench.got, 3);
    EXPECT_THAT(bench.handled, ElementsAre());

    auto* second = bench.receiver([&](Api& api) {
        api.ksigblock(mask_of(Signal::C));
        api.kdoom({}, 2);
        EXPECT_THAT(bench.handled, ElementsAre());
        EXPECT_EQ(api.ksigsetmask(0), mask_of(Signal::C));
        EXPECT_THAT(bench.handled, ElementsAre(2));
    });
    EXPECT_EQ(second->state(), ProcessState::BlockedReceiving);
}

TEST(Signals, DieEndsAProcessInItsOwnTimeIfItWasHeldBack) {
    SignalBench bench;
    const std::uint64_t before = bench.box.machine().node(vocabulary::NodeId(1)).arena.used_bytes();
    auto* process = bench.user(1, [&](Api& api) {
        api.ksigblock(mask_of(Signal::Die));
        api.compute(SimTime::ms(10));
        api.ksigsetmask(0);
        ADD_FAILURE() << "it has ended";
    });
    bench.run_for(SimTime::ms(2));
    bench.signal(process, Signal::Die, SimTime::ms(1));
    EXPECT_EQ(process->state(), ProcessState::Ready);
    bench.run_for(SimTime::ms(20));
    EXPECT_EQ(process->state(), ProcessState::Ended);
    EXPECT_EQ(bench.box.machine().node(vocabulary::NodeId(1)).arena.used_bytes(), before);
    const auto* next = bench.user(1, [](Api&) {});
    EXPECT_EQ(next, bench.kernel().processes()[0].get()) << "its slot is free";
}

TEST(Signals, DieIsHandledByAProcessThatWantsTo) {
    SignalBench bench;
    auto* process = bench.receiver([&](Api& api) { api.ksignal(Signal::Die, bench.noting()); });
    bench.signal(process, Signal::Die);
    EXPECT_THAT(bench.handled, ElementsAre(4));
    EXPECT_EQ(process->state(), ProcessState::BlockedReceiving);
}

TEST(Signals, PauseWaitsForAnyOfThem) {
    for (const Signal signal : {Signal::C, Signal::A, Signal::Release, Signal::Trace}) {
        static SignalBench* bench = new SignalBench;  // one machine a program
        bench->handled.clear();
        bench->outcome.reset();
        auto* process = bench->user(1, [&](Api& api) {
            api.ksignal(Signal::C, bench->noting());
            bench->outcome = api.kpause();
        });
        bench->run_for(SimTime::ms(5));
        EXPECT_EQ(trollius_os::state_text(process->status()), "<paused>");
        EXPECT_EQ(process->last_event(), trollius_os::system_event(17));
        bench->signal(process, signal);
        EXPECT_EQ(bench->outcome, Outcome::Interrupted);
        EXPECT_EQ(bench->handled.size(), signal == Signal::C ? 1u : 0u);
    }
}

TEST(Signals, PauseEndsAtOnceIfOneIsPending) {
    SignalBench bench;
    auto* process = bench.user(1, [&](Api& api) {
        api.ksignal(Signal::C, bench.noting());
        api.compute(SimTime::ms(10));
        bench.outcome = api.kpause();
    });
    bench.run_for(SimTime::ms(2));
    bench.signal(process, Signal::C, SimTime::ms(20));
    EXPECT_EQ(bench.outcome, Outcome::Interrupted);
    EXPECT_THAT(bench.handled, ElementsAre(2));
}

TEST(Signals, StateTellsOfAProcessForHalfARendezvous) {
    SignalBench bench;
    auto* other = bench.receiver([](Api& api) { api.ksigblock(mask_of(Signal::A)); });
    bench.signal(other, Signal::A);
    SimTime cost;
    bench.user(
        1,
        [&](Api& api) {
            api.compute(SimTime::us(1));
            const SimTime began = api.port().now();
            const auto status = api.kstate(other->pid());
            cost = api.port().now() - began;
            ASSERT_TRUE(status);
            EXPECT_EQ(status->state, ProcessState::BlockedReceiving);
            EXPECT_EQ(status->event, quiet_event);
            EXPECT_EQ(status->type, 0);
            EXPECT_EQ(status->priority, 0);
            EXPECT_EQ(status->pending, mask_of(Signal::A));
            EXPECT_EQ(api.kstate({})->priority, -3);
            EXPECT_EQ(api.kstate({})->state, ProcessState::Ready);
            EXPECT_FALSE(api.kstate(vocabulary::ProcessId(12345)));
        },
        -3);
    bench.run_for(SimTime::ms(5));
    EXPECT_EQ(cost, SimTime::us(30));
}

TEST(Signals, AreRefusedWithTheErrorsOfTrollius) {
    SignalBench bench;
    auto* service = bench.user(
        1, [](Api& api) { api.wait(); }, 5);
    bench.user(1, [&](Api& api) {
        EXPECT_EQ(api.kdoom(vocabulary::ProcessId(12345), 4), Error::NotProcess);
        EXPECT_EQ(api.kdoom({}, 3), Error::Invalid);
        EXPECT_EQ(api.kdoom({}, 9), Error::Invalid);
        EXPECT_EQ(api.kdoom(service->pid(), 4), Error::Service);
        ++bench.got;
    });
    bench.run_for(SimTime::ms(5));
    EXPECT_EQ(bench.got, 1);
    EXPECT_STREQ(trollius_os::name_of(Error::NotProcess), "ENOTPROCESS");
    EXPECT_STREQ(trollius_os::text_of(Error::NotProcess), "not a process");
    EXPECT_STREQ(trollius_os::name_of(Error::Interrupted), "EINTR");
    EXPECT_STREQ(trollius_os::name_of(Error::NoProcessDescriptors), "ENOPDESCRIPTORS");
}

// 4096 bytes are copied for 308 us; either side gets a signal at any time of it.
class SignalInARendezvous : public testing::TestWithParam<std::tuple<int, bool, Signal>> {};

TEST_P(SignalInARendezvous, LetsItHappen) {
    const auto [at, to_sender, signal] = GetParam();
    SignalBench bench;
    std::vector<std::byte> body(4096, std::byte{5}), room(4096);
    std::vector<Outcome> outcomes(2, Outcome::WouldBlock);
    auto* receiver = bench.user(1, [&](Api& api) {
        Message message{.event = quiet_event, .body = room};
        outcomes[0] = api.krecv(message);
        api.krecv(message, false);  // notices the signal
    });
    bench.run_for(SimTime::us(1));
    auto* sender = bench.user(1, [&](Api& api) {
        Message message{.event = quiet_event, .length = 4096, .body = body};
        outcomes[1] = api.ksend(message);
        Message other{.event = quiet_event};
        api.krecv(other, false);
    });
    bench.run_for(SimTime::us(at));
    bench.signal(to_sender ? sender : receiver, signal, SimTime::ms(10));
    if (signal == Signal::Arrest) bench.signal(to_sender ? sender : receiver, Signal::Release);
    EXPECT_THAT(outcomes, ElementsAre(Outcome::Done, Outcome::Done));
    EXPECT_EQ(room, body);
    EXPECT_EQ(sender->state(), ProcessState::Ended);
    EXPECT_EQ(receiver->state(), ProcessState::Ended);
}
INSTANTIATE_TEST_SUITE_P(At, SignalInARendezvous,
                         testing::Combine(testing::Values(40, 200, 330), testing::Bool(),
                                          testing::Values(Signal::C, Signal::Arrest)));

// Behaviour 4, with a signal instead of the end: the request is sent once, whatever half the signal comes in.
class SignalInSendReceive : public testing::TestWithParam<int> {};

TEST_P(SignalInSendReceive, GoesOnWithTheHalfThatIsNotDone) {
    SignalBench bench;
    int requests = 0, answer = 0;
    auto* client = bench.user(1, [&](Api& api) {
        Message out{.event = quiet_event, .data = {41}}, in{.event = EventNo(78)};
        EXPECT_EQ(api.ksr(out, in), Outcome::Done);
        answer = in.data[0];
    });
    bench.user(1, [&](Api& api) {
        api.compute(SimTime::ms(1));
        while (true) {
            Message request{.event = quiet_event};
            api.krecv(request);
            ++requests;
            api.compute(SimTime::ms(1));
            Message reply{.event = EventNo(78), .data = {request.data[0] + 1}};
            api.ksend(reply);
        }
    });
    bench.run_for(SimTime::us(GetParam()));
    bench.signal(client, Signal::Arrest);
    if (client->state() != ProcessState::Ended) {
        EXPECT_EQ(trollius_os::state_text(client->status()), "<stopped>");
        bench.signal(client, Signal::C);
        bench.signal(client, Signal::Release);
    }
    EXPECT_EQ(requests, 1);
    EXPECT_EQ(answer, 42);
    EXPECT_EQ(client->state(), ProcessState::Ended);
}
INSTANTIATE_TEST_SUITE_P(At, SignalInSendReceive, testing::Values(500, 1010, 1040, 1080, 1500, 2060, 2100));
