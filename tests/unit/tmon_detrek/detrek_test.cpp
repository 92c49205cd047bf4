#include <tmon_detrek/detrek.hpp>

#include <gmock/gmock.h>

#include <sstream>

#include <nlohmann/json.hpp>

#include <tmon_detrek/stamp_list.hpp>
#include <tmon_streams/thesis_files.hpp>
#include <tmon_streams/trace_store.hpp>
#include <vocabulary/source_position.hpp>
#include "farm_trace.hpp"

namespace tmon_detrek {
namespace {

using testing_support::FarmTrace;
using testing_support::TestFolder;

const farm_spec::FarmSpec dc8_of_50_tasks{8, farm_spec::TreeKind::Binary, 50, 2, 5};

class Detrek : public testing::Test {
protected:
    Detrek() {
        FarmTrace farm(dc8_of_50_tasks);
        farm.finish_tasks(0, 48).down(49, 0, 1).split_to_leaves(49, 0, 1);
        const tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::Unknown, {4, 5, 6, 7});
        options.prefix = folder.path("dc");
        tmon_streams::write_spf(options.prefix + ".spf", dc8_of_50_tasks);
        tmon_streams::write_tvm(options.prefix + ".tvm", trace);
        tmon_streams::write_config(options.prefix + ".config", tmon_streams::config_of(trace));
    }
    TestFolder folder;
    DetrekOptions options;
};

TEST_F(Detrek, PrintsTheSentenceAboveTheClassicList) {
    const DetrekResult result = run_detrek(options);
    EXPECT_EQ(result.text,
              "Certain: task 49 stopped in comp_fn(), or before or behind it: its sub-tasks 0000, 0100, 0010, 0110 on nodes 4, "
              "5, 6, 7, which fell silent; no lost record could change this, and no record tells whether the function, a node "
              "or a link failed.\nIt rests on n4:98, n5:98, n6:98, n7:98.\n\nFailure\nTASK SUBTASK "
              "NODE PROCESS\n49 0000 4 comp_fn()\n49 0100 5 comp_fn()\n49 0010 6 comp_fn()\n"
              "49 0110 7 comp_fn()\n");
    EXPECT_EQ(result.exit_code, 1);
}

TEST_F(Detrek, WithoutConfigTheAnswerIsLikely) {
    std::remove((options.prefix + ".config").c_str());
    const DetrekResult result = run_detrek(options);
    EXPECT_EQ(result.verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(result.exit_code, 1);
}

TEST_F(Detrek, WritesTheBugFileOnceUnlessForced) {
    options.write_bug = true;
    const std::string text = run_detrek(options).text;
    EXPECT_THAT(text, testing::EndsWith("\n\n4 rows in " + options.prefix + ".bug\n"));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("TASK SUBTASK")));
    EXPECT_EQ(folder.get("dc.bug"), "held 49 4 comp_fn()\nheld 49 5 comp_fn()\nheld 49 6 comp_fn()\nheld 49 7 comp_fn()\n");
    EXPECT_THROW(run_detrek(options), vocabulary::InputError);
    options.force = true;
    EXPECT_NO_THROW(run_detrek(options));
}

// A result that is sent twice stops no task; the list still has a row for it, with the process that made it.
TEST_F(Detrek, AnUnanticipatedMessageIsARow) {
    const farm_spec::FarmSpec chain3{3, farm_spec::TreeKind::Chain, 4, 1, 1};
    FarmTrace farm(chain3);
    farm.finish_tasks(0, 3).result_sent(2, 0, 2).result_arrived(2, 0, 2);
    options.prefix = folder.path("twice");
    options.write_bug = true;
    tmon_streams::write_spf(options.prefix + ".spf", chain3);
    const tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::ProgramEnded);
    const DetrekResult result = report_detrek(trace, chain3, options);
    EXPECT_EQ(result.verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(folder.get("twice.bug"), "unanticipated 2 2 comp_fn()\n");
    const auto json = nlohmann::json::parse(result.json);
    EXPECT_EQ(json["failures"][0]["error"], "unanticipated");
}

