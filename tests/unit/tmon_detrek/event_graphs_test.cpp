#include <tmon_detrek/event_graphs.hpp>

#include <gmock/gmock.h>

#include "farm_trace.hpp"

namespace tmon_detrek {
namespace {

using testing_support::FarmTrace;

const farm_spec::FarmSpec dc4{4, farm_spec::TreeKind::Binary, 100, 2, 5};

EventGraphs graphs_of(const FarmTrace& farm) {
    return EventGraphs(farm.trace(tmon_streams::SessionEnd::StoodStill), farm.spec());
}

TEST(EventGraphs, AFinishedTaskHasItsFourEventsOnEveryEdge) {
    FarmTrace farm(dc4);
    farm.finish_tasks(0, 2);
    const EventGraphs graphs = graphs_of(farm);
    ASSERT_EQ(graphs.edges().size(), 3u);
    for (std::uint32_t edge = 0; edge < 3; ++edge) EXPECT_EQ(graphs.bits(edge, 1), 0xF);
    EXPECT_TRUE(graphs.finished(2));
    EXPECT_EQ(graphs.tasks_with_events(), 3u);
    EXPECT_EQ(graphs.findings(), 0u);
}

TEST(EventGraphs, CountsMessagesWithOneEndOnly) {
    FarmTrace farm(dc4);
    farm.finish_tasks(0, 2).sent(3, 0, 1).arrived(4, 0x10, 3).result_sent(4, 0x10, 3);
    const auto unmatched = graphs_of(farm).unmatched();
    EXPECT_EQ(unmatched.sends, 2u);
    EXPECT_EQ(unmatched.receives, 1u);
}

TEST(EventGraphs, ContradictionsAreCountedWithTheirPlaceAndTakeNoPart) {
    FarmTrace farm(dc4);
    farm.sent(3, 0, 1).sent(3, 0, 1);             // n0:1 repeated
    farm.sent(100, 0, 1);                         // n0:2 no such task
    farm.sent(4, 0x10, 1);                        // n0:3 impossible there
    farm.sent(5, 0, 1).last_of(0).peer = 2;       // n0:4 not a child
    farm.sent(6, 0, 1).last_of(0).is_result = 1;  // n0:5 a result on its way down
    farm.result_sent(7, 0, 1);                    // n1:0 never came
    const EventGraphs graphs = graphs_of(farm);
    EXPECT_EQ(graphs.findings(), 6u);
    EXPECT_EQ(graphs.findings(Contradiction::WrongNeighbour), 2u);
    EXPECT_EQ(finding_text(graphs.first_findings()[0]), "n0:1: the same event of the same sub-task a second time");
    EXPECT_EQ(finding_text(graphs.first_findings()[1]), "n0:2: a task number that the specification does not have");
    EXPECT_EQ(finding_text(graphs.first_findings()[2]), "n0:3: a sub-task that cannot be on this node");
    EXPECT_EQ(finding_text(graphs.first_findings()[3]),
              "n0:4: a message between nodes that are not parent and child, or in the wrong direction");
    EXPECT_EQ(finding_text(graphs.first_findings()[5]), "n1:0: a result before its task");
    EXPECT_EQ(graphs.tasks_with_events(), 1u);
}

TEST(EventGraphs, AResultWithoutItsTaskIsNoContradictionWhereRecordsAreMissing) {
    FarmTrace farm(dc4);
    farm.result_sent(7, 0, 1);
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    trace.streams[1].losses.push_back({1, 5, 9, LossCause::BufferFull});
    EXPECT_EQ(EventGraphs(trace, dc4).findings(), 0u);
}

TEST(EventGraphs, AnArrivalOfWhatNobodySentIsAContradictionWhereTheSendersRecordsAreWhole) {
    FarmTrace farm(dc4);
    farm.sent(3, 0, 1).arrived(4, 0, 1);  // n0 sent task 3, and on a damaged link it became task 4
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    const EventGraphs graphs(trace, dc4);
    EXPECT_EQ(graphs.findings(Contradiction::NeverSent), 1u);
    EXPECT_EQ(finding_text(graphs.first_findings()[0]), "n1:0: an arrival of what its sender never sent");
    trace.streams[0].state = tmon_streams::StreamState::Open;
    EXPECT_EQ(EventGraphs(trace, dc4).findings(), 0u);
}

TEST(EventGraphs, ARecordInAnotherNodesStreamIsAContradiction) {
    FarmTrace farm(dc4);
    farm.sent(0, 0, 1);
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    std::swap(trace.streams[0].parts, trace.streams[2].parts);
    EXPECT_EQ(EventGraphs(trace, dc4).findings(Contradiction::WrongNode), 1u);
}

// n0 has the workers 1 and 2, and 3 is below 1.
farm_spec::FarmSpec manager_with_two_branches(std::uint32_t degree = 1) {
    farm_spec::FarmSpec spec{4, farm_spec::TreeKind::Given, 100, degree, 2};
    spec.parents = {std::nullopt, vocabulary::NodeId(0), vocabulary::NodeId(0), vocabulary::NodeId(1)};
    return spec;
}

TEST(EventGraphs, ATaskIsFinishedOverWhicheverChildOfTheManagerItCame) {
    FarmTrace farm(manager_with_two_branches());
    farm.down(0, 0, 2).up(0, 0, 2).down(1, 0, 1).up(1, 0, 1);
    const EventGraphs graphs = graphs_of(farm);
    EXPECT_TRUE(graphs.finished(0));
    EXPECT_TRUE(graphs.finished(1));
    EXPECT_EQ(graphs.findings(), 0u);
}

TEST(EventGraphs, ATaskInsideABundleHasNoRecordsOfItsOwn) {
    farm_spec::FarmSpec spec = manager_with_two_branches();
    spec.granularity = 4;
    FarmTrace farm(spec);
    farm.sent(8, 0, 1).sent(9, 0, 1);
    EXPECT_EQ(graphs_of(farm).findings(Contradiction::UnknownTask), 1u);
}

TEST(EventGraphs, AStolenTaskMayGoDownItsOldEdgeAgain) {
    farm_spec::FarmSpec spec = manager_with_two_branches();
    spec.policy = farm_spec::Policy::WorkStealing;
    FarmTrace farm(spec);
    farm.down(0, 0, 1).back(0, 0, 1).down(0, 0, 2).back(0, 0, 2).down(0, 0, 1).up(0, 0, 1);
    const EventGraphs graphs = graphs_of(farm);
    EXPECT_TRUE(graphs.finished(0));
    EXPECT_EQ(graphs.findings(), 0u);
    EXPECT_FALSE(graphs.has_outstanding(2));
}

TEST(EventGraphs, ATaskThatGoesBackUpIsAContradictionWhereNobodySteals) {
    FarmTrace farm(manager_with_two_branches());
    farm.down(0, 0, 1).back(0, 0, 1);
    EXPECT_EQ(graphs_of(farm).findings(Contradiction::WrongNeighbour), 2u);
}

TEST(EventGraphs, GivingBackWhatOneNeverHadIsAContradiction) {
    farm_spec::FarmSpec spec = manager_with_two_branches();
    spec.policy = farm_spec::Policy::WorkStealing;
    FarmTrace farm(spec);
    farm.back(0, 0, 1).down(1, 0, 1).up(1, 0, 1).back(1, 0, 1);
    const EventGraphs graphs = graphs_of(farm);
    EXPECT_EQ(graphs.findings(Contradiction::ResultBeforeTask), 2u);
    EXPECT_EQ(graphs.findings(Contradiction::Repeated), 2u);
}

TEST(EventGraphs, ASecondChildThatGetsTheSameTaskIsAContradictionUnlessDeathsAreSurvived) {
    farm_spec::FarmSpec spec = manager_with_two_branches();
    for (const bool survives : {false, true}) {
        spec.survives = survives;
        FarmTrace farm(spec);
        farm.down(3, 0, 1).down(3, 0, 2);
        const EventGraphs graphs = graphs_of(farm);
        EXPECT_EQ(graphs.findings(Contradiction::SentTwice), survives ? 0u : 1u);
        EXPECT_EQ(graphs.sent_again(), 1u);
        const std::string text = "n0:1: a sub-task sent to a second child while the first has it";
        EXPECT_TRUE(survives || finding_text(graphs.first_findings()[0]) == text);
    }
}

TEST(EventGraphs, APartOfWhatTheSenderNeverHadIsAContradictionWhereItsRecordsHaveNoGap) {
    FarmTrace farm(manager_with_two_branches(2));
    farm.down(4, 0, 1).down(5, 0x10, 3);  // a part of task 4 under the number of task 5
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    const EventGraphs graphs(trace, farm.spec());
    EXPECT_EQ(graphs.findings(Contradiction::NotItsOwn), 1u);
    EXPECT_EQ(finding_text(graphs.first_findings()[0]), "n1:1: a part of a sub-task that its sender never had");
    trace.streams[1].losses.push_back({1, 5, 9, LossCause::BufferFull});
    EXPECT_EQ(EventGraphs(trace, farm.spec()).findings(), 0u);
}

TEST(EventGraphs, AResultThatLeavesBeforeItsPartsAreBackIsAContradiction) {
    FarmTrace farm(manager_with_two_branches());
    farm.down(4, 0, 1).down(4, 0, 3).up(4, 0, 1);
    const EventGraphs graphs = graphs_of(farm);
    EXPECT_EQ(graphs.findings(Contradiction::LeftBehind), 1u);
    EXPECT_EQ(finding_text(graphs.first_findings()[0]), "n1:1: a part sent down whose whole went up without it");
}

TEST(EventGraphsDeathTest, NeedAStreamOfEveryNode) {
    const FarmTrace three({3, farm_spec::TreeKind::Chain, 100, 1, 1});
    EXPECT_DEATH(EventGraphs(three.trace(tmon_streams::SessionEnd::StoodStill), dc4), "event_graphs.streams");
}

}  // namespace
}  // namespace tmon_detrek
