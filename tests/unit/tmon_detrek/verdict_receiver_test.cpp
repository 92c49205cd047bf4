// Verdicts about node 0, when the final report and the records disagree about result_receiver() and data_generator(). They also
// show which places remain beside these two.
#include <gmock/gmock.h>

#include <tmon_detrek/verdict.hpp>
#include <tmon_streams/subtask_digits.hpp>
#include "farm_trace.hpp"

namespace tmon_detrek::verdict_receiver_cases {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::FarmTrace;

const farm_spec::FarmSpec chain{6, farm_spec::TreeKind::Chain, 10, 1, 1};
const PossiblePlace receiver{std::nullopt, 0, std::uint16_t{0}, "result_receiver()"};
const PossiblePlace generator{std::nullopt, 0, std::uint16_t{0}, "data_generator()"};
const PossiblePlace of_a_bundle{std::nullopt, 0, std::nullopt, "comp_fn()"};

farm_spec::FarmSpec bundled(farm_spec::FarmSpec spec, std::uint32_t granularity) {
    spec.granularity = granularity;
    return spec;
}
Verdict verdict_of(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec) {
    return analyse(trace, spec).verdict;
}
// Tasks that n1 computes.
FarmTrace& home(FarmTrace& farm, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t task = first; task <= last; task += farm.spec().granularity) farm.down(task, 0, 1).up(task, 0, 1);
    return farm;
}
FarmTrace home(const farm_spec::FarmSpec& spec, std::uint32_t last) {
    FarmTrace farm(spec);
    home(farm, 0, last);
    return farm;
}
// The last record of node 0 is lost.
void lose_the_last(tmon_streams::Trace& trace) {
    tmon_streams::Stream& stream = trace.streams[0];
    const auto all = stream.parts.at(0);
    const auto last = static_cast<std::uint32_t>(all.size() - 1);
    stream.parts = {all.first(last)};
    stream.losses = {{0, last, last, LossCause::BufferFull}};
}
std::vector<std::string> processes(const std::vector<PossiblePlace>& places) {
    std::vector<std::string> words;
    for (const PossiblePlace& each : places) words.push_back(each.process);
    return words;
}

// ---- records that contradict, and all results ----

TEST(Verdict, RecordsThatContradictAreNoNoFaultWhateverTheReportSays) {
    for (const bool lossy : {false, true}) {
        FarmTrace farm = home(chain, 9);
        tmon_streams::Trace trace = farm.up(5, 0, 1).trace(tmon_streams::SessionEnd::ProgramEnded);
        trace.dropped_messages = 3;  // more than the second result explains
        trace.reported_results = chain.tasks;
        if (lossy) lose_the_last(trace);
        const Verdict verdict = verdict_of(trace, chain);
        EXPECT_EQ(verdict.kind, VerdictKind::Unknown);
        EXPECT_FALSE(verdict.reported);
        EXPECT_THAT(verdict.depends_on, Contains(HasSubstr("contradict the specification or each other")));
        EXPECT_THAT(verdict.depends_on, Contains("messages or records were damaged"));
        EXPECT_THAT(verdict.sentence, HasSubstr("the final report says that every result came back"));
    }
}

TEST(Verdict, RecordsThatContradictAreNoNoFaultWithoutAReport) {
    FarmTrace farm = home(chain, 9);
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::Unknown);
    trace.suspect_records = 1;
    EXPECT_EQ(verdict_of(trace, chain).kind, VerdictKind::Unknown);
}

// Node 0 drops the second result: it does not wait for a task that is home, however often it sends that task.
TEST(Verdict, ATaskThatIsSentAgainAfterItsResultIsNotWaitedForAgain) {
    FarmTrace farm = home(chain, 9);
    farm.down(5, 0, 1).up(5, 0, 1);
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::ProgramEnded);
    trace.dropped_messages = 1;
    trace.reported_results = chain.tasks;
    const Verdict verdict = verdict_of(trace, chain);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    ASSERT_TRUE(verdict.contradiction.has_value());
    EXPECT_EQ(verdict.contradiction->event.task, 5u);
    EXPECT_EQ(verdict.process, "data_generator()");
}

// ---- a report of too few results ----

TEST(Verdict, AReportOfTooFewResultsNamesTheReceiverThoughTheRecordsHaveAll) {
    for (const std::uint64_t dropped : {0u, 1u}) {
        tmon_streams::Trace trace = home(chain, 9).trace(tmon_streams::SessionEnd::ProgramEnded, {5});
        trace.reported_results = 9;
        trace.dropped_messages = dropped;
        const Verdict verdict = verdict_of(trace, chain);
        EXPECT_EQ(verdict.kind, VerdictKind::Likely);
        EXPECT_THAT(verdict.sentence, StartsWith("Likely: result_receiver() on node 0 ended early: it took 9 of 10 results; "));
        EXPECT_THAT(verdict.sentence, Not(HasSubstr("did not end")));
        EXPECT_EQ(verdict.taken, 9u);
        EXPECT_EQ(verdict.not_taken, std::nullopt);
        EXPECT_EQ(verdict.task, std::nullopt);
        EXPECT_THAT(verdict.nodes, ElementsAre(0));
    }
}