TEST_F(Detrek, StampsHaveIdsAndComeAfterTheirPast) {
    const farm_spec::FarmSpec chain3{3, farm_spec::TreeKind::Chain, 1, 1, 1};
    FarmTrace farm(chain3);
    farm.down(0, 0, 1).down(0, 0, 2).up(0, 0, 2);
    const DetrekInput input{farm.trace(tmon_streams::SessionEnd::Unknown), chain3, "", "", false};
    std::string text;
    list_stamps(input, StampForm::Text, [&](std::string_view piece) { text += piece; });
    std::string without_times;
    std::istringstream lines(text);
    for (std::string id, time, rest; lines >> id >> time && std::getline(lines, rest);) without_times += id + rest + "\n";
    EXPECT_EQ(without_times,
              "ID TYPE PEER KIND TASK SUBTASK LTIME\n"
              "n0:0 send n1 task 0 0 1,0,0\n"
              "n1:0 recv n0 task 0 0 1,1,0\n"
              "n1:1 send n2 task 0 0 1,2,0\n"
              "n2:0 recv n1 task 0 0 1,2,1\n"
              "n2:1 send n1 result 0 0 1,2,2\n"
              "n1:2 recv n2 result 0 0 1,3,2\n");
}

TEST_F(Detrek, JsonHasSchemaVerdictAndFailures) {
    options.json = true;
    const auto json = nlohmann::json::parse(run_detrek(options).text);
    EXPECT_EQ(json["schema"], "magicwire.detrek/1");
    EXPECT_EQ(json["verdict"]["kind"], "certain");
    EXPECT_EQ(json["verdict"]["task"], 49);
    EXPECT_EQ(json["verdict"]["places"][1]["subtask"], "0100");
    EXPECT_EQ(json["failures"].size(), 4u);
    EXPECT_EQ(json["failures"][0]["error"], "held");
    EXPECT_EQ(json["failures"][0]["event"], "n4:98");
    EXPECT_EQ(json["streams"][4]["state"], "open");
    EXPECT_EQ(json["exit_code"], 1);
}

TEST_F(Detrek, VerboseAddsStatistics) {
    options.verbose = true;
    EXPECT_THAT(run_detrek(options).text,
                testing::HasSubstr("\nevents 1386, event graphs 50, unmatched sends 0, unmatched receives 0, contradictions 0\n"
                                   "session unknown\nnode 0: finished, 99 events, last at "));
}

TEST_F(Detrek, HelpNeedsNoFiles) {
    DetrekOptions help;
    help.help = true;
    EXPECT_THAT(run_detrek(help).text, testing::StartsWith("detrek [-h] [-v] [-c] [-o] [-p PREFIX]"));
}

TEST_F(Detrek, ATraceOfAnotherNumberOfNodesIsRefused) {
    options.prefix = folder.path("other");
    tmon_streams::write_spf(options.prefix + ".spf", farm_spec::FarmSpec{7, farm_spec::TreeKind::Binary, 50, 2, 5});
    tmon_streams::store_trace(FarmTrace(dc8_of_50_tasks).trace(tmon_streams::SessionEnd::Unknown), options.prefix + ".mwt",
                              R"({"expected_nodes":8})");
    try {
        run_detrek(options);
        FAIL();
    } catch (const vocabulary::InputError& error) {
        EXPECT_EQ(std::string(error.what()), folder.path("other.spf") +
                                                 ": describes 7 nodes, and the trace beside it has 8; the files of one session "
                                                 "belong together");
    }
}

TEST_F(Detrek, AMissingFileIsNamed) {
    options.prefix = folder.path("other");
    try {
        run_detrek(options);
        FAIL();
    } catch (const vocabulary::InputError& error) {
        EXPECT_EQ(std::string(error.what()),
                  folder.path("other.spf") + ": cannot open: No such file or directory; give a .spf file");
    }
}

}  // namespace
}  // namespace tmon_detrek
