// Stories of traces written by hand, and of random farms whose true end is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <tmon_stories/story_report.hpp>
#include <tmon_stories/task_picture.hpp>
#include <vocabulary/errors.hpp>

#include "abstract_farm.hpp"
#include "farm_trace.hpp"

namespace {

using testing_support::FarmTrace;
using tmon_stories::Certainty;
using tmon_stories::Stories;
using tmon_stories::TaskStory;
using tmon_stories::Wait;
using tmon_stories::Where;
using tmon_streams::SessionEnd;

farm_spec::FarmSpec dividing_farm() {
    farm_spec::FarmSpec spec;
    spec.nodes = 8;
    spec.tasks = 10;
    spec.degree = 2;
    spec.depth = 5;
    return spec;
}

// The thesis' first session: task 1 crashes the leaves, and task 2 waits on n2 and n3.
FarmTrace crashed_leaves() {
    FarmTrace farm(dividing_farm());
    farm.finish_tasks(0, 0).down(1, 0, 1).split_to_leaves(1, 0, 1);
    farm.down(2, 0, 1).down(2, 0, 2).down(2, 0x10, 3);
    return farm;
}
Stories stories_of(const FarmTrace& farm, std::initializer_list<std::uint16_t> open, SessionEnd how = SessionEnd::StoodStill) {
    return Stories(farm.trace(how, open), farm.spec());
}

TEST(Stories, TellTheWayOfAFinishedTask) {
    const FarmTrace farm = crashed_leaves();
    const Stories stories = stories_of(farm, {4, 5, 6, 7});
    const TaskStory story = stories.story(0);
    EXPECT_TRUE(story.finished);
    ASSERT_TRUE(story.finished_by);
    EXPECT_EQ(story.finished_by->node, 0);
    EXPECT_EQ(story.parts.size(), 7u);
    EXPECT_FALSE(story.told_in_part);
    for (const auto& part : story.parts) EXPECT_EQ(part.moves.size(), 2u) << part.worker;
}

TEST(Stories, NameTheSilentLeavesThatHaveTheParts) {
    const FarmTrace farm = crashed_leaves();
    const TaskStory story = stories_of(farm, {4, 5, 6, 7}).story(1);
    ASSERT_EQ(story.stops.size(), 4u);
    for (std::uint16_t i = 0; i < 4; ++i) {
        EXPECT_EQ(story.stops[i].place.node, 4 + i);
        EXPECT_EQ(story.stops[i].place.where, Where::AtOrBelow);
        EXPECT_EQ(story.stops[i].place.certainty, Certainty::Certain);
        EXPECT_EQ(story.stops[i].place.rests_on.size(), 2u);
    }
}

TEST(Stories, FollowTheWaitsToTheVerdictsPlace) {
    const FarmTrace farm = crashed_leaves();
    const Stories stories = stories_of(farm, {4, 5, 6, 7});
    const auto chain = stories.why(2);
    ASSERT_EQ(chain.links.size(), 3u);
    EXPECT_EQ(chain.links[0].wait, Wait::ForParts);
    EXPECT_EQ(chain.links[1].wait, Wait::ForChild);
    EXPECT_EQ(chain.links[1].certainty, Certainty::Likely);
    EXPECT_EQ(chain.links[2].wait, Wait::Root);
    EXPECT_EQ(chain.links[2].task, 1u);
    EXPECT_EQ(chain.links[2].node, 4);
    EXPECT_TRUE(chain.root_is_the_verdicts);
    EXPECT_TRUE(stories.why(0).finished);
    EXPECT_TRUE(stories.why(0).links.empty());
}

TEST(Stories, ACutSessionLeavesNothingCertain) {
    const FarmTrace farm = crashed_leaves();
    const TaskStory story = stories_of(farm, {4, 5, 6, 7}, SessionEnd::Cut).story(1);
    for (const auto& stop : story.stops) EXPECT_EQ(stop.place.certainty, Certainty::Likely);
}

// The link to n1 may have failed between the arrival of a task and its acknowledgement: n0 has no record of such a send.
TEST(Stories, ATaskWithoutARecordMayBeOnASilentChildOfTheManager) {
    FarmTrace farm(dividing_farm());
    farm.finish_tasks(0, 0);
    const TaskStory story = stories_of(farm, {1, 2, 3, 4, 5, 6, 7}).story(1);
    ASSERT_EQ(story.stops.size(), 1u);
    EXPECT_EQ(story.stops[0].place.where, Where::NotSent);
    EXPECT_EQ(story.stops[0].place.certainty, Certainty::Likely);
    EXPECT_EQ(stories_of(farm, {4}).story(1).stops.at(0).place.certainty, Certainty::Certain);
}

TEST(Stories, LostRecordsOfTheDecidingNodesMakeAPlaceUnknown) {
    const FarmTrace farm = crashed_leaves();
    tmon_streams::Trace trace = farm.trace(SessionEnd::StoodStill, {4, 5, 6, 7});
    for (const std::uint16_t node : {0, 1, 2}) {
        const auto seq = static_cast<std::uint32_t>(farm.trace(SessionEnd::StoodStill, {}).streams[node].size());
        tmon_streams::LossRange range;
        range.node = node;
        range.first_seq = seq;
        range.last_seq = seq + 3;
        range.cause = tmon_streams::LossCause::BufferFull;
        trace.streams[node].losses = {range};
    }
    const Stories stories(trace, farm.spec());
    const TaskStory story = stories.story(1);
    EXPECT_EQ(story.certainty, Certainty::Unknown);
    EXPECT_NE(tmon_stories::story_text(stories, story).find("as far as the records reach"), std::string::npos);
}

TEST(Stories, TellOfAPartAlone) {
    const FarmTrace farm = crashed_leaves();
    const TaskStory story = stories_of(farm, {4, 5, 6, 7}).story(1, 0x10);
    ASSERT_EQ(story.parts.size(), 4u);  // n1, n3 and its two leaves
    EXPECT_EQ(story.stops.size(), 2u);
}

TEST(Stories, RefuseNumbersThatNoTaskHas) {
    const FarmTrace farm = crashed_leaves();
    const Stories stories = stories_of(farm, {});
    EXPECT_THROW(stories.story(10), vocabulary::RequestError);
    EXPECT_THROW(stories.why(10), vocabulary::RequestError);
    EXPECT_THROW(stories.story(1, 0x20), vocabulary::RequestError);
}

TEST(Stories, ARecordThatFollowsFromOthersIsALostOne) {
    FarmTrace farm(dividing_farm());
    farm.down(0, 0, 1).down(0, 0, 2).down(0, 0x10, 3).up(0, 0, 2);
    farm.records()[2].clear();
    const Stories stories = stories_of(farm, {2});
    const TaskStory story = stories.story(0);
    EXPECT_TRUE(story.told_in_part);
    const std::string events = tmon_stories::picture_dot(stories, story, tmon_stories::Picture::Events);
    EXPECT_NE(events.find("no record"), std::string::npos);
    EXPECT_NE(events.find("shape=octagon"), std::string::npos);
}

TEST(Stories, APictureHasAVertexForEachEventProcessAndNode) {
    const FarmTrace farm = crashed_leaves();
    const Stories stories = stories_of(farm, {4, 5, 6, 7});
    using tmon_stories::Picture;
    EXPECT_EQ(tmon_stories::picture_size(stories, stories.story(1), Picture::Events), 15u);  // source and 14 events
    EXPECT_EQ(tmon_stories::picture_size(stories, stories.story(1), Picture::Coalesced), 8u);
    EXPECT_EQ(tmon_stories::picture_size(stories, stories.story(0), Picture::Events), 30u);
    EXPECT_EQ(tmon_stories::picture_size(stories, stories.story(1), Picture::Tree), 8u);
}

// Random farms: what is said to be certain of a task is so at the end of its history.
bool lies_there(const testing_support::FarmHistory& history, const farm_spec::FarmTree& tree, std::uint32_t task,
                const tmon_stories::Stop& stop, const tmon_stories::Part& part) {
    const auto below = [&](std::uint16_t node) {
        for (auto at = std::optional(node); at; at = tree.parent(*at))
            if (*at == part.worker) return true;
        return false;
    };
    const bool edge_counts = stop.place.where != Where::On;  // what is on a link lies on the node that sends
    return std::any_of(history.left.begin(), history.left.end(), [&](const testing_support::TrueStop& left) {
        if (!edge_counts) return left.task == task && left.node == part.worker;
        return left.task == task && (below(left.node) || left.node == part.parent);
    });
}
bool has_left_node_0(const testing_support::FarmHistory& history, std::uint32_t task) {
    return std::any_of(history.left.begin(), history.left.end(),
                       [task](const testing_support::TrueStop& left) { return left.task == task && left.node != 0; });
}

// A node loses some records in the middle, and says so.
void lose_some(tmon_streams::Trace& trace, std::uint32_t seed) {
    tmon_streams::Stream& stream = trace.streams[seed / 7 % trace.streams.size()];
    std::vector<trace_record::Event> records;
    for (const auto part : stream.parts) records.insert(records.end(), part.begin(), part.end());
    if (records.size() < 4) return;
    const std::size_t first = seed / 3 % (records.size() - 1),
                      count = std::min<std::size_t>(1 + seed % 4, records.size() - first);
    tmon_streams::LossRange range;
    range.node = stream.node;
    range.first_seq = records[first].seq;
    range.last_seq = records[first + count - 1].seq;
    range.cause = tmon_streams::LossCause::BufferFull;
    stream.losses = {range};
    records.erase(records.begin() + static_cast<std::ptrdiff_t>(first),
                  records.begin() + static_cast<std::ptrdiff_t>(first + count));
    const auto kept = std::make_shared<const std::vector<trace_record::Event>>(std::move(records));
    const std::span<const trace_record::Event> all(*kept);
    stream.parts.clear();
    if (first > 0) stream.parts.push_back(all.first(first));
    if (first < all.size()) stream.parts.push_back(all.subspan(first));
    trace.keep.push_back(kept);
}

TEST(Stories, NothingCertainIsFalseInRandomFarms) {
    unsigned certain = 0, unknown = 0;
    for (std::uint32_t seed = 1; seed <= 1200; ++seed) {
        testing_support::FarmScenario scenario;
        scenario.spec = dividing_farm();
        if (seed % 3 == 0) scenario.spec.degree = 1;
        scenario.seed = seed;
        testing_support::Fault fault;
        fault.task = seed % 10;
        fault.kills_node = seed % 2 == 0;
        scenario.faults = {fault};
        if (seed % 5 == 0)
            scenario.strikes = {{static_cast<testing_support::HardwareFault>(seed / 5 % 3),
                                 static_cast<std::uint16_t>(1 + seed % 7), seed % 150}};
        const auto history = run_abstract_farm(scenario);
        tmon_streams::Trace trace = history.trace(SessionEnd::StoodStill);
        for (tmon_streams::Stream& stream : trace.streams)
            if (history.dead[stream.node] || history.cut_off[stream.node]) stream.state = tmon_streams::StreamState::Open;
        if (seed % 4 == 1) lose_some(trace, seed);
        const Stories stories(trace, scenario.spec);
        for (std::uint32_t task = 0; task < scenario.spec.tasks; ++task) {
            const TaskStory story = stories.story(task);
            if (story.finished) {
                EXPECT_TRUE(history.at_home.contains(task)) << seed << ", task " << task;
            }
            for (const auto& stop : story.stops) {
                unknown += stop.place.certainty == Certainty::Unknown ? 1 : 0;
                if (stop.place.certainty != Certainty::Certain) continue;
                ++certain;
                EXPECT_FALSE(history.at_home.contains(task)) << seed << ", task " << task;
                if (story.parts.empty()) {
                    EXPECT_FALSE(has_left_node_0(history, task)) << seed << ", task " << task;
                    continue;
                }
                EXPECT_TRUE(lies_there(history, stories.analysis().graphs.tree(), task, stop, story.parts[stop.part]))
                    << seed << ", task " << task << ": " << tmon_stories::story_text(stories, story);
            }
        }
    }
    EXPECT_GT(certain, 1000u);
    EXPECT_GT(unknown, 20u);
}

}  // namespace
