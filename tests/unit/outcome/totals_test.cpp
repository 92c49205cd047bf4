// The totals of links and nodes that every run ends with.
#include <oracle/session_result.hpp>
#include <outcome/outputs.hpp>

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include <sstream>
#include <vector>

#include <instrumentation/accounts.hpp>
#include <trollius_os/accounts.hpp>

#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace {

using oracle::SessionResult;
using outcome::Totals;
using session_test::ScenarioFolder;
using testing::HasSubstr;
using testing::Not;
using vocabulary::SimTime;

const outcome::Manifest run_manifest{{"run", "s.yaml"}, "magicwire test", "magicwire run s.yaml --seed 1"};

// A run with `count` nodes and a link each. Node i is busy for i ms of 1 s, and its link for as long.
struct MachineOf : SessionResult {
    explicit MachineOf(std::size_t count) {
        observed.modelled = SimTime::s(1);
        for (std::size_t i = 0; i < count; ++i) {
            observed.nodes.push_back({.member = true});
            simulated.nodes.push_back(node_line(i));
            simulated.links.push_back(link_line(i));
        }
    }
    static session::NodeLine node_line(std::size_t i) {
        session::NodeLine node;
        node.high_busy = SimTime::us(static_cast<std::int64_t>(250 * i));
        node.low_busy = SimTime::us(static_cast<std::int64_t>(750 * i));
        node.preemptions = 10 * i;
        node.timeslices = i;
        node.memory_high_water = 1024 * (100 + i);
        node.memory_size = 1 << 20;
        return node;
    }
    static session::LinkLine link_line(std::size_t i) {
        session::LinkLine link;
        link.from = "n" + std::to_string(i) + ".1";
        link.to = "n" + std::to_string(i + 1) + ".0";
        link.totals.of[trollius_os::accounts::system] = {100, 1, SimTime()};
        link.totals.of[trollius_os::accounts::application] = {200 * (i + 1), i + 1, SimTime::ms(static_cast<std::int64_t>(i))};
        link.totals.of[instrumentation::accounts::trace_message] = {100, 1, SimTime()};
        link.totals.waiting = SimTime::ms(static_cast<std::int64_t>(2 * i));
        link.totals.lost = i % 2;
        return link;
    }
};

std::string text(const SessionResult& result, Totals which = Totals::Automatic) {
    return outcome::summary_text({}, result, run_manifest, which);
}

// The words of the line that begins with `name`.
std::vector<std::string> row(const std::string& all, const std::string& name) {
    std::istringstream lines(all);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::vector<std::string> found{std::istream_iterator<std::string>(words), {}};
        if (!found.empty() && found[0] == name) return found;
    }
    return {};
}

}  // namespace

TEST(Totals, GiveEveryLinkBytesMessagesMonitorsShareBusyShareWaitingAndLost) {
    EXPECT_THAT(row(text(MachineOf(8)), "n3.1"),
                testing::ElementsAre("n3.1", "n4.0", "800", "100", "100", "6", "10.0", "0.30", "0.60", "1"));
}

TEST(Totals, GiveEveryNodeBusyIdleHighPreemptionsTimeslicesAndMemory) {
    EXPECT_THAT(row(text(MachineOf(8)), "n4"), testing::ElementsAre("n4", "0.40", "99.60", "0.10", "40", "4", "104.0", "1024"));
}

TEST(Totals, ShowAllOfSixteenNodes) {
    const std::string shown = text(MachineOf(16));
    EXPECT_FALSE(row(shown, "n0").empty());
    EXPECT_FALSE(row(shown, "n15").empty());
    EXPECT_THAT(shown, Not(HasSubstr("others")));
}

TEST(Totals, ShowTheSixteenBusiestOfMoreAndTheSumOfTheOthers) {
    const std::string shown = text(MachineOf(20));
    EXPECT_FALSE(row(shown, "n19").empty());
    EXPECT_FALSE(row(shown, "n4").empty());
    EXPECT_TRUE(row(shown, "n3").empty());
    EXPECT_LT(shown.find("n19 "), shown.find("n18 "));
    // n0 to n3: 200 + 400 + 600 + 800 bytes; shares are means of the four.
    EXPECT_THAT(row(shown, "4"), testing::ElementsAre("4", "others", "2000", "400", "400", "18", "14.3", "0.15", "0.30", "2"));
    EXPECT_THAT(shown, HasSubstr("4 others      0.15   99.85    0.04           60          6        406.0       4096"));
    EXPECT_THAT(shown, HasSubstr("the 16 busiest of 20, --totals all shows each"));
}

TEST(Totals, ShowAllOrNoneWhenAsked) {
    EXPECT_FALSE(row(text(MachineOf(20), Totals::All), "n0").empty());
    EXPECT_THAT(text(MachineOf(20), Totals::All), Not(HasSubstr("others")));
    EXPECT_THAT(text(MachineOf(8), Totals::None), Not(HasSubstr("busy%")));
}

TEST(Totals, LeaveOutLinksOnWhichNothingWasOffered) {
    MachineOf result(3);
    result.simulated.links[1].totals = {};
    EXPECT_TRUE(row(text(result), "n1.1").empty());
}

TEST(Totals, KeepWithin128Columns) {
    std::istringstream lines(text(MachineOf(75)));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 128U) << line;
}

TEST(Totals, AreAllInTheJson) {
    const auto json = nlohmann::json::parse(outcome::summary_json({}, MachineOf(75), run_manifest, ""));
    ASSERT_EQ(json.at("links").size(), 75U);
    ASSERT_EQ(json.at("nodes").size(), 75U);
    const auto& link = json.at("links")[3];
    EXPECT_EQ(link.at("busy_share"), 0.003);
    EXPECT_EQ(link.at("waiting_us"), 6000);
    EXPECT_EQ(link.at("lost_transfers"), 1);
    EXPECT_EQ(link.at("application_messages"), 4);
    const auto& node = json.at("nodes")[4];
    EXPECT_EQ(node.at("idle_us"), 996'000);
    EXPECT_EQ(node.at("high_share"), 0.001);
    EXPECT_EQ(node.at("timeslices"), 4);
    EXPECT_EQ(node.at("memory_bytes"), 1 << 20);
}

TEST(Totals, OfARunAddUpToItsTime) {
    const ScenarioFolder folder;
    SessionResult result;
    oracle::run_session(folder.read(session_test::watched), result);
    for (const auto& node : result.simulated.nodes) {
        EXPECT_LE(node.high_busy + node.low_busy, result.observed.modelled);
        EXPECT_GT(node.high_busy, SimTime());
        EXPECT_LE(node.memory_high_water, node.memory_size);
    }
    SimTime waiting;
    for (const auto& link : result.simulated.links) {
        EXPECT_LE(link.busy() + link.totals.waiting, result.observed.modelled);
        waiting += link.totals.waiting;
    }
    EXPECT_GT(waiting, SimTime());
}
