#include <tmon_streams/task_view.hpp>

#include <gmock/gmock.h>

#include <tmon_detrek/verdict.hpp>
#include "farm_trace.hpp"

namespace tmon_streams {
namespace {

using testing_support::FarmTrace;
using trace_record::ClassSet;
using trace_record::EventClass;

const farm_spec::FarmSpec chain{3, farm_spec::TreeKind::Chain, 8, 1, 1};

// Leaf 2 hangs in task 3; every node has its end mark.
FarmTrace hanging_leaf() {
    FarmTrace farm(chain);
    farm.finish_tasks(0, 2);
    farm.down(3, 0, 1).down(3, 0, 2);
    return farm;
}

// A message record behind each task record, with its number.
std::vector<Event> with_detail(const std::vector<Event>& tasks) {
    std::vector<Event> all;
    for (Event event : tasks) {
        event.seq = static_cast<std::uint32_t>(all.size());
        all.push_back(event);
        all.push_back({.time_us = event.time_us,
                       .seq = event.seq + 1,
                       .task = 77,
                       .node = event.node,
                       .peer = 40,
                       .kind = EventKind::MessageSend});
    }
    return all;
}

struct Detailed {
    explicit Detailed(FarmTrace farm) : collector(static_cast<std::uint16_t>(farm.records().size())) {
        for (const auto& tasks : farm.records()) records.push_back(with_detail(tasks));
    }
    tmon_detrek::Verdict verdict() const {
        return tmon_detrek::analyse(collector.finish(SessionEnd::StoodStill), chain).verdict;
    }
    Collector collector;
    std::vector<std::vector<Event>> records;
};

TEST(TaskView, OfATraceOfTasksIsTheTrace) {
    FarmTrace farm = hanging_leaf();
    const Trace trace = farm.trace(SessionEnd::StoodStill);
    const Trace view = task_view(trace);
    ASSERT_EQ(view.streams.size(), trace.streams.size());
    for (std::size_t node = 0; node < view.streams.size(); ++node) {
        ASSERT_EQ(view.streams[node].parts.size(), trace.streams[node].parts.size());
        EXPECT_EQ(view.streams[node].parts[0].data(), trace.streams[node].parts[0].data()) << "no record was copied";
        EXPECT_EQ(view.streams[node].state, trace.streams[node].state);
    }
    EXPECT_EQ(view.session, trace.session);
}

TEST(TaskView, LeavesOtherRecordsOutAndKeepsNumbers) {
    Detailed farm(hanging_leaf());
    farm.collector.receive(1, 0, farm.records[1], 99);
    const Trace trace = farm.collector.finish();
    const Trace view = task_view(trace);
    EXPECT_EQ(view.streams[1].size() * 2, trace.streams[1].size());
    EXPECT_EQ(view.streams[1].parts[0][3].seq, 6u);
    EXPECT_EQ(view.streams[1].unloaded(0), 99u);
    EXPECT_EQ(view.streams[0].size(), 0u);
}

TEST(TaskView, OtherClassesChangeNoVerdict) {
    Detailed farm(hanging_leaf());
    for (std::uint16_t node = 0; node < 3; ++node) {
        farm.collector.receive(node, 0, farm.records[node]);
        farm.collector.end(node, static_cast<std::uint32_t>(farm.records[node].size()));
    }
    const tmon_detrek::Verdict plain = tmon_detrek::analyse(hanging_leaf().trace(SessionEnd::StoodStill), chain).verdict;
    EXPECT_EQ(plain.kind, tmon_detrek::VerdictKind::Certain);
    EXPECT_EQ(farm.verdict().sentence, plain.sentence);
}

// All detail of node 1 was thinned out, and its tail was lost, too, when `classes` says that it may have been anything.
TEST(TaskView, ALossThatMayHideATaskEventIsLookedInto) {
    for (const ClassSet classes : {ClassSet::of(EventClass::Message), ClassSet::of(EventClass::Message, EventClass::Task)}) {
        Detailed farm(hanging_leaf());
        for (std::uint16_t node = 0; node < 3; ++node) {
            const auto& records = farm.records[node];
            for (const Event& event : records) {
                if (is_task_event(event) || node != 1) {
                    farm.collector.receive(node, event.seq, std::span(&event, 1));
                } else {
                    farm.collector.dropped({node, event.seq, event.seq, LossCause::Thinned, classes});
                }
            }
            farm.collector.end(node, static_cast<std::uint32_t>(records.size()));
        }
        const bool may_be_task = classes.has(EventClass::Task);
        const tmon_detrek::Verdict verdict = farm.verdict();
        EXPECT_EQ(verdict.kind, tmon_detrek::VerdictKind::Certain);
        EXPECT_EQ(verdict.histories.has_value(), may_be_task) << "the neighbours saw everything that node 1 can have done";
    }
}

TEST(TaskView, AGapThatNobodyExplainedMayHideATask) {
    Detailed farm(hanging_leaf());
    for (std::uint16_t node = 0; node < 3; ++node) {
        for (const Event& event : farm.records[node])
            if (is_task_event(event)) farm.collector.receive(node, event.seq, std::span(&event, 1));
        farm.collector.end(node, static_cast<std::uint32_t>(farm.records[node].size()));
    }
    EXPECT_EQ(farm.verdict().kind, tmon_detrek::VerdictKind::Unknown);
}

TEST(TaskView, WithTaskEventsSwitchedOffAllTheTimeNothingIsKnown) {
    Collector collector(3);
    for (std::uint16_t node = 0; node < 3; ++node) {
        collector.dropped({node, 0, 19, LossCause::SwitchedOff, ClassSet::of(EventClass::Task), 10, 900});
        collector.end(node, 20);
    }
    const tmon_detrek::Verdict verdict = tmon_detrek::analyse(collector.finish(SessionEnd::StoodStill), chain).verdict;
    EXPECT_EQ(verdict.kind, tmon_detrek::VerdictKind::Unknown);
    EXPECT_THAT(verdict.depends_on, testing::Contains("records n0:0-19 (task events were switched off) are missing"));
}

TEST(TaskView, ClassesHaveOneText) {
    EXPECT_EQ(classes_text(ClassSet::of(EventClass::Task)), "task");
    EXPECT_EQ(classes_text(ClassSet::of(EventClass::User, EventClass::Message)), "message+user");
    EXPECT_EQ(classes_text(ClassSet::all()), "all");
}

TEST(TaskView, TheTextOfLossesIsShort) {
    const ClassSet messages = ClassSet::of(EventClass::Message);
    const std::vector<LossRange> losses = {{0, 3, 17, LossCause::BufferFull},
                                           {0, 20, 20, LossCause::Thinned, messages},
                                           {0, 22, 31, LossCause::Thinned, messages},
                                           {0, 40, 40, LossCause::Unknown}};
    EXPECT_EQ(losses_text(losses, 2), "3-17 (buffer-full), 20-20 (thinned, message only), and 2 more with 11 records");
    EXPECT_EQ(losses_text({}, 2), "");
}

}  // namespace
}  // namespace tmon_streams
