// The figures of Thoai and Volkert's paper by their numbers, and families of programs at the bounds of its theorem 2. The
// drawings are lost; what the text says of each holds.
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>

#include <tmon_recovery/recovery_line.hpp>

#include "drawn_run.hpp"

namespace recovery_figures {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::DrawnRun;
using namespace tmon_recovery;

// C_{p,i}, as its process counts.
GlobalCheckpoint line_of(const Intervals& intervals, std::vector<std::uint32_t> indices) {
    GlobalCheckpoint line;
    for (ProcessNo process = 0; process < indices.size(); ++process)
        line.push_back(intervals.first_of(process) + indices[process]);
    return line;
}
BreakpointSet everything(const EventGraph& graph) {
    BreakpointSet set;
    for (ProcessNo process = 0; process < graph.processes(); ++process) set.push_back(graph.events(process));
    return set;
}
Log none(const EventGraph& graph) {
    return Log(graph.messages().size(), LogRule::None);
}
std::vector<std::uint32_t> indices_of(const Intervals& intervals, const GlobalCheckpoint& line) {
    std::vector<std::uint32_t> indices;
    for (const CheckpointNo at : line) indices.push_back(intervals.checkpoints()[at].index);
    return indices;
}

TEST(Figures, Figure2_1_OrphansAndMessagesInTransit) {
    DrawnRun run({{30}, {20, 40}, {15, 35, 60}});
    const MessageNo m1 = run.message(0, 1, 5, 10);
    const MessageNo m2 = run.message(2, 1, 20, 30);
    const MessageNo m3 = run.message(0, 1, 25, 50);
    const EventGraph graph = run.graph(80);
    const Intervals intervals(graph, run.plan());
    const Crossing wrong = crossing(graph, intervals, line_of(intervals, {0, 1, 2}), everything(graph));
    EXPECT_THAT(wrong.orphans, ElementsAre(m1));
    EXPECT_THAT(wrong.in_transit, ElementsAre(m2));
    const Crossing right = crossing(graph, intervals, line_of(intervals, {1, 2, 3}), everything(graph));
    EXPECT_THAT(right.orphans, IsEmpty());
    EXPECT_THAT(right.in_transit, ElementsAre(m3));
}

TEST(Figures, Figure4_1_DistanceAndReplayTime) {
    DrawnRun run({{10}, {10, 25}, {12, 25}});
    run.message(0, 1, 20, 21, 1);  // m1
    run.message(1, 2, 22, 23, 1);  // m2
    run.message(0, 2, 30, 32);     // behind the breakpoints: they are ends of computations here
    run.message(1, 2, 40, 41);
    run.message(2, 1, 42, 43);
    const EventGraph graph = run.graph(50);
    const Intervals intervals(graph, run.plan());
    const BreakpointSet set{DrawnRun::at(graph, 0, 30), DrawnRun::at(graph, 1, 40), DrawnRun::at(graph, 2, 42)};
    const GlobalCheckpoint early = line_of(intervals, {0, 1, 1}), late = line_of(intervals, {1, 2, 2});
    EXPECT_EQ(distance_ns(graph, intervals, early, set), 30'000);
    const std::int64_t takes = predict(graph, intervals, none(graph), early, set).takes_ns;
    EXPECT_GE(takes, 38'000);
    EXPECT_LE(takes, 42'000);
    EXPECT_EQ(distance_ns(graph, intervals, late, set), 20'000);
    EXPECT_EQ(graph.time(0, set[0]) - intervals.checkpoints()[late[0]].time_ns, 20'000);
}

// Each process is one interval ahead of the one before it, and waits for it.
struct Staircase {
    DrawnRun run;
    std::uint32_t processes;
    BreakpointSet breakpoints(const EventGraph& graph) const {
        BreakpointSet set;
        for (std::uint32_t k = 0; k < processes; ++k) set.push_back(DrawnRun::at(graph, k, 1000 * k + 900));
        return set;
    }
};
Staircase staircase(std::uint32_t processes) {
    std::vector<std::int64_t> moments;
    for (std::uint32_t index = 1; index < processes + 2; ++index) moments.push_back(1000 * index);
    Staircase its{DrawnRun(std::vector<std::vector<std::int64_t>>(processes, moments)), processes};
    for (std::uint32_t k = 0; k + 1 < processes; ++k) {
        const std::int64_t now = 1000 * k, next = now + 1000;
        its.run.message(k, k + 1, now + 850, now + 851);    // the next process waits for this one
        its.run.message(k + 1, k, now + 880, now + 881);    // and cannot begin later than with it
        its.run.message(k, k + 1, next + 930, next + 931);  // behind both breakpoints
        its.run.message(k + 1, k, next + 960, next + 961);
    }
    const std::int64_t last = 1000 * (processes - 1);
    its.run.message(processes - 1, processes - 2, last + 850, last + 852);
    return its;
}

TEST(Figures, Figure5_1_StaircaseTakesAsManyIntervalsAsProcessesWithRos) {
    constexpr std::uint32_t processes = 8;
    const Staircase its = staircase(processes);
    const EventGraph graph = its.run.graph(1000 * (processes + 2));
    const Intervals intervals(graph, its.run.plan());
    const BreakpointSet set = its.breakpoints(graph);
    ASSERT_FALSE(conflict(graph, set));
    ASSERT_EQ(intervals.longest_ns(), 1'000'000);

    const Log ros = log_of(graph, intervals, {Method::Ros});
    const GlobalCheckpoint line = recovery_line(graph, intervals, ros, Method::Ros, set);
    EXPECT_THAT(indices_of(intervals, line), ElementsAre(0, 0, 1, 2, 3, 4, 5, 6));
    EXPECT_LE(distance_ns(graph, intervals, line, set), 2 * intervals.longest_ns());
    const std::int64_t takes = predict(graph, intervals, ros, line, set).takes_ns;
    EXPECT_GT(takes, 7'700'000);
    EXPECT_LE(takes, 8'000'000);

    const Log mrt = log_of(graph, intervals, {Method::Mrt});
    const GlobalCheckpoint other = recovery_line(graph, intervals, mrt, Method::Mrt, set);
    EXPECT_LT(predict(graph, intervals, mrt, other, set).takes_ns, 2'000'000);
}

TEST(Figures, Figure6_1_LoggingRules) {
    DrawnRun run({{100, 200}, {100, 200}, {100, 200}, {100, 200}});
    const MessageNo m1 = run.message(3, 2, 90, 110);   // rule 1
    const MessageNo m2 = run.message(2, 1, 130, 140);  // rule 2: not logged
    const MessageNo m3 = run.message(1, 0, 150, 160);  // rule 2: logged
    // Interval 2, by which rule 2 decides: C_{1,2} -> C_{2,3}, C_{2,2} -> C_{3,3}, C_{1,2} -> C_{3,3}, not C_{0,2} -> C_{3,3}.
    run.message(1, 2, 210, 220);
    run.message(2, 3, 230, 240);
    run.message(0, 1, 250, 260);  // C_{0,2} -> C_{1,3}: condition 1 of m3 holds
    const EventGraph graph = run.graph(350);
    CheckpointPlan plan = run.plan();
    for (auto& moments : plan.moments) moments.push_back(300'000);
    const Intervals intervals(graph, plan);
    const Log log = log_of(graph, intervals, {Method::Mrt});
    EXPECT_EQ(log[m1], LogRule::Higher);
    EXPECT_EQ(log[m2], LogRule::None);
    EXPECT_EQ(log[m3], LogRule::Needed);
}

TEST(Figures, Figure6_1_LateMessage) {
    DrawnRun run({{100}, {130}});
    const MessageNo m4 = run.message(0, 1, 150, 160);  // t1 = 50 exceeds t2 = 30
    const EventGraph graph = run.graph(200);
    const Intervals intervals(graph, run.plan());
    EXPECT_EQ(log_of(graph, intervals, {Method::Mrt})[m4], LogRule::Late);
    EXPECT_EQ(log_of(graph, intervals, {Method::Ros})[m4], LogRule::None);
}

// P_p goes back one interval. It waits for m1 in the first and for m2 in the second, by chains m3, m1 and m4, m2. No process of
// a chain begins later than P_p, so each interval takes no longer than before.
TEST(Figures, Figure6_2_ChainsDelayNobody) {
    DrawnRun run(std::vector<std::vector<std::int64_t>>(4, {1000, 2000}));
    run.message(1, 2, 500, 510);  // m3
    const MessageNo m1 = run.message(2, 0, 700, 710);
    run.message(0, 3, 800, 810);    // P_3 stops in this interval, and needs it
    run.message(1, 2, 1500, 1510);  // m4
    const MessageNo m2 = run.message(2, 0, 1700, 1710);
    for (const std::int64_t all : {1920, 2920}) {
        for (std::uint32_t process = 0; process < 3; ++process) run.message(process, 3, all + process, all + 10 + process);
        for (std::uint32_t process = 0; process < 3; ++process) run.message(3, process, all + 20 + process, all + 30 + process);
    }
    const EventGraph graph = run.graph(3000);
    const Intervals intervals(graph, run.plan());
    const Log log = log_of(graph, intervals, {Method::Mrt});
    EXPECT_EQ(log[m1], LogRule::None);
    EXPECT_EQ(log[m2], LogRule::None);
    const BreakpointSet set{DrawnRun::at(graph, 0, 1900), DrawnRun::at(graph, 1, 1900), DrawnRun::at(graph, 2, 1900),
                            DrawnRun::at(graph, 3, 900)};
    ASSERT_FALSE(conflict(graph, set));
    const GlobalCheckpoint line = recovery_line(graph, intervals, log, Method::Mrt, set);
    EXPECT_EQ(indices_of(intervals, line)[0], 0U);
    EXPECT_EQ(predict(graph, intervals, log, line, set).takes_ns, 1'710'000);
}

TEST(Families, OneProcessGoesBackNearlyTwoIntervals) {
    DrawnRun run(std::vector<std::vector<std::int64_t>>(2, {1000, 2000}));
    run.message(0, 1, 10, 20);      // P_1 stops in the interval in which it gets this
    run.message(1, 0, 1980, 1985);  // rule 2: C_{1,1} -> C_{0,2}
    run.message(0, 1, 1950, 1975);
    const EventGraph graph = run.graph(3000);
    const Intervals intervals(graph, run.plan());
    const Log log = log_of(graph, intervals, {Method::Mrt});
    const BreakpointSet set{DrawnRun::at(graph, 0, 1955), DrawnRun::at(graph, 1, 900)};
    const GlobalCheckpoint line = recovery_line(graph, intervals, log, Method::Mrt, set);
    const std::int64_t takes = predict(graph, intervals, log, line, set).takes_ns;
    EXPECT_GE(takes, 19 * intervals.longest_ns() / 10);
    EXPECT_LE(takes, bound_ns(graph, intervals, {Method::Mrt, Rule3::Arrival}, line, set));
}

// Process p takes its checkpoints p flights later than process 0, and a chain passes all of them in each of two intervals. Each
// message arrives when its sender's time in the interval was the same, so the printed rule logs none. In a replay all begin
// together, and the chain takes a flight more at each process.
TEST(Families, ChainsGainTheirFlightByThePrintedRule) {
    constexpr std::uint32_t chain = 8;  // and process 8, which stops early and gets from all
    constexpr std::int64_t flight = 100, interval = 1500;
    const auto begun = [](std::int64_t index, std::int64_t p) { return index * interval - 1200 + p * flight; };
    std::vector<std::vector<std::int64_t>> moments(chain + 1);
    for (std::uint32_t p = 0; p <= chain; ++p)
        for (std::int64_t index = 1; index <= 3; ++index) moments[p].push_back(begun(index, p < chain ? p : 0));
    DrawnRun run(moments);
    // In interval 0 all have begun together, so the chain is in intervals 1 and 2.
    for (std::int64_t index = 1; index <= 2; ++index) {
        for (std::uint32_t p = 0; p + 1 < chain; ++p) {
            const std::int64_t now = begun(index, p) + 300;
            run.message(p, p + 1, now, now + flight, flight);
        }
    }
    for (std::uint32_t p = 0; p < chain; ++p) run.message(p, chain, begun(1, p) + 310, begun(1, 0) + 1200 + p);
    // Behind the breakpoints each learns of all others, so rule 2 logs nothing of interval 1.
    const std::int64_t second = begun(2, 0);
    for (std::uint32_t p = 0; p < chain; ++p) run.message(p, chain, second + 1400 + p, second + 1420 + p);
    for (std::uint32_t p = 0; p < chain; ++p) run.message(chain, p, second + 1440 + p, second + 1450 + p * flight);
    const std::int64_t last = second + (chain - 1) * flight + 1400;
    run.message(chain - 1, chain - 2, last, last + 60);
    const EventGraph graph = run.graph(last + 200);
    const Intervals intervals(graph, run.plan());
    ASSERT_EQ(intervals.longest_ns(), interval * 1000);
    BreakpointSet set(chain + 1);
    for (std::uint32_t p = 0; p < chain; ++p) set[p] = DrawnRun::at(graph, p, p + 1 < chain ? second + 1400 + p : last);
    set[chain] = DrawnRun::at(graph, chain, begun(1, 0) + 1300);
    ASSERT_FALSE(conflict(graph, set));
    for (const Rule3 rule : {Rule3::Printed, Rule3::Arrival}) {
        const Log log = log_of(graph, intervals, {Method::Mrt, rule});
        const GlobalCheckpoint line = recovery_line(graph, intervals, log, Method::Mrt, set);
        const std::int64_t takes = predict(graph, intervals, log, line, set).takes_ns;
        EXPECT_LE(takes, bound_ns(graph, intervals, {Method::Mrt, rule}, line, set));
        if (rule == Rule3::Printed)
            EXPECT_EQ(takes, 3'500'000) << "2T is 3 ms";
        else
            EXPECT_LE(takes, 2 * intervals.longest_ns());
    }
}

}  // namespace
}  // namespace recovery_figures
