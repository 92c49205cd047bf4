// The lists that the thesis prints, from traces built by hand.
#include <tmon_detrek/fault_list.hpp>

#include <gmock/gmock.h>

#include <sstream>

#include "farm_trace.hpp"

namespace tmon_detrek::fault_list_cases {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using testing_support::FarmTrace;

const farm_spec::FarmSpec dc8{8, farm_spec::TreeKind::Binary, 100, 2, 5};
const farm_spec::FarmSpec dc16{16, farm_spec::TreeKind::Binary, 1000, 2, 5};
const farm_spec::FarmSpec chain6{6, farm_spec::TreeKind::Chain, 5, 1, 1};

std::vector<std::string> lines_of(const FarmTrace& farm) {
    const EventGraphs graphs(farm.trace(tmon_streams::SessionEnd::StoodStill), farm.spec());
    std::istringstream text(classic_list(fault_list(graphs), farm.spec()));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    EXPECT_EQ(lines.at(0), "Failure");
    EXPECT_EQ(lines.at(1), "TASK SUBTASK NODE PROCESS");
    lines.erase(lines.begin(), lines.begin() + 2);
    return lines;
}

TEST(FaultList, FirstSessionOfSection61) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 48);
    farm.down(49, 0, 1).split_to_leaves(49, 0, 1);
    farm.down(50, 0, 1);
    farm.down(51, 0, 1).down(51, 0, 2).down(51, 0x10, 3);
    farm.sent(52, 0, 1);
    // 53 went through node 1 before 52 was recorded there; its halves did not arrive.
    farm.down(53, 0, 1).sent(53, 0, 2).sent(53, 0x10, 3);
    EXPECT_THAT(lines_of(farm), ElementsAre("49 0000 4 comp_fn()", "49 0100 5 comp_fn()", "49 0010 6 comp_fn()",
                                            "49 0110 7 comp_fn()", "50 0000 1 split_fn()/comp_fn()",
                                            "51 0000 2 split_fn()/comp_fn()", "51 0010 3 split_fn()/comp_fn()",
                                            "52 0000 1 Distributing", "53 0000 2 Distributing", "53 0010 3 Distributing"));
}

TEST(FaultList, SecondSessionOfSection61WithTheGoodUnloadSequence) {
    FarmTrace farm(dc16);
    farm.finish_tasks(0, 499);
    farm.down(500, 0, 1).split_to_leaves(500, 0, 1);
    farm.down(501, 0, 1);
    farm.down(502, 0, 1).down(502, 0x10, 3).down(502, 0x10, 6).sent(502, 0x10, 12).sent(502, 0x1010, 13);
    farm.down(502, 0x110, 7).sent(502, 0x110, 14);  // the branches to nodes 2 and 15 were not sent
    EXPECT_THAT(lines_of(farm),
                UnorderedElementsAre("500 0010 12 comp_fn()", "500 1010 13 comp_fn()", "500 0110 14 comp_fn()",
                                     "500 1110 15 comp_fn()", "500 0100 10 comp_fn()", "500 1100 11 comp_fn()",
                                     "500 1000 9 comp_fn()", "500 0000 8 comp_fn()", "501 0000 1 split_fn()/comp_fn()",
                                     "502 0010 12 Distributing", "502 1010 13 Distributing", "502 0110 14 Distributing"));
}

TEST(FaultList, SecondSessionOfSection61WithTheBadUnloadSequence) {
    FarmTrace farm(dc16);
    farm.finish_tasks(0, 474);
    farm.down(475, 0, 1);
    farm.down(476, 0, 1).down(476, 0, 2).down(476, 0x10, 3).up(476, 0, 2).up(476, 0x10, 3);
    farm.sent(477, 0, 1);
    farm.down(478, 0, 1).down(478, 0, 2).result_sent(478, 0, 2);
    farm.down(478, 0x10, 3).down(478, 0x10, 6).result_sent(478, 0x10, 6);
    farm.down(478, 0x110, 7).down(478, 0x110, 14).down(478, 0x1110, 15).up(478, 0x110, 14).up(478, 0x1110, 15);
    farm.arrived(487, 0, 1);
    EXPECT_THAT(lines_of(farm),
                UnorderedElementsAre("475 0000 1 split_fn()/comp_fn()", "476 0010 1 join_fn()", "476 0000 1 join_fn()",
                                     "477 0000 1 Distributing", "478 1110 7 join_fn()", "478 0110 7 join_fn()",
                                     "478 0010 3 Collecting", "478 0000 1 Collecting", "487 0000 0 data_generator()"));
}

TEST(FaultList, SessionOfSection62) {
    FarmTrace farm(chain6);
    farm.down(0, 0, 1).up(0, 0, 1);
    farm.down(1, 0, 1).down(1, 0, 2).up(1, 0, 2).up(1, 0, 1);
    farm.down(2, 0, 1).result_sent(2, 0, 1);
    farm.down(3, 0, 1).down(3, 0, 2).up(3, 0, 2).result_sent(3, 0, 1);
    farm.down(4, 0, 1).down(4, 0, 2).up(4, 0, 2);  // came to node 1 and rose no further
    EXPECT_THAT(lines_of(farm), ElementsAre("2 0 0 Collecting", "3 0 0 Collecting", "4 0 0 Collecting"));
}

