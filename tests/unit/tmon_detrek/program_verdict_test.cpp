// Verdicts on a program that is no farm: a halo exchange, by its fault model.
#include <gmock/gmock.h>

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include <tmon_detrek/detrek.hpp>
#include <tmon_streams/thesis_files.hpp>
#include <vocabulary/source_position.hpp>
#include "farm_trace.hpp"

namespace tmon_detrek {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing_support::TestFolder;
using tmon_streams::SessionEnd;
using tmon_streams::StreamState;

farm_spec::FarmSpec chain_of(std::uint32_t nodes, std::uint32_t units) {
    farm_spec::FarmSpec spec;
    spec.nodes = nodes;
    spec.tree = farm_spec::TreeKind::Chain;
    spec.tasks = units;
    spec.model = "halo";
    return spec;
}

// A run of the program on a chain, node by node.
class HaloTrace {
public:
    HaloTrace(std::uint16_t nodes, std::uint32_t units) : spec(chain_of(nodes, units)), records_(nodes) {}

    HaloTrace& sends(std::uint16_t node, std::uint32_t unit) { return moves(node, unit, EventKind::Send); }
    HaloTrace& receives(std::uint16_t node, std::uint32_t unit) { return moves(node, unit, EventKind::Receive); }
    HaloTrace& move(std::uint16_t node, std::uint16_t peer, std::uint32_t unit, EventKind kind) {
        Event event;
        event.node = node;
        event.peer = peer;
        event.task = unit;
        event.kind = kind;
        event.is_result = (peer < node) == (kind == EventKind::Send) ? 1 : 0;
        event.seq = static_cast<std::uint32_t>(records_[node].size());
        event.time_us = 100 * (event.seq + std::uint64_t{1});
        records_[node].push_back(event);
        return *this;
    }
    HaloTrace& exchanges(std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t unit = from; unit <= to; ++unit) {
            for (std::uint16_t node = 0; node < records_.size(); ++node) sends(node, unit);
            for (std::uint16_t node = 0; node < records_.size(); ++node) receives(node, unit);
        }
        return *this;
    }
    void keep_first(std::uint16_t node, std::size_t count) { records_[node].resize(count); }

    tmon_streams::Trace trace(SessionEnd end, const std::vector<std::uint16_t>& open = {}) const {
        const auto kept = std::make_shared<std::vector<std::vector<Event>>>(records_);
        tmon_streams::Trace trace;
        trace.session = end;
        for (std::uint16_t node = 0; node < kept->size(); ++node) {
            tmon_streams::Stream stream;
            stream.node = node;
            const bool is_open = std::find(open.begin(), open.end(), node) != open.end();
            stream.state = is_open ? StreamState::Open : StreamState::Finished;
            if (!(*kept)[node].empty()) stream.parts.emplace_back((*kept)[node]);
            trace.streams.push_back(std::move(stream));
        }
        trace.keep.push_back(kept);
        return trace;
    }

    farm_spec::FarmSpec spec;

private:
    HaloTrace& moves(std::uint16_t node, std::uint32_t unit, EventKind kind) {
        if (node > 0) move(node, static_cast<std::uint16_t>(node - 1), unit, kind);
        if (node + 1U < records_.size()) move(node, static_cast<std::uint16_t>(node + 1), unit, kind);
        return *this;
    }
    std::vector<std::vector<Event>> records_;
};

TEST(ProgramVerdict, ACompletedRunHasNoFault) {
    HaloTrace halo(4, 5);
    halo.exchanges(0, 4);
    const DetrekResult result = report_detrek(halo.trace(SessionEnd::ProgramEnded), halo.spec, {});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.text, StartsWith("No fault: each node completed every exchange, 5 in all."));
    EXPECT_EQ(analyse(halo.trace(SessionEnd::StoodStill), halo.spec).verdict.kind, VerdictKind::Unknown);
}

