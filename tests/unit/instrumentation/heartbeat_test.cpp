// Flushes and heartbeats of the buffer managers, on machines whose programs send messages now and then.
#include <gmock/gmock.h>

#include <random>
#include <vector>

#include "monitored_machine.hpp"

namespace {

using instrumentation::MonitorSettings;
using instrumentation::WhenFull;
using instrumentation_test::MonitoredMachine;
using trollius_os::Api;
using vocabulary::NodeId;
using vocabulary::SimTime;

MonitorSettings settings_with(SimTime flush, SimTime heartbeat, WhenFull when_full = WhenFull::DropNewest) {
    MonitorSettings settings;
    settings.classes = trace_record::ClassSet::of(trace_record::EventClass::Message);
    settings.unload = instrumentation::UnloadSequence({{UINT64_MAX, 64, 64, {}}});
    settings.when_full = when_full;
    settings.flush = flush;
    settings.heartbeat = heartbeat;
    return settings;
}

// Every node sends to the next one, with pauses at random.
void start_talkers(MonitoredMachine& machine, unsigned seed, int sends, SimTime most_pause) {
    const auto count = static_cast<std::uint16_t>(machine.nodes.size());
    for (const NodeId node : machine.nodes) {
        machine.user(node.value(), [node, count, seed, sends, most_pause](Api& api) {
            std::mt19937 random(seed + node.value());
            for (int i = 0; i < sends; ++i) {
                const auto pause = static_cast<std::uint64_t>(most_pause.in_us());
                api.port().wait_until_clock(api.port().clock_us(trollius_os::Priority::Low) + random() % pause).get();
                trollius_os::Message message{.node = NodeId(static_cast<std::uint16_t>((node.value() + 1) % count)),
                                             .event = vocabulary::EventNo(5)};
                api.nsend(message);
            }
        });
        machine.user(node.value(), [](Api& api) {
            while (true) {
                trollius_os::Message message{.event = vocabulary::EventNo(5)};
                api.nrecv(message);
            }
        });
    }
}

std::size_t records_of(const MonitoredMachine& machine) {
    std::size_t count = 0;
    for (const auto& its : machine.records) count += its.size();
    return count;
}

// No record that comes behind a heartbeat is older than it says.
void expect_that_promises_hold(const MonitoredMachine& machine) {
    ASSERT_FALSE(machine.heartbeats.empty());
    for (const auto& beat : machine.heartbeats) {
        const auto& its = machine.records[beat.node.value()];
        for (auto record = its.lower_bound(beat.next); record != its.end(); ++record)
            ASSERT_GE(record->second.time_us, beat.before_us) << "n" << beat.node.value() << ":" << record->first;
    }
}

}  // namespace

TEST(Flush, SendsRecordsThatHaveWaitedForLong) {
    MonitoredMachine machine(topologies::ring(4), test_support::standard_costs(), settings_with(SimTime::ms(5), {}));
    start_talkers(machine, 1, 3, SimTime::ms(4));
    machine.run_for(SimTime::ms(40));
    EXPECT_GE(records_of(machine), 4u * 3 * 3) << "with a limit of 64 none would have left";
    EXPECT_GE(machine.monitors[0]->state().ledger.flushes, 1u);
    EXPECT_EQ(machine.monitors[0]->state().ledger.heartbeats, 0u);
    EXPECT_TRUE(machine.heartbeats.empty());
}

TEST(Flush, OffLeavesThemWhereTheyAre) {
    MonitoredMachine machine(topologies::ring(4), test_support::standard_costs(), settings_with({}, {}));
    start_talkers(machine, 1, 3, SimTime::ms(4));
    machine.run_for(SimTime::ms(40));
    EXPECT_EQ(records_of(machine), 0u);
    EXPECT_TRUE(machine.quit());
    EXPECT_EQ(machine.monitors[0]->state().ledger.flushes, 0u) << "the end is no flush";
}

TEST(Heartbeat, ComesFromEmptyBuffersAlone) {
    MonitoredMachine machine(topologies::ring(3), test_support::standard_costs(), settings_with({}, SimTime::ms(4)));
    machine.run_for(SimTime::ms(100));
    const std::size_t quiet = machine.heartbeats.size();
    EXPECT_GE(quiet, 3u * 15);
    EXPECT_LE(quiet, 3u * 26);
    start_talkers(machine, 1, 2, SimTime::ms(1));
    machine.run_for(SimTime::ms(20));
    const std::size_t then = machine.heartbeats.size();
    machine.run_for(SimTime::ms(100));
    EXPECT_EQ(machine.heartbeats.size(), then) << "each node has records that no limit sends";
    EXPECT_TRUE(machine.quit());
    const std::size_t at_end = machine.heartbeats.size();
    machine.run_for(SimTime::ms(100));
    EXPECT_EQ(machine.heartbeats.size(), at_end) << "the monitors have ended";
}

TEST(Heartbeat, IsChargedAndCounted) {
    MonitoredMachine machine(topologies::ring(3), test_support::standard_costs(), settings_with({}, SimTime::ms(4)));
    machine.run_for(SimTime::ms(100));
    const instrumentation::OverheadLedger& ledger = machine.monitors[1]->state().ledger;
    EXPECT_GT(ledger.heartbeats, 10u);
    EXPECT_EQ(ledger.heartbeats, ledger.trace_messages);
    EXPECT_EQ(ledger.trace_bytes, 0u) << "a header and nothing behind it";
    const SimTime look_and_beat = SimTime::us(5 + 2);
    EXPECT_GE(ledger.manager, look_and_beat * static_cast<std::int64_t>(ledger.heartbeats));
}

class HeartbeatPromises : public testing::TestWithParam<unsigned> {};

TEST_P(HeartbeatPromises, HoldWhateverHappens) {
    const unsigned seed = GetParam();
    const WhenFull when_full = seed % 2 == 0 ? WhenFull::DropNewest : WhenFull::Stop;
    MonitoredMachine machine(topologies::ring(5), test_support::standard_costs(),
                             settings_with(SimTime::us(300 + 700 * (seed % 3)), SimTime::us(600 + 900 * (seed % 4)), when_full),
                             2 + seed % 5);
    start_talkers(machine, seed, 40, SimTime::ms(1 + seed % 3));
    machine.run_for(SimTime::ms(300));
    EXPECT_TRUE(machine.quit());
    EXPECT_GT(records_of(machine), 100u);
    expect_that_promises_hold(machine);
}

INSTANTIATE_TEST_SUITE_P(Random, HeartbeatPromises, testing::Range(0U, 12U));
