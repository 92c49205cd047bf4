#include "solver_cases.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <topologies/shapes.hpp>
#include <topologies/solution_report.hpp>

using namespace solver_cases;  // NOLINT: names of this folder's tests
using testing::HasSubstr;

namespace {

// Two nodes on two switches that one wire joins; the host is on x0.
struct Case {
    MachineDescription wanted = solver_cases::wanted(2, {{0, 1}}, {0});
    MachineDescription target = solver_cases::target(2, 2, 1, [](std::size_t n, std::size_t) { return n; });
    topologies::Solution solution = std::get<topologies::Solution>(topologies::solve(wanted, target));
    topologies::SolutionReport from{wanted, target, 1};
};

}  // namespace

TEST(SolutionReport, SaysHowManyEdgesPassHowManySwitches) {
    const Case one;
    EXPECT_THAT(topologies::solution_text(one.from, one.solution),
                HasSubstr("wanted on target: 2 nodes and 2 edges placed; 1 through one switch, 1 through 2 switches\n"));
}

TEST(SolutionReport, ShowsEachNodesPlaceAndNeighbours) {
    const Case one;
    const std::string text = topologies::solution_text(one.from, one.solution);
    EXPECT_THAT(text, HasSubstr("\n  n0     n0     4MiB"));
    EXPECT_THAT(text, HasSubstr(" n1 by x0+x1"));
    EXPECT_THAT(text, HasSubstr(" n0 by x1+x0"));
    EXPECT_THAT(text, HasSubstr(" host by x0"));
}

TEST(SolutionReport, ShowsUsedAndFreeWaysOfEachSwitch) {
    const Case one;
    const std::string text = topologies::solution_text(one.from, one.solution);
    EXPECT_THAT(text, HasSubstr("\n  x0: 4 of 6 wired ways used, 2 free\n"));
    EXPECT_THAT(text, HasSubstr("\n  x1: 2 of 5 wired ways used, 3 free\n"));
}

TEST(SolutionReport, JsonSaysTheSame) {
    const Case one;
    const auto json = nlohmann::json::parse(topologies::solution_json(one.from, one.solution));
    EXPECT_EQ(json["schema"], "magicwire.solve/1");
    EXPECT_EQ(json["found"], true);
    EXPECT_EQ(json["placement"][1]["place"], "n1");
    EXPECT_EQ(json["edges"].size(), 2u);
    EXPECT_EQ(json["switches"][0]["used_ways"], 4);
    EXPECT_EQ(json["switches"][1]["free_ways"], 3);
}

TEST(SolutionReport, JsonOfASearchInVainSaysWhatIsMissing) {
    const Case one;
    const auto json = nlohmann::json::parse(topologies::not_found_json(one.from, {.edges = 9, .unplaced = 2, .steps = 70}));
    EXPECT_EQ(json["found"], false);
    EXPECT_EQ(json["unplaced"], 2);
    EXPECT_THAT(json["text"], HasSubstr("2 of 9 edges"));
}

TEST(CheckReport, SaysWhatAMachineAmountsTo) {
    EXPECT_EQ(topologies::check_text(topologies::make_shape("mesh:2x3")),
              "mesh_2x3 is realisable\n  nodes     6\n  switches  0\n  edges     7 between nodes\n  degree    2 to 3\n"
              "  host      1 connection\n  pieces    1, diameter 3 hops\n");
}

TEST(CheckReport, SaysThatThereIsNoHost) {
    EXPECT_THAT(topologies::check_text(topologies::make_shape("hypercube:16")), HasSubstr("host      none"));
    EXPECT_THAT(topologies::check_text(topologies::make_shape("hypercube:16")), HasSubstr("degree    4 at every node"));
}

TEST(CheckReport, CountsPieces) {
    const auto json = nlohmann::json::parse(topologies::check_json(wanted(5, {{0, 1}, {2, 3}}, {0})));
    EXPECT_EQ(json["pieces"], 3);
    EXPECT_EQ(json["host_edges"], 1);
    EXPECT_TRUE(json["diameter"].is_null());
}
