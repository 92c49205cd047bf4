// Processes that are stopped, and resumed.
#include <gmock/gmock.h>

#include "signal_bench.hpp"

using signal_test::quiet_event;
using signal_test::SignalBench;
using test_support::SimTime;
using testing::ElementsAre;
using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::mask_of;
using trollius_os::Message;
using trollius_os::Outcome;
using trollius_os::ProcessState;
using trollius_os::Signal;
using trollius_os::SignalAction;

// Behaviour 5: an arrested process is stopped until its release.
TEST(Arrest, StopsAProcessUntilRelease) {
    SignalBench bench;
    auto* process = bench.receiver();
    bench.signal(process, Signal::Arrest);
    EXPECT_EQ(trollius_os::state_text(process->status()), "<stopped>");
    EXPECT_EQ(process->last_event(), trollius_os::system_event(18));
    bench.send(4);  // the message waits at its sender
    EXPECT_EQ(bench.got, 0);
    bench.signal(process, Signal::Release);
    EXPECT_EQ(bench.outcome, Outcome::Done);
    EXPECT_EQ(bench.got, 4);
}

TEST(Arrest, OrPauseLetsNobodySendToTheProcess) {
    SignalBench bench;
    auto* stopped = bench.receiver();
    bench.signal(stopped, Signal::Arrest);
    auto* paused = bench.user(1, [](Api& api) { api.kpause(); });
    std::vector<Outcome> outcomes;
    bench.user(1, [&](Api& api) {
        for (const EventNo event : {trollius_os::events::stop, trollius_os::events::pause}) {
            Message message{.event = event};
            outcomes.push_back(api.ksend(message, false));
        }
    });
    bench.run_for(SimTime::ms(5));
    EXPECT_THAT(outcomes, ElementsAre(Outcome::WouldBlock, Outcome::WouldBlock));
    EXPECT_EQ(trollius_os::state_text(paused->status()), "<paused>");
}

TEST(Arrest, EndsByNoSignalButRelease) {
    SignalBench bench;
    auto* process = bench.receiver();
    for (const Signal signal : {Signal::Arrest, Signal::C, Signal::A, Signal::Arrest}) {
        bench.signal(process, signal);
        EXPECT_EQ(trollius_os::state_text(process->status()), "<stopped>");
    }
    EXPECT_THAT(bench.handled, ElementsAre(2));
    bench.signal(process, Signal::Release);
    EXPECT_EQ(trollius_os::state_text(process->status()), "BR (77, 0)") << "one release ends any number of arrests";
}

TEST(Arrest, EndsByAReleaseThatIsHeldBackOrComesInAHandler) {
    SignalBench bench;
    auto* process = bench.receiver([](Api& api) {
        api.ksigblock(mask_of(Signal::Release));
        api.ksignal(Signal::A, SignalAction::handle([](Api& its, Signal) {
                        Message message{.event = EventNo(78)};
                        its.krecv(message);
                    }));
    });
    bench.signal(process, Signal::Arrest);
    bench.signal(process, Signal::A);
    EXPECT_EQ(trollius_os::state_text(process->status()), "BR (78, 0)") << "the handler of a stopped process";
    bench.signal(process, Signal::Release);
    EXPECT_EQ(trollius_os::state_text(process->status()), "BR (77, 0)");
    EXPECT_EQ(process->signals().blocked, mask_of(Signal::Release));
}

TEST(Arrest, LetsTheProcessDie) {
    SignalBench bench;
    auto* process = bench.receiver();
    bench.signal(process, Signal::Arrest);
    bench.signal(process, Signal::Die);
    EXPECT_EQ(process->state(), ProcessState::Ended);
}

TEST(Arrest, AndReleaseTakeEachOtherAwayBeforeTheyAreNoticed) {
    SignalBench bench;
    auto* process = bench.user(1, [&](Api& api) {
        for (int i = 0; i < 2; ++i) {
            api.compute(SimTime::ms(10));
            Message message{.event = quiet_event};
            bench.outcome = api.krecv(message, false);
        }
    });
    bench.run_for(SimTime::ms(2));
    bench.signal(process, Signal::Arrest, SimTime());
    bench.signal(process, Signal::Release, SimTime());
    EXPECT_EQ(process->pending(), mask_of(Signal::Release));
    bench.run_for(SimTime::ms(10));
    EXPECT_EQ(bench.outcome, Outcome::Interrupted) << "not stopped";
    bench.signal(process, Signal::Release, SimTime());
    bench.signal(process, Signal::Arrest, SimTime::ms(20));
    EXPECT_EQ(trollius_os::state_text(process->status()), "<stopped>");
}
