// Random programs against the judge of random_program.hpp. scripts/recovery_campaign runs many.
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include <tmon_recovery/on_the_fly.hpp>
#include <tmon_recovery/recovery_line.hpp>

#include "random_program.hpp"

namespace recovery_random {
namespace {

using namespace tmon_recovery;
using testing_support::Judge;
using testing_support::RandomRun;

std::uint32_t number_of(const char* variable, std::uint32_t usual) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? usual : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

struct Trial {
    RandomRun run;
    CheckpointPlan plan;
    Trial(std::uint32_t seed, bool drift) : run(testing_support::random_run({.seed = seed, .drift = drift})) {
        std::mt19937 random(seed * 7 + 1);
        std::int64_t longest = 1000;
        for (const ProcessSpan& its : run.spans) longest = std::max(longest, its.end_ns - its.begin_ns);
        plan.interval_ns = longest / (2 + random() % 9);
        plan.rule = CheckpointRule::Clock;
        if (random() % 2 == 0) return;
        plan.rule = CheckpointRule::Moments;  // at random, so that indices are skipped
        for (const ProcessSpan& its : run.spans) {
            std::vector<std::int64_t> moments;
            for (std::int64_t now = its.begin_ns; now < its.end_ns; moments.push_back(now))
                now += 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(3 * plan.interval_ns));
            plan.moments.push_back(moments);
        }
    }
    Judge judge() const { return {run, plan.rule == CheckpointRule::Clock ? plan.interval_ns : 0, plan.moments}; }
};

// Mostly consistent ones: random places, moved.
BreakpointSet random_set(const EventGraph& graph, std::mt19937& random) {
    BreakpointSet set;
    const auto form = random() % 3;
    const double part = static_cast<double>(random() % 1000) / 1000;
    for (ProcessNo process = 0; process < graph.processes(); ++process) {
        const EventNo all = graph.events(process);
        set.push_back(form == 0 ? static_cast<EventNo>(random() % (all + 1)) : static_cast<EventNo>(part * all));
    }
    return form == 2 ? raised(graph, set) : nearest(graph, set);
}

void check_checkpoints(const Intervals& intervals, const Judge& judge) {
    for (ProcessNo process = 0; process < judge.items().size(); ++process) {
        CheckpointNo at = intervals.first_of(process);
        for (const testing_support::JudgedItem& its : judge.items()[process]) {
            if (!its.checkpoint || its.index == UINT32_MAX) continue;
            ASSERT_LE(at, intervals.last_of(process));
            ASSERT_EQ(intervals.checkpoints()[at].index, its.index);
            ASSERT_EQ(intervals.checkpoints()[at].after, its.event);
            ASSERT_EQ(intervals.checkpoints()[at].time_ns, its.time);
            ++at;
        }
        ASSERT_EQ(at, intervals.last_of(process) + 1);
    }
    EXPECT_EQ(intervals.longest_ns(), judge.longest());
}

void check_sets(const EventGraph& graph, const Intervals& intervals, const Judge& judge, std::uint32_t seed, bool exact) {
    std::mt19937 random(seed);
    for (const Method method : {Method::Ros, Method::Mrt}) {
        for (const Rule3 rule : {Rule3::Printed, Rule3::Arrival}) {
            if (rule == Rule3::Arrival && (method == Method::Ros || !exact)) continue;
            const LoggingChoice choice{method, rule};
            const Log log = log_of(graph, intervals, choice);
            const std::vector<bool> logged =
                judge.logged(method == Method::Ros ? Judge::Method::Ros : Judge::Method::Mrt, rule == Rule3::Arrival);
            for (MessageNo message = 0; message < log.size(); ++message)
                ASSERT_EQ(log[message] != LogRule::None, logged[message]) << "message " << message << " of " << name_of(method);
            for (int count = 0; count < 10; ++count) {
                const BreakpointSet set = random_set(graph, random);
                ASSERT_TRUE(judge.is_set(set));
                const GlobalCheckpoint line = recovery_line(graph, intervals, log, method, set);
                std::vector<std::size_t> places;
                for (ProcessNo process = 0; process < set.size(); ++process) {
                    places.push_back(line[process] - intervals.first_of(process));
                    ASSERT_GE(places.back() + 1, judge.last_before(process, set[process])) << "more than one step back";
                }
                ASSERT_EQ(places, judge.latest_line(logged, set));
                const std::int64_t takes = judge.replay(logged, places, set);
                ASSERT_LE(takes, bound_ns(graph, intervals, choice, line, set)) << name_of(method);
                ASSERT_LE(distance_ns(graph, intervals, line, set), 2 * intervals.longest_ns());
                if (!exact) continue;
                ASSERT_EQ(takes, predict(graph, intervals, log, line, set).takes_ns);
            }
        }
    }
}

// Lines for comparison: each message in transit is logged, and the consistent ones have no orphans.
void check_others(const EventGraph& graph, const Intervals& intervals, std::uint32_t seed) {
    std::mt19937 random(seed);
    for (const Method method : {Method::Consistent, Method::All}) {
        const Log log = log_of(graph, intervals, {method});
        const BreakpointSet set = random_set(graph, random);
        const GlobalCheckpoint line = recovery_line(graph, intervals, log, method, set);
        const Crossing its = crossing(graph, intervals, line, set);
        for (const MessageNo message : its.in_transit) ASSERT_NE(log[message], LogRule::None);
        ASSERT_TRUE(method != Method::Consistent || its.orphans.empty());
    }
}

void check_on_the_fly(const EventGraph& graph, const Intervals& intervals) {
    for (const Method method : {Method::Ros, Method::Mrt}) {
        const Log exact = log_of(graph, intervals, {method});
        const OnTheFly its = on_the_fly(graph, intervals, method, 1000);
        for (MessageNo message = 0; message < exact.size(); ++message)
            ASSERT_TRUE(exact[message] == LogRule::None || its.log[message] != LogRule::None) << "message " << message;
    }
}

void check_breakpoints(const EventGraph& graph, const Judge& judge, std::uint32_t seed) {
    std::mt19937 random(seed);
    for (int count = 0; count < 5; ++count) {
        const auto process = static_cast<ProcessNo>(random() % graph.processes());
        const auto event = static_cast<EventNo>(random() % (graph.events(process) + 1));
        ASSERT_EQ(causal(graph, process, event), judge.causal(process, event));
        BreakpointSet set;
        for (ProcessNo one = 0; one < graph.processes(); ++one)
            set.push_back(static_cast<EventNo>(random() % (graph.events(one) + 1)));
        ASSERT_EQ(!conflict(graph, set).has_value(), judge.is_set(set));
        ASSERT_TRUE(judge.is_set(nearest(graph, set)));
        // No smaller step makes the set consistent.
        const BreakpointSet up = raised(graph, set), down = lowered(graph, set);
        for (ProcessNo one = 0; one < graph.processes(); ++one) {
            BreakpointSet less = up, more = down;
            ASSERT_TRUE(less[one] == set[one] || (--less[one], !judge.is_set(less)));
            ASSERT_TRUE(more[one] == set[one] || (++more[one], !judge.is_set(more)));
        }
    }
}

TEST(RandomPrograms, LinesRulesAndBreakpointsAreThoseOfTheJudge) {
    const std::uint32_t first = number_of("MAGICWIRE_RECOVERY_FIRST", 1),
                        programs = number_of("MAGICWIRE_RECOVERY_PROGRAMS", 150);
    for (std::uint32_t seed = first; seed < first + programs; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const Trial trial(seed, seed % 3 == 0);
        ASSERT_STREQ(EventGraph::fault(trial.run.spans, trial.run.messages), "");
        const EventGraph graph(trial.run.spans, trial.run.messages);
        const Intervals intervals(graph, trial.plan);
        const Judge judge = trial.judge();
        check_checkpoints(intervals, judge);
        check_sets(graph, intervals, judge, seed, seed % 3 != 0);
        check_others(graph, intervals, seed);
        check_on_the_fly(graph, intervals);
        check_breakpoints(graph, judge, seed);
        if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
}

}  // namespace
}  // namespace recovery_random
