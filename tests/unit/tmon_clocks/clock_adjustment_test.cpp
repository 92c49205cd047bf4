#include <tmon_clocks/clock_adjustment.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include <tmon_clocks/clock_report.hpp>
#include <tmon_oracle/clock_errors.hpp>
#include <tmon_streams/collector.hpp>

namespace tmon_clocks {
namespace {

using testing::HasSubstr;

// A machine of nodes with clocks of known error, under a global interrupt. Times in microseconds.
class Machine {
public:
    struct Clock {
        double offset_us = 0, drift_ppm = 0;
    };

    explicit Machine(std::vector<Clock> clocks) : clocks_(std::move(clocks)), streams_(clocks_.size()) {}

    std::uint64_t shows(std::size_t node, double true_us) const {
        return static_cast<std::uint64_t>(std::floor(true_us * (1 + clocks_[node].drift_ppm * 1e-6) + clocks_[node].offset_us));
    }
    void interrupt(std::size_t node, std::uint32_t number, double true_us, double late_us = 0) {
        add(node, {.time_us = shows(node, true_us + late_us), .task = number, .kind = EventKind::Synchronise});
    }
    void message(std::size_t from, std::size_t to, std::uint32_t task, double left_us, double arrived_us) {
        add(from, {.time_us = shows(from, left_us), .task = task, .peer = static_cast<std::uint16_t>(to)});
        add(to, {.time_us = shows(to, arrived_us),
                 .task = task,
                 .peer = static_cast<std::uint16_t>(from),
                 .kind = EventKind::Receive});
    }
    void add(std::size_t node, Event event) {
        event.node = static_cast<std::uint16_t>(node);
        event.seq = static_cast<std::uint32_t>(streams_[node].size());
        streams_[node].push_back(event);
    }
    const Event& event(std::size_t node, std::size_t index) const { return streams_[node][index]; }
    tmon_streams::Trace trace(std::optional<std::pair<std::uint32_t, std::uint32_t>> lost_of_last = {}) const {
        tmon_streams::Collector collector(static_cast<std::uint16_t>(streams_.size()));
        for (std::size_t node = 0; node < streams_.size(); ++node) {
            const auto id = static_cast<std::uint16_t>(node);
            const std::span<const Event> all(streams_[node]);
            if (lost_of_last && node + 1 == streams_.size()) {
                collector.receive(id, 0, all.first(lost_of_last->first));
                collector.receive(id, lost_of_last->second + 1, all.subspan(lost_of_last->second + 1));
            } else {
                collector.receive(id, 0, all);
            }
            collector.end(id, static_cast<std::uint32_t>(all.size()));
        }
        return collector.finish(tmon_streams::SessionEnd::ProgramEnded);
    }
    // How far an adjusted time is from the reference's at the same true time; `true_us`: of the record.
    double error_us(const ClockAdjustment& adjustment, const Event& event, double true_us, std::size_t reference) const {
        const Clock& clock = clocks_[reference];
        return static_cast<double>(adjustment.adjusted(event).ns) * 1e-3 -
               (true_us * (1 + clock.drift_ppm * 1e-6) + clock.offset_us);
    }
    std::vector<tmon_oracle::TrueClock> truth() const {
        std::vector<tmon_oracle::TrueClock> all;
        for (const Clock& clock : clocks_) all.push_back({true, clock.offset_us, clock.drift_ppm, 0});
        return all;
    }

private:
    std::vector<Clock> clocks_;
    std::vector<std::vector<Event>> streams_;
};

struct Case {
    double period_us, drift_ppm;
    friend void PrintTo(const Case& c, std::ostream* out) { *out << c.period_us << "us_" << c.drift_ppm << "ppm"; }
};
class KnownDrift : public testing::TestWithParam<Case> {};

// Readings come a tick early at most, and 1 to 3 us late; one in twenty is late by up to 200 us.
TEST_P(KnownDrift, AdjustedTimesAreWithinFiveMicrosecondsAndTheDriftIsFound) {
    const auto [period, drift] = GetParam();
    std::mt19937_64 random(7);
    const auto uniform = [&](double low, double high) {
        return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
    };
    Machine machine({{300, drift / 2}, {1700, drift}, {900, -drift}});
    const std::uint32_t interrupts = 200;
    for (std::uint32_t k = 0; k < interrupts; ++k) {
        machine.interrupt(0, k, 5000 + k * period);
        for (const std::size_t node : {1, 2}) {
            machine.interrupt(node, k, 5000 + k * period, uniform(0, 1) < 0.05 ? uniform(10, 200) : uniform(1, 3));
            machine.add(node, {.time_us = machine.shows(node, 5000 + (k + 0.7) * period)});
        }
    }
    const tmon_streams::Trace trace = machine.trace();
    const ClockAdjustment adjustment(trace);
    EXPECT_EQ(adjustment.reference(), 0);
    EXPECT_NEAR(adjustment.period_us(), period * (1 + drift / 2 * 1e-6), 0.01);
    for (const std::size_t node : {1, 2}) {
        for (std::uint32_t k = 0; k < interrupts; ++k)
            ASSERT_LE(std::abs(machine.error_us(adjustment, machine.event(node, 2 * k + 1), 5000 + (k + 0.7) * period, 0)), 5)
                << "n" << node << " after interrupt " << k;
        const double expected = (node == 1 ? drift : -drift) - drift / 2;
        const NodeClock& clock = adjustment.clocks()[node];
        ASSERT_TRUE(clock.drift_ppm);
        EXPECT_NEAR(*clock.drift_ppm, expected, 4 * clock.drift_error_ppm + 1e-3);
        EXPECT_GT(clock.late, 0U);
        EXPECT_LE(clock.late, 40U);
        EXPECT_GT(clock.worst_late_us, 100);
        EXPECT_LE(clock.worst_us, 5);
    }
}
INSTANTIATE_TEST_SUITE_P(Clocks, KnownDrift,
                         testing::Values(Case{1000, 0}, Case{1000, 100}, Case{10'000, 10}, Case{10'000, -100}, Case{100'000, 0},
                                         Case{100'000, 100}));

TEST(ClockAdjustment, NeverChangesTheRawTimeAndNamesTheInterruptThatForcedTheOther) {
    Machine machine({{0, 0}, {1000, 0}});
    machine.interrupt(0, 0, 5000);
    machine.interrupt(0, 1, 15'000);
    machine.add(1, {.time_us = machine.shows(1, 4000)});
    machine.interrupt(1, 0, 5000);
    machine.add(1, {.time_us = machine.shows(1, 9000)});
    machine.interrupt(1, 1, 15'000);
    machine.add(1, {.time_us = machine.shows(1, 16'000)});
    const tmon_streams::Trace trace = machine.trace();
    const ClockAdjustment adjustment(trace);
    const Event before = machine.event(1, 0), between = machine.event(1, 2), after = machine.event(1, 4);
    EXPECT_EQ(adjustment.adjusted(before).ns, 4'000'000);
    EXPECT_EQ(adjustment.adjusted(before).forced_by, (EventId{1, 1}));
    EXPECT_EQ(adjustment.adjusted(between).ns, 9'000'000);
    EXPECT_EQ(adjustment.adjusted(between).forced_by, (EventId{1, 1}));
    EXPECT_EQ(adjustment.adjusted(after).ns, 16'000'000);
    EXPECT_EQ(adjustment.adjusted(after).forced_by, (EventId{1, 3}));
    EXPECT_EQ(adjustment.adjusted(machine.event(0, 0)).forced_by, std::nullopt) << "the common clock is what it is";
    EXPECT_EQ(trace.streams[1].parts[0][2], between);
}

TEST(ClockAdjustment, WithoutAnInterruptTimesAreRawAndTheReportSaysWhatTheyAreWorth) {
    Machine machine({{0, 0}, {1000, 0}});
    machine.message(0, 1, 3, 2000, 2100);
    const tmon_streams::Trace trace = machine.trace();
    const ClockAdjustment adjustment(trace);
    EXPECT_FALSE(adjustment.synchronised());
    EXPECT_FALSE(adjustment.tied(1));
    EXPECT_EQ(adjustment.adjusted(machine.event(1, 0)).ns, 3'100'000);
    EXPECT_EQ(adjustment.adjusted(machine.event(1, 0)).forced_by, std::nullopt);
    const tmon_order::LogicalTime order(trace);
    const std::string text = clock_text({adjustment, check_raw(trace, order), check_adjusted(trace, order, adjustment)});
    EXPECT_THAT(text, HasSubstr("only the order of the records of one node is meaningful"));
}

TEST(ClockAdjustment, AClockWithoutARecordOfAnInterruptStaysRawAmongOthersThatAreTied) {
    Machine machine({{0, 0}, {1000, 0}, {500, 0}});
    machine.interrupt(0, 0, 5000);
    machine.interrupt(1, 0, 5000);
    machine.add(2, {.time_us = 77});
    const tmon_streams::Trace trace = machine.trace();
    const ClockAdjustment adjustment(trace);
    EXPECT_TRUE(adjustment.tied(1));
    EXPECT_FALSE(adjustment.tied(2));
    EXPECT_EQ(adjustment.adjusted(machine.event(2, 0)).ns, 77'000);
    EXPECT_EQ(adjustment.clocks()[2].missing, 1U);
    const tmon_order::LogicalTime order(trace);
    EXPECT_THAT(clock_text({adjustment, check_raw(trace, order), check_adjusted(trace, order, adjustment)}),
                HasSubstr("n2              0        1   not tied"));
}

TEST(ClockAdjustment, LostRecordsOfInterruptsLeaveALongerLineBetweenTheOthers) {
    Machine machine({{0, 20}, {1000, -80}});
    for (std::uint32_t k = 0; k < 100; ++k) {
        machine.interrupt(0, k, 1000 + k * 10'000.0);
        machine.interrupt(1, k, 1000 + k * 10'000.0);
        machine.add(1, {.time_us = machine.shows(1, 6000 + k * 10'000.0)});
    }
    const tmon_streams::Trace trace = machine.trace({{60, 139}});  // of n1: interrupts 30 to 69 and all between
    const ClockAdjustment adjustment(trace);
    EXPECT_EQ(adjustment.clocks()[1].interrupts, 60U);
    EXPECT_EQ(adjustment.clocks()[1].missing, 40U);
    EXPECT_EQ(adjustment.clocks()[1].recounted, 0U);
    for (const std::uint32_t k : {0U, 29U, 70U, 99U})
        EXPECT_NEAR(machine.error_us(adjustment, machine.event(1, 2 * k + 1), 6000 + k * 10'000.0, 0), 0, 2) << k;
}

TEST(ClockAdjustment, LostRecordsOfTheReferenceAreReplacedByItsPeriod) {
    Machine machine({{1000, 50}, {0, 20}});
    for (std::uint32_t k = 0; k < 50; ++k) {
        machine.interrupt(0, k, 1000 + k * 10'000.0);
        machine.interrupt(1, k, 1000 + k * 10'000.0);
    }
    const tmon_streams::Trace trace = machine.trace({{20, 39}});
    const ClockAdjustment adjustment(trace, std::uint16_t{1});
    EXPECT_EQ(adjustment.reference(), 1);
    for (std::uint32_t k = 0; k < 50; ++k)
        EXPECT_NEAR(machine.error_us(adjustment, machine.event(0, k), 1000 + k * 10'000.0, 1), 0, 2) << k;
    EXPECT_EQ(adjustment.clocks()[0].interrupts, 50U);
}

TEST(ClockAdjustment, ANodeThatMissesInterruptsIsRecounted) {
    Machine machine({{0, 0}, {1000, 100}});
    std::uint32_t counted = 0;
    for (std::uint32_t k = 0; k < 60; ++k) {
        machine.interrupt(0, k, 1000 + k * 1000.0);
        if (k == 20 || k == 21 || k == 40) continue;  // not seen
        machine.interrupt(1, counted++, 1000 + k * 1000.0, k % 7 == 0 ? 150 : 2);
    }
    const tmon_streams::Trace trace = machine.trace();
    const ClockAdjustment adjustment(trace);
    EXPECT_EQ(adjustment.clocks()[1].recounted, 3U);
    EXPECT_NEAR(machine.error_us(adjustment, machine.event(1, 56), 1000 + 59 * 1000.0, 0), 0, 5);
    EXPECT_NEAR(*adjustment.clocks()[1].drift_ppm, 100, 20);
}

TEST(ClockAdjustment, ARecordOfAnInterruptThatGoesBackIsNotUsed) {
    Machine machine({{0, 0}, {1000, 0}});
    for (std::uint32_t k = 0; k < 10; ++k) {
        machine.interrupt(0, k, 1000 + k * 1000.0);
        machine.interrupt(1, k, 1000 + k * 1000.0);
        if (k == 4) machine.interrupt(1, 2, 5500);
    }
    const tmon_streams::Trace trace = machine.trace();
    const ClockAdjustment adjustment(trace);
    EXPECT_NEAR(machine.error_us(adjustment, machine.event(1, 10), 10'000, 0), 0, 2);
}

TEST(ClockErrors, RawClocksShowTheirDriftAndAdjustedOnesDoNot) {
    Machine machine({{0, 0}, {1000, 100}});
    for (std::uint32_t k = 0; k < 100; ++k) {
        machine.interrupt(0, k, 1000 + k * 10'000.0);
        machine.interrupt(1, k, 1000 + k * 10'000.0, 2);
    }
    const tmon_streams::Trace trace = machine.trace();
    const ClockAdjustment adjustment(trace);
    const tmon_oracle::ClockErrors errors = tmon_oracle::clock_errors(trace, adjustment, machine.truth()).value();
    EXPECT_EQ(errors.of_synchronised.records, 100U);
    EXPECT_LE(errors.of_synchronised.worst_us, 5);
    EXPECT_NEAR(errors.of_without.worst_us, 99, 2) << "100 ppm over 0.99 s";
    EXPECT_NEAR(errors.raw_worst_us, 1099, 2);
    EXPECT_EQ(errors.reference_off_ppm, 0);
}

TEST(ClockErrors, MessagesThatArriveBeforeTheyLeaveAreCounted) {
    Machine machine({{0, 0}, {-1000, 0}});
    machine.message(0, 1, 1, 5000, 5100);
    machine.interrupt(0, 0, 6000);
    machine.interrupt(1, 0, 6000);
    machine.message(1, 0, 2, 7000, 7100);
    const tmon_streams::Trace trace = machine.trace();
    const ClockAdjustment adjustment(trace);
    const tmon_order::LogicalTime order(trace);
    const CausalityCheck raw = check_raw(trace, order), adjusted = check_adjusted(trace, order, adjustment);
    EXPECT_EQ(raw.messages, 2U);
    EXPECT_EQ(raw.contradicted, 1U);
    EXPECT_EQ(raw.worst_us, 900);
    EXPECT_EQ(adjusted.contradicted, 0U);
}

TEST(ClockErrors, AClockThatIsNotKnownIsHeldAgainstNothing) {
    Machine machine({{0, 0}, {0, 0}});
    machine.message(0, 1, 1, 5000, 5100);
    machine.message(1, 0, 2, 7000, 7100);
    const tmon_streams::Trace trace = machine.trace();
    const ClockAdjustment adjustment(trace);
    auto truth = machine.truth();
    truth[1].known = false;
    EXPECT_EQ(tmon_oracle::check_true(trace, tmon_order::LogicalTime(trace), truth).contradicted, 0U);
    EXPECT_EQ(tmon_oracle::clock_errors(trace, adjustment, truth).value().without.size(), 0U);
    EXPECT_FALSE(tmon_oracle::clock_errors(trace, adjustment, truth, 1));
    EXPECT_FALSE(tmon_oracle::clock_errors(trace, adjustment, {}));
}

TEST(ClockErrors, QuantilesAreOfTheSizes) {
    std::vector<tmon_oracle::ClockErrors::Point> points;
    for (int i = 1; i <= 100; ++i) points.push_back({0, i % 2 == 0 ? 1.0 * i : -1.0 * i, 0});
    const tmon_oracle::ErrorQuantiles q = tmon_oracle::quantiles_of(points);
    EXPECT_EQ(q.half_us, 50);
    EXPECT_EQ(q.most_90_us, 90);
    EXPECT_EQ(q.most_99_us, 99);
    EXPECT_EQ(q.worst_us, 100);
    EXPECT_EQ(q.mean_us, 0.5);
    EXPECT_EQ(tmon_oracle::quantiles_of({}).records, 0U);
}

}  // namespace
}  // namespace tmon_clocks
