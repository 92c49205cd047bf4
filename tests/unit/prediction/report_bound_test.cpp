// The bound that is said beforehand: what the unload sequence allows, and that no record of the thesis' sessions takes longer.
#include <gmock/gmock.h>

#include <oracle/session_result.hpp>
#include <prediction/report_bound.hpp>
#include <tmon_detrek/growing_analysis.hpp>

namespace prediction {
namespace {

using vocabulary::SimTime;

scenario::Scenario thesis(const std::string& name, const std::vector<scenario::Setting>& settings = {}) {
    return scenario::read_scenario(MAGICWIRE_SOURCE_DIR "/examples/thesis/" + name + ".yaml", settings, {});
}

TEST(ReportBound, IsTheLongestTimeUntilALineThatUnloadsAtOnce) {
    const scenario::Scenario dc8 = thesis("dc8");
    const SimTime period = dc8.costs.time("monitor.manager_period");
    EXPECT_EQ(report_bound(dc8, SimTime()).gap, SimTime::us(29'250) + period);
    EXPECT_EQ(report_bound(dc8, SimTime::us(29'000)).gap, SimTime::us(250) + period);
    EXPECT_EQ(report_bound(dc8, SimTime::us(29'250)).gap, period);
    EXPECT_FALSE(report_bound(dc8, SimTime()).when_idle);
    EXPECT_GT(report_bound(dc8, SimTime()).flight, SimTime());
}

// Until the line that unloads at once has reached the host, everything may still be on a node.
TEST(ReportBound, HowFarTheHostIsBehindFollowsTheSequence) {
    const scenario::Scenario dc8 = thesis("dc8");
    const SimTime flight = SimTime::ms(1), way = flight + dc8.costs.time("monitor.manager_period"), line = SimTime::us(29'250);
    EXPECT_EQ(report_behind(dc8, SimTime::us(500), flight), SimTime::us(500));
    EXPECT_EQ(report_behind(dc8, line, flight), line);
    EXPECT_EQ(report_behind(dc8, line + way, flight), way);
    EXPECT_EQ(report_behind(dc8, line + way + SimTime::ms(50), flight), way);
    EXPECT_FALSE(report_behind(thesis("dc8", {{"monitor.unload", "1000s/0/64"}}), line, flight));
}

TEST(ReportBound, IsNotSaidWhereANodeMayKeepItsRecords) {
    const ReportBound none = report_bound(thesis("dc8", {{"monitor.unload", "1000s/8/64"}}), SimTime());
    EXPECT_FALSE(none.gap);
    EXPECT_THAT(report_bound_text(none), testing::StartsWith("not bounded: "));
    const ReportBound idle = report_bound(thesis("dc8", {{"monitor.unload", "1000s/0/64"}}), SimTime());
    EXPECT_TRUE(idle.gap && idle.when_idle);
    EXPECT_THAT(report_bound_text(idle), testing::HasSubstr("on a node that has little to do"));
}

class ThesisSession : public testing::TestWithParam<const char*> {};

TEST_P(ThesisSession, NoRecordTakesLongerThanTheBoundSays) {
    const scenario::Scenario scenario = thesis(GetParam());
    tmon_detrek::GrowingAnalysis growing(scenario.farm);
    oracle::SessionResult result;
    oracle::run_session(scenario, result, {.feed = &growing});
    EXPECT_GT(growing.longest_way_us(), 1'000U);
    EXPECT_LE(growing.longest_way_us(), static_cast<std::uint64_t>(report_bound(scenario, SimTime()).way().in_us()));
    const auto all = [&] { return *result.observed.trace; };
    const auto stored = tmon_detrek::report_detrek(*result.observed.trace, scenario.farm, {});
    const auto grown = growing.report(*result.observed.trace, all);
    EXPECT_EQ(grown.json, stored.json);
    EXPECT_EQ(grown.text, stored.text);
    EXPECT_FALSE(growing.needs_all());
}

INSTANTIATE_TEST_SUITE_P(Unloading, ThesisSession, testing::Values("dc8", "dc16_good", "ubc_dc8", "ubc_dc16_good"));

}  // namespace
}  // namespace prediction
