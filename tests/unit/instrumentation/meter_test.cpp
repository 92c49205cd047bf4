// A record at the meter is kept, counted, suspended or charged.
#include <gtest/gtest.h>

#include <map>

#include <instrumentation/accounts.hpp>
#include <instrumentation/meter.hpp>

#include "still_port.hpp"

namespace {

using instrumentation::Meter;
using instrumentation::MonitorCosts;
using instrumentation::MonitorKind;
using instrumentation::MonitorPhase;
using instrumentation::MonitorSettings;
using instrumentation::MonitorState;
using instrumentation::UnloadSequence;
using trace_record::ClassSet;
using trace_record::EventClass;
using trace_record::EventKind;
using vocabulary::Account;
using vocabulary::Cycles;
using vocabulary::SimTime;

namespace accounts = instrumentation::accounts;

// Keeps an account of what is charged, in cycles of 1 us; a wait does what a test wants.
class AccountingPort final : public instrumentation_test::StillPort {
public:
    std::map<Account, std::int64_t> charged;
    std::function<void()> on_wait;
    std::uint64_t clock = 0;

    void charge(Cycles cycles) override { charged[Account()] += cycles.count(); }
    void charge_for(Account account, Cycles cycles, std::uint8_t) override { charged[account] += cycles.count(); }
    Cycles cycles(SimTime duration) const override { return Cycles(static_cast<std::int64_t>(duration.in_us())); }
    std::uint64_t clock_us(trollius_os::Priority) const override { return clock; }

private:
    bool begin_wait() override {
        if (on_wait) on_wait();
        return true;
    }
};

MonitorSettings settings(MonitorKind kind) {
    MonitorSettings made;
    made.kind = kind;
    made.unload = UnloadSequence({{.until_us = 1'000'000'000, .lower = 999, .upper = 999, .where = {}}});
    return made;
}

MonitorCosts prices() {
    MonitorCosts costs{};
    costs.probe = SimTime::us(8);
    costs.standard_probe = SimTime::us(6);
    costs.meter = SimTime::us(4);
    costs.count = SimTime::us(1);
    costs.policy = SimTime::us(3);
    costs.backend = SimTime::us(5);
    costs.usage_sample = SimTime::us(10);
    costs.record_bytes = 20;
    costs.buffer_records = 4;
    return costs;
}

class AMeter : public testing::Test {
protected:
    void use(const MonitorSettings& its) { state.emplace(prices(), its, vocabulary::NodeId(0), vocabulary::NodeId(9)); }
    void use(MonitorKind kind) { use(settings(kind)); }
    void begin() {
        state->phase = MonitorPhase::On;
        state->has_begun = true;
        state->began_us = node.port.clock;
    }
    void record(EventKind kind) { Meter(*state).record({.kind = kind}, node.calls).get(); }

    instrumentation_test::NodeOn<AccountingPort> node;
    std::optional<MonitorState> state;
};

}  // namespace

TEST_F(AMeter, GivesARecordItsNodeItsNumberAndTheTimeSinceTheBegin) {
    use(MonitorKind::TmonDe);
    node.port.clock = 70'000;
    begin();
    record(EventKind::Send);
    node.port.clock = 70'055;
    record(EventKind::Receive);
    const auto leaving = state->buffers.start_leaving();
    ASSERT_EQ(leaving.size(), 2U);
    EXPECT_EQ(leaving[1].time_us, 55U);
    EXPECT_EQ(leaving[1].seq, 1U);
    EXPECT_EQ(leaving[1].kind, EventKind::Receive);
}

TEST_F(AMeter, ChargesProbeAndMeterForWhatTheyAre) {
    use(MonitorKind::TmonDe);
    begin();
    record(EventKind::Send);
    EXPECT_EQ(node.port.charged, (std::map<Account, std::int64_t>{{accounts::probe, 8}, {accounts::meter, 4}}));
}

TEST_F(AMeter, ChargesAStandardProbeForMessagesAndTheBackendForClockAndUsage) {
    MonitorSettings its = settings(MonitorKind::Tmon);
    its.classes = ClassSet::all();
    use(its);
    begin();
    record(EventKind::MessageSend);
    EXPECT_EQ(node.port.charged, (std::map<Account, std::int64_t>{{accounts::probe, 6}, {accounts::meter, 4}}));
    node.port.charged.clear();
    record(EventKind::Synchronise);
    record(EventKind::NodeUsage);
    EXPECT_EQ(node.port.charged, (std::map<Account, std::int64_t>{{accounts::backend, 15}, {accounts::meter, 8}}));
}

// The partner is noticed with its event, so it pays for its place alone.
TEST_F(AMeter, RecordsAPartnerBeforeItsMessageAtTheSameTimeAndChargesItsStoring) {
    MonitorSettings its = settings(MonitorKind::TmonDe);
    its.classes = ClassSet::of(EventClass::Message);
    use(its);
    begin();
    node.port.clock += 30;
    Meter(*state).record({.kind = EventKind::Partner}, {.kind = EventKind::MessageReceive}, node.calls).get();
    EXPECT_EQ(node.port.charged, (std::map<Account, std::int64_t>{{accounts::probe, 6}, {accounts::meter, 8}}));
    EXPECT_EQ(state->ledger.events, 2U);
    const auto leaving = state->buffers.start_leaving();
    ASSERT_EQ(leaving.size(), 2U);
    EXPECT_EQ(leaving[0].kind, EventKind::Partner);
    EXPECT_EQ(leaving[1].kind, EventKind::MessageReceive);
    EXPECT_EQ(leaving[0].time_us, 30U);
    EXPECT_EQ(leaving[1].time_us, 30U);
}

// Nobody but the script makes a process wait, and the monitor's own records are no acts.
TEST_F(AMeter, LetsAProcessWaitForItsTurnInAScript) {
    MonitorSettings its = settings(MonitorKind::Tmon);
    its.classes = ClassSet::all();
    use(its);
    begin();
    const std::uint32_t me = node.calls.pid().value(), other = me + 1;
    state->script = std::make_unique<instrumentation::ActScript>();
    record(EventKind::Send);
    EXPECT_EQ(state->script->makers, std::vector<std::uint32_t>{me});
    state->script->from = state->acts;
    state->script->turns = std::vector<std::uint32_t>{other, me, me, me};
    std::vector<std::uint32_t> waits;
    node.port.on_wait = [&] {
        waits.push_back(state->acts);
        if (state->acts == 1) ++state->acts;  // the other one has made its act
        if (state->acts == 5) state->script->free_behind = true;
    };
    record(EventKind::NodeUsage);
    EXPECT_EQ(state->acts, 1U);
    record(EventKind::User);
    Meter(*state).record({.kind = EventKind::Partner}, {.kind = EventKind::MessageReceive}, node.calls).get();
    EXPECT_EQ(state->acts, 5U);
    EXPECT_EQ(waits, std::vector<std::uint32_t>{1});
    record(EventKind::User);
    EXPECT_EQ(waits, (std::vector<std::uint32_t>{1, 5}));
    EXPECT_TRUE(state->script->held.empty());
    ASSERT_EQ(state->script->acts.size(), 5U);
    EXPECT_EQ(state->script->acts[2].kind, EventKind::Partner);
}

TEST_F(AMeter, WaitsWithAPartnerAndItsMessageUntilThereIsRoomForBoth) {
    MonitorSettings its = settings(MonitorKind::TmonDe);
    its.classes = ClassSet::of(EventClass::Message);
    its.when_full = instrumentation::WhenFull::Stop;
    use(its);
    begin();
    for (int i = 0; i < 7; ++i) record(EventKind::SendCall);
    node.port.on_wait = [&] {
        EXPECT_EQ(state->buffers.start_leaving().size(), 4U);
        state->buffers.leave_done();
    };
    Meter(*state).record({.kind = EventKind::Partner}, {.kind = EventKind::MessageReceive}, node.calls).get();
    EXPECT_EQ(state->ledger.waits_for_room, 1U);
    EXPECT_EQ(state->buffers.next_seq(), 9U);
    const auto leaving = state->buffers.start_leaving();
    ASSERT_EQ(leaving.size(), 4U);
    EXPECT_EQ(leaving[3].kind, EventKind::Partner);
}

TEST_F(AMeter, RecordsMessagesWhileMonitoringAndTheirClassAreOn) {
    MonitorSettings its = settings(MonitorKind::TmonDe);
    its.classes = ClassSet::of(EventClass::Message);
    use(its);
    const Meter meter(*state);
    EXPECT_FALSE(meter.records_messages());
    begin();
    EXPECT_TRUE(meter.records_messages());
    state->phase = MonitorPhase::Ending;
    EXPECT_TRUE(meter.records_messages());
    state->phase = MonitorPhase::Ended;
    EXPECT_FALSE(meter.records_messages());
    begin();
    state->classes.remove(EventClass::Message);
    EXPECT_FALSE(meter.records_messages());
    state->classes.add(EventClass::Message);
    state->costs.probes_off = true;
    EXPECT_FALSE(meter.records_messages());
}

TEST_F(AMeter, MakesNothingOfAClassThatIsOff) {
    use(MonitorKind::TmonDe);
    begin();
    record(EventKind::User);
    EXPECT_EQ(state->buffers.next_seq(), 0U);
    EXPECT_TRUE(node.port.charged.empty());
}

TEST_F(AMeter, CountsAnEventOfATaskWhileThatClassIsOff) {
    MonitorSettings its = settings(MonitorKind::TmonDe);
    its.classes = ClassSet::of(EventClass::User);
    use(its);
    begin();
    record(EventKind::Send);
    EXPECT_EQ(state->buffers.next_seq(), 1U) << "a sequence number, so that the gap shows";
    EXPECT_EQ(state->buffers.count(), 0U);
    EXPECT_EQ(state->ledger.counted, 1U);
    EXPECT_EQ(node.port.charged, (std::map<Account, std::int64_t>{{accounts::probe, 1}}));
}

TEST_F(AMeter, OfTmonCountsEventsOfTasksBeforeTheBeginAndHoldsNobodyUp) {
    use(MonitorKind::Tmon);
    node.port.on_wait = [] { FAIL() << "the process waits"; };
    record(EventKind::Send);
    EXPECT_EQ(state->buffers.next_seq(), 1U);
    EXPECT_EQ(state->buffers.count(), 0U);
}

TEST_F(AMeter, OfTmonDeSuspendsTheProcessUntilTheBegin) {
    use(MonitorKind::TmonDe);
    int waits = 0;
    node.port.on_wait = [&] {
        if (++waits == 3) begin();
    };
    record(EventKind::Send);
    EXPECT_EQ(waits, 3);
    EXPECT_EQ(state->buffers.count(), 1U);
}

TEST_F(AMeter, OfTmonAlwaysRecordsTheClock) {
    use(MonitorKind::Tmon);
    begin();
    record(EventKind::Synchronise);
    EXPECT_EQ(state->buffers.count(), 1U);
}

TEST_F(AMeter, RecordsAndChargesNothingInTheTwin) {
    use(MonitorKind::TmonDe);
    state->costs.probes_off = true;
    begin();
    record(EventKind::Send);
    EXPECT_EQ(state->buffers.next_seq(), 0U);
    EXPECT_TRUE(node.port.charged.empty());
}

TEST_F(AMeter, ThatStopsTheApplicationWhenFullKeepsTheRecordWithItsTimeWhenABufferHasLeft) {
    MonitorSettings its = settings(MonitorKind::TmonDe);
    its.when_full = instrumentation::WhenFull::Stop;
    use(its);
    begin();
    for (int i = 0; i < 8; ++i) record(EventKind::Send);
    node.port.clock = 100;
    int waits = 0;
    node.port.on_wait = [&] {
        node.port.clock = 900;
        if (++waits < 3) return;  // woken for another reason: it still waits
        state->buffers.start_leaving();
        state->buffers.leave_done();
    };
    record(EventKind::Send);
    EXPECT_EQ(waits, 3);
    EXPECT_TRUE(state->wait_for_room.empty());
    EXPECT_EQ(state->ledger.dropped, 0U);
    state->buffers.start_leaving();
    state->buffers.leave_done();
    const auto last = state->buffers.start_leaving();
    ASSERT_EQ(last.size(), 1U);
    EXPECT_EQ(last[0].seq, 8U);
    EXPECT_EQ(last[0].time_us, 100U) << "of the event, not of the wait's end";
    EXPECT_EQ(node.port.charged[accounts::meter], 9 * 4 + 3) << "the policy was asked once";
}

// A node that has said it ended would otherwise seem to have seen everything.
TEST_F(AMeter, CountsAsLostWhatHappensToTasksAfterTheEnd) {
    use(MonitorKind::TmonDe);
    begin();
    record(EventKind::Send);
    state->phase = MonitorPhase::Ended;
    record(EventKind::Receive);
    record(EventKind::Send);
    record(EventKind::MessageSend);
    EXPECT_EQ(state->buffers.next_seq(), 3U);
    const auto losses = state->buffers.take_losses();
    ASSERT_EQ(losses.size(), 1U);
    EXPECT_EQ(losses[0].first_seq, 1U);
    EXPECT_EQ(losses[0].last_seq, 2U);
    EXPECT_EQ(losses[0].cause, trace_record::LossCause::SwitchedOff);
}

TEST_F(AMeter, GivesANumberToTheRecordOfAProcessForWhichThereNeverWasRoom) {
    MonitorSettings its = settings(MonitorKind::TmonDe);
    its.when_full = instrumentation::WhenFull::Stop;
    use(its);
    begin();
    for (int i = 0; i < 8; ++i) record(EventKind::Send);
    node.port.on_wait = [&] { state->phase = MonitorPhase::Ended; };
    record(EventKind::Receive);
    const auto losses = state->buffers.take_losses();
    ASSERT_EQ(losses.size(), 1U);
    EXPECT_EQ(losses[0].first_seq, 8U);
    EXPECT_EQ(losses[0].cause, trace_record::LossCause::BufferFull);
    EXPECT_EQ(state->ledger.waits_for_room, 1U);
    EXPECT_EQ(state->ledger.suspended, SimTime()) << "it waited for room, not for the begin";
}
