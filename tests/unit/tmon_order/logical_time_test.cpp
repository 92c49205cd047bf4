#include <tmon_order/logical_time.hpp>

#include <gmock/gmock.h>

#include <random>

#include "abstract_farm.hpp"
#include "farm_trace.hpp"

namespace tmon_order {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::FarmTrace;

const farm_spec::FarmSpec chain3{3, farm_spec::TreeKind::Chain, 100, 1, 1};

// Every stamp by the definition: one more than before on the own node, and the maximum with the send's.
std::vector<std::vector<VectorStamp>> stamps_by_definition(const tmon_streams::Trace& trace, const LogicalTime& time) {
    const std::size_t nodes = trace.streams.size();
    std::vector<std::vector<VectorStamp>> stamps(nodes);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::uint16_t node = 0; node < nodes; ++node) {
            const auto index = static_cast<std::uint32_t>(stamps[node].size());
            if (index == trace.streams[node].size()) continue;
            VectorStamp stamp = index > 0 ? stamps[node].back() : VectorStamp(nodes);
            const auto other = time.partner({node, index});
            if (time.event({node, index}).kind == EventKind::Receive && other) {
                if (stamps[other->node].size() <= other->index) continue;
                for (std::size_t i = 0; i < nodes; ++i) stamp[i] = std::max(stamp[i], stamps[other->node][other->index][i]);
            }
            stamp[node] = index + 1;
            stamps[node].push_back(std::move(stamp));
            moved = true;
        }
    }
    return stamps;
}

TEST(LogicalTime, AReceiveKnowsEverythingBeforeItsSend) {
    FarmTrace farm(chain3);
    farm.down(0, 0, 1).down(0, 0, 2).up(0, 0, 2).up(0, 0, 1);
    const tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    const LogicalTime time(trace);
    EXPECT_THAT(time.stamp({0, 0}), ElementsAre(1, 0, 0));
    EXPECT_THAT(time.stamp({2, 0}), ElementsAre(1, 2, 1));
    EXPECT_THAT(time.stamp({0, 1}), ElementsAre(2, 4, 2));
    EXPECT_EQ(time.partner({2, 0}), (EventRef{1, 1}));
}

TEST(LogicalTime, EventsThatKnowNothingOfEachOtherAreConcurrent) {
    FarmTrace farm(chain3);
    farm.down(0, 0, 1).down(1, 0, 1).down(0, 0, 2);
    const tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    const LogicalTime time(trace);
    EXPECT_TRUE(time.happens_before({0, 0}, {2, 0}));
    EXPECT_FALSE(time.happens_before({2, 0}, {0, 1}));
    EXPECT_FALSE(time.happens_before({2, 0}, {2, 0}));
}

TEST(LogicalTime, AReceiveWhoseSendWasLostDoesNotStopItsNode) {
    FarmTrace farm(chain3);
    farm.arrived(0, 0, 1).down(1, 0, 1).sent(2, 0, 1);
    const tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    const LogicalTime time(trace);
    EXPECT_THAT(time.unmatched_receives(), ElementsAre(EventRef{1, 0}));
    EXPECT_THAT(time.unmatched_sends(), ElementsAre(EventRef{0, 1}));
    EXPECT_THAT(time.stamp({1, 1}), ElementsAre(1, 2, 0));
    EXPECT_EQ(time.contradictions(), 0u);
}

TEST(LogicalTime, EqualMessagesArePairedInTheirOrder) {
    FarmTrace farm(chain3);
    farm.sent(5, 0, 1).sent(5, 0, 1).arrived(5, 0, 1).arrived(5, 0, 1);
    const tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    const LogicalTime time(trace);
    EXPECT_EQ(time.partner({1, 0}), (EventRef{0, 0}));
    EXPECT_EQ(time.partner({1, 1}), (EventRef{0, 1}));
}

TEST(LogicalTime, ACycleIsCountedAndDoesNotHang) {
    FarmTrace farm(chain3);
    // Each side receives before it sends: no history does that.
    farm.result_arrived(0, 0, 1).sent(0, 0, 1).arrived(0, 0, 1).result_sent(0, 0, 1);
    std::swap(farm.records()[0][0].seq, farm.records()[0][0].seq);
    const tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    EXPECT_EQ(LogicalTime(trace).contradictions(), 1u);
}

TEST(LogicalTime, StampsRebuiltFromCheckpointsAreThoseOfTheDefinition) {
    for (std::uint32_t seed = 1; seed <= 6; ++seed) {
        testing_support::FarmScenario scenario;
        scenario.spec = {static_cast<std::uint32_t>(4 + seed), farm_spec::TreeKind::Binary, 400, 2, 5};
        scenario.seed = seed;
        const tmon_streams::Trace trace =
            testing_support::run_abstract_farm(scenario).trace(tmon_streams::SessionEnd::StoodStill);
        const LogicalTime time(trace);
        const auto expected = stamps_by_definition(trace, time);
        for (std::uint16_t node = 0; node < trace.streams.size(); ++node) {
            for (std::uint32_t index = 0; index < expected[node].size(); index += 7) {
                ASSERT_EQ(time.stamp({node, index}), expected[node][index]) << "seed " << seed << " n" << node << ":" << index;
            }
        }
        EXPECT_THAT(time.unmatched_sends(), IsEmpty());
    }
}

TEST(LogicalTimeDeathTest, KnowsTheEventsOfItsTraceOnly) {
    FarmTrace farm(chain3);
    farm.down(0, 0, 1);
    const tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    const LogicalTime time(trace);
    for (const EventRef other : {EventRef{0, 1}, EventRef{2, 0}, EventRef{3, 0}}) {
        EXPECT_DEATH(time.event(other), "logical_time.event");
        EXPECT_DEATH(time.partner(other), "logical_time.partner");
        EXPECT_DEATH(time.stamp(other), "logical_time.stamp");
    }
}

}  // namespace
}  // namespace tmon_order