TEST(FaultList, SubTasksArePlainNumbersWithoutTheConversion) {
    FarmTrace farm(dc8);
    farm.down(3, 0, 1).down(3, 0x10, 3);
    EXPECT_THAT(lines_of(farm), ElementsAre("3 0010 3 split_fn()/comp_fn()"));
}

TEST(FaultList, ABranchNeverSentIsListedOnceTheOthersAreBack) {
    FarmTrace farm(dc8);
    farm.down(3, 0, 1).down(3, 0, 2);
    EXPECT_THAT(lines_of(farm), ElementsAre("3 0000 2 split_fn()/comp_fn()"));
    farm.up(3, 0, 2);
    EXPECT_THAT(lines_of(farm), ElementsAre("3 0000 1 join_fn()", "3 0010 1 split_fn()/comp_fn()"));
}

TEST(FaultList, AJoinThatWaitsIsListedBesideWhatItWaitsFor) {
    FarmTrace farm(dc8);
    farm.down(3, 0, 1).down(3, 0, 2).down(3, 0x10, 3).up(3, 0, 2);
    EXPECT_THAT(lines_of(farm), ElementsAre("3 0000 1 join_fn()", "3 0010 3 split_fn()/comp_fn()"));
}

TEST(FaultList, AProcessorFarmComputesOnEveryNode) {
    FarmTrace farm(chain6);
    farm.down(0, 0, 1).down(1, 0, 1).down(1, 0, 2);
    EXPECT_THAT(lines_of(farm), ElementsAre("0 0 1 comp_fn()", "1 0 2 comp_fn()"));
}

TEST(FaultList, FinishedTasksHaveNoRowsWhateverIsMissingBelow) {
    FarmTrace farm(dc8);
    farm.down(3, 0, 1).down(3, 0, 2).up(3, 0, 1);
    EXPECT_THAT(lines_of(farm), ElementsAre());
}

farm_spec::FarmSpec two_below_the_manager(std::uint32_t degree, std::uint32_t tasks = 100) {
    farm_spec::FarmSpec spec{6, farm_spec::TreeKind::Given, tasks, degree, 2};
    spec.parents = {std::nullopt,          vocabulary::NodeId(0), vocabulary::NodeId(0),
                    vocabulary::NodeId(1), vocabulary::NodeId(1), vocabulary::NodeId(2)};
    return spec;
}

TEST(FaultList, BundlesHaveTheNumberOfTheirFirstTask) {
    farm_spec::FarmSpec spec = two_below_the_manager(1);
    spec.granularity = 4;
    FarmTrace farm(spec);
    farm.down(8, 0, 2).down(8, 0, 5).down(12, 0, 1);
    EXPECT_THAT(lines_of(farm), ElementsAre("8 0 5 comp_fn()", "12 0 1 comp_fn()"));
}

TEST(FaultList, AStolenTaskThatDidNotReachItsThiefIsWithWhoShouldSendItOn) {
    farm_spec::FarmSpec spec = two_below_the_manager(2);
    spec.policy = farm_spec::Policy::WorkStealing;
    FarmTrace farm(spec);
    farm.down(0, 0, 1).down(0, 0, 3).down(0, 0x10, 4).back(0, 0x10, 4);  // back at 1
    farm.down(1, 0, 2).given_back(1, 0, 2);                              // 0 has no record of its coming
    farm.down(2, 0, 1).back(2, 0, 1);                                    // back at 0
    EXPECT_THAT(lines_of(farm),
                ElementsAre("0 0010 1 Distributing", "0 0000 3 comp_fn()", "1 0000 0 Distributing", "2 0000 0 Distributing"));
}

TEST(FaultList, WhatASilentNodeHadIsItsParentsAgainWhereDeathsAreSurvived) {
    for (const bool survives : {false, true}) {
        farm_spec::FarmSpec spec = two_below_the_manager(1);
        spec.survives = survives;
        FarmTrace farm(spec);
        farm.down(0, 0, 1).down(0, 0, 3);                              // 1 does it itself
        if (survives) farm.down(1, 0, 1).down(1, 0, 3).down(1, 0, 4);  // 4 got it
        const EventGraphs graphs(farm.trace(tmon_streams::SessionEnd::StoodStill, {3}), spec);
        std::vector<std::uint16_t> nodes;
        for (const FaultRow& row : fault_list(graphs)) nodes.push_back(row.node);
        EXPECT_EQ(nodes, (survives ? std::vector<std::uint16_t>{1, 4} : std::vector<std::uint16_t>{3}));
    }
}

}  // namespace
}  // namespace tmon_detrek::fault_list_cases