TEST(ProgramVerdict, TheNodeThatWaitsForNobodyIsNamed) {
    HaloTrace halo(4, 5);
    halo.exchanges(0, 1);
    for (const std::uint16_t node : {0, 1, 3}) halo.sends(node, 2);
    halo.move(0, 1, 2, EventKind::Receive).move(1, 0, 2, EventKind::Receive).sends(0, 3);
    const DetrekResult result = report_detrek(halo.trace(SessionEnd::StoodStill), halo.spec, {});
    EXPECT_EQ(result.verdict.kind, VerdictKind::Certain);
    EXPECT_EQ(result.verdict.task, 2U);
    EXPECT_EQ(result.verdict.nodes, (std::vector<std::uint16_t>{2}));
    EXPECT_EQ(result.verdict.process, "step_fn()");
    EXPECT_EQ(result.verdict.finished_below, 2U);
    EXPECT_EQ(
        result.text,
        "Certain: exchange 2 stopped in step_fn() on node 2; no lost record could change this, and no record tells whether "
        "the function or a link failed.\nIt rests on n2:7.\n\nFailure\nTASK SUBTASK NODE PROCESS\n2 0 2 step_fn()\n");
    const auto json = nlohmann::json::parse(result.json);
    EXPECT_EQ(json["verdict"]["model"], "halo");
    EXPECT_EQ(json["verdict"]["unit"], "exchange");
    EXPECT_EQ(json["failures"][0]["error"], "held");
    EXPECT_EQ(json["failures"][0]["event"], "n2:7");
    EXPECT_EQ(json["statistics"]["contradictions"], 0);
}

TEST(ProgramVerdict, AMessageThatDidNotArriveIsExchanging) {
    HaloTrace halo(3, 4);
    halo.exchanges(0, 0);
    for (const std::uint16_t node : {0, 1, 2}) halo.sends(node, 1);
    halo.receives(0, 1).sends(0, 2).move(1, 0, 1, EventKind::Receive).receives(2, 1).sends(2, 2);
    const Verdict verdict = analyse(halo.trace(SessionEnd::StoodStill), halo.spec).verdict;
    EXPECT_EQ(verdict.kind, VerdictKind::Certain);
    EXPECT_EQ(verdict.task, 1U);
    EXPECT_EQ(verdict.nodes, (std::vector<std::uint16_t>{1}));
    EXPECT_EQ(verdict.process, "Exchanging");
}

TEST(ProgramVerdict, ASilentNodeIsLikelyAndItsSubtreeIsNot) {
    HaloTrace halo(4, 9);
    halo.exchanges(0, 5);
    halo.sends(0, 6).sends(1, 6).sends(3, 6).receives(0, 6).move(1, 0, 6, EventKind::Receive);
    halo.keep_first(2, 12);
    halo.keep_first(3, 3);
    const Verdict verdict = analyse(halo.trace(SessionEnd::StoodStill, {2, 3}), halo.spec).verdict;
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.nodes, (std::vector<std::uint16_t>{2}));
    EXPECT_EQ(verdict.task, 6U);
    EXPECT_EQ(verdict.process, "step_fn()");
    EXPECT_THAT(verdict.sentence, HasSubstr("which fell silent"));
    EXPECT_FALSE(verdict.also_possible.empty());
}