TEST(Verdict, AReportOfTooFewResultsNamesTheReceiverThoughRecordsOfNode0AreLost) {
    FarmTrace farm = home(chain, 2);
    farm.down(3, 0, 1).result_sent(3, 0, 1).sent(4, 0, 1);
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::ProgramEnded);
    lose_the_last(trace);
    EXPECT_NE(verdict_of(trace, chain).process, "result_receiver()");
    trace.reported_results = 3;
    const Verdict verdict = verdict_of(trace, chain);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.sentence, StartsWith("Likely: result_receiver() on node 0 ended early: it took 3 of 10 results; "));
    EXPECT_EQ(verdict.not_taken, std::nullopt);
}

TEST(Verdict, WhatWholeRecordsShowStaysCertainAndHasTheNumber) {
    FarmTrace farm = home(chain, 2);
    tmon_streams::Trace trace = farm.down(3, 0, 1).result_sent(3, 0, 1).trace(tmon_streams::SessionEnd::ProgramEnded);
    trace.reported_results = 3;
    const Verdict verdict = verdict_of(trace, chain);
    EXPECT_EQ(verdict.sentence, "Certain: result_receiver() on node 0 ended early: it did not take the result of task 3.");
    EXPECT_EQ(verdict.taken, 3u);
    EXPECT_EQ(verdict.not_taken, 3u);
}

// Both may have ended early: data_generator() returned after five tasks, or result_receiver() ended the program.
TEST(Verdict, ATaskThatWasNeverSentIsSaidOfAReceiverThatEndedEarly) {
    tmon_streams::Trace trace = home(chain, 4).trace(tmon_streams::SessionEnd::ProgramEnded);
    trace.reported_results = 5;
    const Verdict verdict = verdict_of(trace, chain);
    EXPECT_EQ(verdict.sentence,
              "Certain: result_receiver() on node 0 ended early: it did not take the result of task 5; task 5 was never sent.");
    EXPECT_THAT(verdict.also_possible, ElementsAre(PossiblePlace{5, 0, std::uint16_t{0}, "data_generator()"}));
}

TEST(Verdict, AManagerThatIsAloneAndTookTooFewEndedEarly) {
    farm_spec::FarmSpec spec = chain;
    spec.survives = true;
    FarmTrace farm(spec);
    tmon_streams::Trace trace = farm.down(0, 0, 1).trace(tmon_streams::SessionEnd::ProgramEnded, {1, 2, 3, 4, 5});
    trace.reported_results = 3;
    EXPECT_EQ(verdict_of(trace, spec).process, "result_receiver()");
}

// ---- node 0 without records ----

TEST(Verdict, AManagerThatNeverRecordedProvesNothingThoughEveryNodeEnded) {
    FarmTrace farm(chain);
    farm.arrived(0, 0, 1).result_sent(0, 0, 1);
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill), chain);
    EXPECT_EQ(verdict.kind, VerdictKind::Unknown);
    EXPECT_THAT(verdict.depends_on, ElementsAre("node 0 lives and has no record, so its monitor may never have begun"));
    const FarmTrace nothing(chain);
    EXPECT_EQ(verdict_of(nothing.trace(tmon_streams::SessionEnd::StoodStill), chain).kind, VerdictKind::Certain);
}

// ---- the places that remain ----

TEST(Verdict, WhenEveryTaskFinishedSilentNodesAndTheReceiverRemain) {
    const Verdict verdict = verdict_of(home(chain, 9).trace(tmon_streams::SessionEnd::StoodStill, {5}), chain);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.fell_silent, ElementsAre(5));
    EXPECT_THAT(verdict.also_possible, ElementsAre(receiver));
    const farm_spec::FarmSpec spec = bundled(chain, 2);
    EXPECT_THAT(verdict_of(home(spec, 9).trace(tmon_streams::SessionEnd::StoodStill, {5}), spec).also_possible,
                ElementsAre(receiver, of_a_bundle));
}

// The generator may hang after its last do_task().
TEST(Verdict, WhenEveryTaskFinishedTheGeneratorRemainsBesideTheReceiver) {
    const Verdict verdict = verdict_of(home(chain, 9).trace(tmon_streams::SessionEnd::StoodStill), chain);
    EXPECT_EQ(verdict.process, "result_receiver()");
    EXPECT_THAT(verdict.also_possible, ElementsAre(generator));
    EXPECT_THAT(verdict.sentence, HasSubstr("; also possible: data_generator() on node 0; "));
}

TEST(Verdict, AFirstTaskThatADamagedLinkMayHaveKeptMayBeOnItsWay) {
    const FarmTrace farm(chain);
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    trace.dropped_messages = 1;
    const Verdict verdict = verdict_of(trace, chain);
    EXPECT_EQ(verdict.process, "data_generator()");
    EXPECT_THAT(verdict.also_possible, ElementsAre(PossiblePlace{0, 0, std::uint16_t{1}, "Distributing"}));
}

// Nothing is settled where a message was damaged.
TEST(Verdict, WhatALivingNodeHasMayBeOnItsWayToASilentChild) {
    FarmTrace farm = home(chain, 4);
    tmon_streams::Trace trace = farm.down(5, 0, 1).down(5, 0, 2).trace(tmon_streams::SessionEnd::StoodStill, {3, 4, 5});
    trace.dropped_messages = 1;
    const Verdict verdict = verdict_of(trace, chain);
    EXPECT_THAT(verdict.nodes, ElementsAre(2));
    EXPECT_THAT(verdict.also_possible, Contains(PossiblePlace{5, 0, std::uint16_t{3}, "Distributing"}));
}

TEST(Verdict, OfBundlesATaskOfAnEarlierOneRemains) {
    const farm_spec::FarmSpec spec = bundled({4, farm_spec::TreeKind::Chain, 20, 1, 1}, 2);
    FarmTrace farm = home(spec, 9);
    farm.down(10, 0, 1).down(10, 0, 2).down(10, 0, 3);
    EXPECT_THAT(verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill), spec).also_possible, Contains(of_a_bundle));
}

// ---- contradictions ----

// 5 is given out twice, and 6 never: the second was 6.
TEST(Verdict, ATaskNumberThatWasGivenOutTwiceIsThatOfTheOneThatIsMissing) {
    FarmTrace farm = home(chain, 5);
    home(farm.down(5, 0, 1).up(5, 0, 1), 7, 9);
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill), chain);
    EXPECT_EQ(verdict.task, 6u);
    EXPECT_EQ(verdict.process, "data_generator()");
    ASSERT_FALSE(verdict.also_possible.empty());
    EXPECT_EQ(verdict.also_possible.front().task, 5u);
}

TEST(Verdict, ATaskNumberThatWasGivenOutTwiceIsItselfWhenNoneIsMissing) {
    FarmTrace farm = home(chain, 5);
    home(farm.down(5, 0, 1).up(5, 0, 1), 6, 9);
    EXPECT_EQ(verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill), chain).task, 5u);
    FarmTrace stopped = home(chain, 5);  // and nothing after it
    EXPECT_EQ(verdict_of(stopped.down(5, 0, 1).up(5, 0, 1).trace(tmon_streams::SessionEnd::StoodStill), chain).task, 5u);
}

// A surplus message has the number of another task: the tasks that left before and after it were in hand.
TEST(Verdict, WhatLeftBesideAMessageTooManyRemains) {
    FarmTrace farm = home(chain, 3);
    farm.down(4, 0, 1).down(5, 0, 1).up(4, 0, 1).up(2, 0, 1).up(5, 0, 1);
    const Verdict verdict = verdict_of(home(farm, 6, 9).trace(tmon_streams::SessionEnd::ProgramEnded), chain);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    std::vector<std::uint32_t> tasks{*verdict.task};
    for (const PossiblePlace& place : verdict.also_possible) tasks.push_back(*place.task);
    EXPECT_THAT(tasks, testing::UnorderedElementsAre(2, 4, 5));
}

TEST(Verdict, SubTaskNumbersHaveNoMoreDigitsThanFit) {
    EXPECT_EQ(tmon_streams::low_digits(1), 0xfu);
    EXPECT_EQ(tmon_streams::low_digits(7), 0xfffffffu);
    for (const unsigned levels : {8u, 9u, 20u}) EXPECT_EQ(tmon_streams::low_digits(levels), 0xffffffffu);
}

// ---- what is said ----

TEST(Verdict, DoubtsAreJoinedBySemicolons) {
    tmon_streams::Trace trace = home(chain, 9).trace(tmon_streams::SessionEnd::StoodStill, {5});
    trace.marks_take_other_ways = true;
    EXPECT_THAT(verdict_of(trace, chain).sentence,
                HasSubstr("so they do not show that these carry anything; no record tells what node 0 did after the last "
                          "result; the end of the farm waits"));
}

TEST(Verdict, TheGeneratorHasWholeTasks) {
    const farm_spec::FarmSpec spec{6, farm_spec::TreeKind::Binary, 10, 2, 2};
    FarmTrace farm(spec);
    const Verdict verdict =
        verdict_of(farm.finish_tasks(0, 2).trace(tmon_streams::SessionEnd::StoodStill, {1, 2, 3, 4, 5}), spec);
    EXPECT_THAT(processes(verdict.also_possible), Contains("data_generator()"));
    EXPECT_THAT(verdict.sentence, HasSubstr("; also possible: task 3 in data_generator() on node 0"));
}

}  // namespace
}  // namespace tmon_detrek::verdict_receiver_cases