TEST(ProgramVerdict, ALikelyAnswerShowsAnotherHistoryWithItsLostRecords) {
    HaloTrace halo(3, 4);
    halo.exchanges(0, 1).sends(0, 2).sends(1, 2).receives(0, 2);
    halo.keep_first(2, 4);  // of exchanges 0 and 1, all that it did
    const DetrekResult result = report_detrek(halo.trace(SessionEnd::StoodStill, {2}), halo.spec, {});
    ASSERT_EQ(result.verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(result.verdict.process, "step_fn()");
    ASSERT_EQ(result.verdict.counter_histories.size(), 1U);
    const CounterHistory& counter = result.verdict.counter_histories.front();
    EXPECT_EQ(counter.text,
              "if these records were lost: n2 sent exchange 2 to n1, n2 received exchange 2 from n1, n2 sent exchange 3 to n1, "
              "then exchange 2 stopped in Exchanging on node 1");
    EXPECT_EQ(counter.task, 2U);
    ASSERT_EQ(counter.records.size(), 3U);
    EXPECT_EQ(counter.records.front().kind, EventKind::Send);
    EXPECT_EQ(result.verdict.deciding.size(), 2U);
    EXPECT_THAT(result.text, HasSubstr("\nIt could also be: if these records were lost: n2 sent exchange 2 to n1, "));
    EXPECT_THAT(result.text, HasSubstr("\nIt would decide to know whether n2 sent exchange 2 to n1, and whether n2 received "
                                       "exchange 2 from n1.\n"));
}

TEST(ProgramVerdict, AnUnknownAnswerShowsTwoHistories) {
    HaloTrace halo(3, 4);
    halo.exchanges(0, 1).sends(0, 2);
    tmon_streams::Trace trace = halo.trace(SessionEnd::StoodStill);
    trace.streams[1].losses.push_back({.node = 1, .first_seq = 8, .last_seq = 9});  // both sends of exchange 2, or neither
    const Verdict verdict = analyse(trace, halo.spec).verdict;
    ASSERT_EQ(verdict.kind, VerdictKind::Unknown);
    ASSERT_EQ(verdict.counter_histories.size(), 2U);
    EXPECT_NE(verdict.counter_histories[0].text, verdict.counter_histories[1].text);
    for (const CounterHistory& counter : verdict.counter_histories)
        EXPECT_EQ(counter.records.size() + counter.unlisted, 2U) << counter.text;
}

TEST(ProgramVerdict, ASessionThatDidNotBeginHasTwoHistoriesWithoutRecords) {
    const auto texts = [](const Verdict& verdict) {
        std::vector<std::string> all;
        for (const CounterHistory& counter : verdict.counter_histories) all.push_back(counter.text);
        return all;
    };
    const HaloTrace halo(3, 4);
    EXPECT_THAT(texts(analyse(halo.trace(SessionEnd::NeverBegan, {0, 1, 2}), halo.spec).verdict),
                testing::ElementsAre("with the same records: a node or a link failed before the program began",
                                     "with the same records: nothing failed, and loading took longer than the session"));
}

// It waits at its first record, so what came from it is no contradiction.
TEST(ProgramVerdict, ANodeWhoseMonitorNeverBeganContradictsNobody) {
    HaloTrace halo(2, 4);
    halo.move(1, 0, 0, EventKind::Send).move(1, 0, 0, EventKind::Receive);
    EXPECT_EQ(analyse(halo.trace(SessionEnd::StoodStill), halo.spec).graphs.findings(), 0U);
    halo.move(1, 0, 1, EventKind::Send).move(1, 0, 1, EventKind::Receive);
    EXPECT_EQ(analyse(halo.trace(SessionEnd::StoodStill), halo.spec).graphs.findings(), 1U) << "a second one";
}

TEST(ProgramVerdict, DoubtsAndContradictionsAreNeverCertain) {
    HaloTrace halo(3, 4);
    halo.exchanges(0, 1);
    EXPECT_EQ(analyse(halo.trace(SessionEnd::Cut), halo.spec).verdict.kind, VerdictKind::Unknown) << "all are at work";
    EXPECT_EQ(analyse(halo.trace(SessionEnd::Cut, {0, 1, 2}), halo.spec).verdict.kind, VerdictKind::Unknown);
    HaloTrace waits(3, 4);
    waits.exchanges(0, 1).sends(0, 2).sends(1, 2);
    EXPECT_EQ(analyse(waits.trace(SessionEnd::Cut), waits.spec).verdict.kind, VerdictKind::Likely);
    halo.sends(1, 1);
    const DetrekResult twice = report_detrek(halo.trace(SessionEnd::StoodStill), halo.spec, {});
    EXPECT_EQ(twice.verdict.kind, VerdictKind::Unknown);
    EXPECT_EQ(twice.exit_code, 4);
    EXPECT_THAT(twice.text, HasSubstr("record n1:8 is a message of a step that was over before"));
    EXPECT_THAT(twice.json, HasSubstr("\"unanticipated\""));
    tmon_streams::Trace nothing = HaloTrace(3, 4).trace(SessionEnd::NeverBegan, {0, 1, 2});
    EXPECT_THAT(analyse(nothing, halo.spec).verdict.sentence, HasSubstr("did not begin"));
}

TEST(ProgramVerdict, TheFinalReportTellsThatNothingStopped) {
    HaloTrace halo(3, 4);
    halo.exchanges(0, 3);
    halo.keep_first(1, 9);
    const Verdict verdict = analyse(halo.trace(SessionEnd::ProgramEnded, {1}), halo.spec).verdict;
    EXPECT_EQ(verdict.kind, VerdictKind::None);
    EXPECT_TRUE(verdict.reported);
    EXPECT_THAT(verdict.sentence, StartsWith("No fault: the program printed its final report; "));
    HaloTrace less(3, 4);
    less.exchanges(0, 1);
    EXPECT_EQ(analyse(less.trace(SessionEnd::ProgramEnded), less.spec).verdict.kind, VerdictKind::Unknown);
}

TEST(ProgramVerdict, RecordsOfNeighboursThatContradictEachOtherTellNothing) {
    HaloTrace halo(2, 4);
    halo.sends(1, 0).receives(1, 0).sends(1, 1).receives(1, 1);
    const Verdict verdict = analyse(halo.trace(SessionEnd::StoodStill), halo.spec).verdict;
    EXPECT_EQ(verdict.kind, VerdictKind::Unknown);
    EXPECT_EQ(verdict.finished_below, 0u);
    EXPECT_THAT(verdict.sentence, HasSubstr("no history agrees with the records of all nodes"));
}

TEST(ProgramVerdict, EachPlaceHasItsOwnProcess) {
    HaloTrace halo(5, 4);
    halo.exchanges(0, 0);
    for (const std::uint16_t node : {0, 1, 2, 4}) halo.sends(node, 1);
    halo.move(1, 2, 1, EventKind::Receive).move(2, 1, 1, EventKind::Receive).move(1, 0, 1, EventKind::Receive);
    halo.sends(1, 2);
    const Verdict verdict = analyse(halo.trace(SessionEnd::StoodStill), halo.spec).verdict;
    EXPECT_EQ(verdict.nodes, (std::vector<std::uint16_t>{0, 3}));
    EXPECT_EQ(verdict.processes, (std::vector<std::string>{"Exchanging", "step_fn()"}));
    EXPECT_THAT(verdict.sentence, HasSubstr("exchange 1 stopped in Exchanging on node 0 and in step_fn() on node 3"));
}

TEST(ProgramVerdict, ANodeOutsideTheTreeHasNoPart) {
    HaloTrace halo(3, 2);
    farm_spec::FarmSpec spec = halo.spec;
    spec.tree = farm_spec::TreeKind::Given;
    spec.parents = {std::nullopt, std::nullopt, vocabulary::NodeId(0)};
    halo.move(0, 2, 0, EventKind::Send).move(2, 0, 0, EventKind::Send).move(0, 2, 0, EventKind::Receive);
    halo.move(0, 2, 1, EventKind::Send);
    const Verdict verdict = analyse(halo.trace(SessionEnd::StoodStill), spec).verdict;
    EXPECT_EQ(verdict.kind, VerdictKind::Certain) << verdict.sentence;
    EXPECT_EQ(verdict.nodes, (std::vector<std::uint16_t>{2}));
    EXPECT_EQ(verdict.process, "Exchanging");
}

constexpr const char* pipeline_start =
    "format: magicwire.fault-model/1\nname: pipeline\nunit: item\norder: one by one\n"
    "messages: [{name: item, way: down, label: Passing}]\nplaces:\n";

// The last node may still work on item 0, though no record tells so.
TEST(ProgramVerdict, AProcessWithoutARecordMayBeTheOneThatStopped) {
    const tmon_models::FaultModel model =
        tmon_models::parse_fault_model(std::string(pipeline_start) +
                                           "  - {at: root, steps: [{by: source_fn(), send: item, to: each child}]}\n"
                                           "  - {at: worker, steps: [{receive: item, from: parent}, {by: work_fn()}]}\n",
                                       "m.yaml");
    HaloTrace halo(2, 3);
    halo.move(0, 1, 0, EventKind::Send).move(1, 0, 0, EventKind::Receive);
    const Verdict verdict = analyse(halo.trace(SessionEnd::StoodStill), halo.spec, model).verdict;
    EXPECT_NE(verdict.kind, VerdictKind::Certain) << verdict.sentence;
}

TEST(ProgramVerdict, AModelThatCannotEndIsRefused) {
    const tmon_models::FaultModel model = tmon_models::parse_fault_model(
        std::string(pipeline_start) + "  - {at: leaf, steps: [{receive: item, from: parent}]}\n", "m.yaml");
    HaloTrace halo(3, 2);
    try {
        analyse(halo.trace(SessionEnd::StoodStill), halo.spec, model);
        FAIL();
    } catch (const vocabulary::RequestError& error) {
        EXPECT_THAT(error.what(), HasSubstr("node 2 waits for item of node 1 in item 0"));
    }
}

TEST(ProgramVerdict, NeedsAStreamANodeAndAModelWithoutChoice) {
    HaloTrace halo(3, 2);
    const tmon_streams::Trace trace = halo.trace(SessionEnd::StoodStill);
    EXPECT_DEATH(analyse(trace, halo.spec, tmon_models::built_in("pfvm")), "judge_program.model_and_streams");
}

TEST(ProgramVerdict, AUsersModelIsReadFromItsFile) {
    HaloTrace halo(3, 3);
    halo.exchanges(0, 1);
    TestFolder folder;
    farm_spec::FarmSpec spec = halo.spec;
    tmon_streams::write_spf(folder.path("run.spf"), spec);
    EXPECT_THAT(folder.get("run.spf"), HasSubstr("model halo"));
    EXPECT_EQ(tmon_streams::read_spf(folder.path("run.spf")), spec);
    tmon_streams::write_tvm(folder.path("run.tvm"), halo.trace(SessionEnd::StoodStill));
    tmon_streams::write_config(folder.path("run.config"), tmon_streams::config_of(halo.trace(SessionEnd::StoodStill)));
    const DetrekResult by_name = run_detrek({.prefix = folder.path("run")});
    EXPECT_THAT(by_name.text, StartsWith("Certain: exchange 2 stopped in step_fn() on nodes 0, 1 and 2"));
    const std::string models = std::string(MAGICWIRE_SOURCE_DIR) + "/tmon/models/models/";
    EXPECT_EQ(run_detrek({.prefix = folder.path("run"), .model = models + "halo.yaml"}).text, by_name.text);
    EXPECT_THROW(run_detrek({.prefix = folder.path("run"), .model = models + "pfvm.yaml"}), vocabulary::InputError);
    spec.model = "torus";
    tmon_streams::write_spf(folder.path("torus.spf"), spec);
    EXPECT_THROW(read_detrek_input(folder.path("torus")), vocabulary::InputError);
    folder.put("pfvm.spf", "3 1 3 1 1\nmodel pfvm\n");
    folder.put("pfvm.tvm", "");
    EXPECT_TRUE(read_detrek_input(folder.path("pfvm")).spec.is_farm());
    folder.put("pfvm.spf", "3 1 3 2 2\nmodel pfvm\n");
    EXPECT_THROW(read_detrek_input(folder.path("pfvm")), vocabulary::InputError);
    folder.put("pfvm.spf", "3 1 3 1 1\nmodel halo granularity 3\n");
    EXPECT_THROW(read_detrek_input(folder.path("pfvm")), vocabulary::InputError);
    EXPECT_THROW(analyse(halo.trace(SessionEnd::StoodStill), spec), vocabulary::RequestError);
}

}  // namespace
}  // namespace tmon_detrek
