#include <tmon_streams/thesis_files.hpp>

#include <gmock/gmock.h>

#include <tmon_streams/trace_store.hpp>
#include <vocabulary/source_position.hpp>
#include "farm_trace.hpp"

namespace tmon_streams {
namespace {

using testing_support::FarmTrace;
using testing_support::TestFolder;

const farm_spec::FarmSpec dc4{4, farm_spec::TreeKind::Binary, 100, 2, 5};

template <class Read>
std::string error_of(Read&& read) {
    try {
        read();
    } catch (const vocabulary::InputError& error) {
        return error.what();
    }
    return "no error";
}

class ThesisFiles : public testing::Test {
protected:
    std::string tvm_error(const std::string& text) const {
        const std::string path = folder.put("t.tvm", text);
        return error_of([&] { read_tvm(path, dc4, std::nullopt); });
    }
    std::string spf_error(const std::string& text) const {
        const std::string path = folder.put("t.spf", text);
        return error_of([&] { read_spf(path); });
    }
    std::string config_error(const std::string& text) const {
        const std::string path = folder.put("t.config", text);
        return error_of([&] { read_config(path); });
    }
    std::string at(const std::string& name, const std::string& rest) const { return folder.path(name) + rest; }

    TestFolder folder;
};

TEST_F(ThesisFiles, SpfRoundTrip) {
    const farm_spec::FarmSpec spec{16, farm_spec::TreeKind::Ternary, 1000, 3, 5};
    write_spf(folder.path("a.spf"), spec);
    EXPECT_EQ(folder.get("a.spf"), "16 3 1000 3 5\n");
    EXPECT_EQ(read_spf(folder.path("a.spf")), spec);
}

TEST_F(ThesisFiles, SpfMayStandOnALineWithoutItsEnd) {
    EXPECT_EQ(read_spf(folder.put("a.spf", "8 2 100 2 5")), (farm_spec::FarmSpec{8, farm_spec::TreeKind::Binary, 100, 2, 5}));
}

TEST_F(ThesisFiles, SpfOfAGivenTreeHasTheParentsAndWhatIsNotAsInTheThesis) {
    farm_spec::FarmSpec spec{6, farm_spec::TreeKind::Given, 100, 2, 3};
    spec.parents = {std::nullopt, vocabulary::NodeId(0), vocabulary::NodeId(1),
                    std::nullopt, vocabulary::NodeId(0), vocabulary::NodeId(4)};
    write_spf(folder.path("a.spf"), spec);
    EXPECT_EQ(folder.get("a.spf"), "6 4 100 2 3\n0 1 - 0 4\n");
    EXPECT_EQ(read_spf(folder.path("a.spf")), spec);
    spec.granularity = 4;
    spec.policy = farm_spec::Policy::WorkStealing;
    spec.survives = true;
    write_spf(folder.path("b.spf"), spec);
    EXPECT_EQ(folder.get("b.spf"), "6 4 100 2 3\n0 1 - 0 4\ngranularity 4 policy work-stealing survives yes\n");
    EXPECT_EQ(read_spf(folder.path("b.spf")), spec);
}

TEST_F(ThesisFiles, SpfOfARegularTreeMayHaveTheLineOfPairsToo) {
    farm_spec::FarmSpec spec{8, farm_spec::TreeKind::Binary, 100, 2, 5};
    spec.policy = farm_spec::Policy::Priorities;
    EXPECT_EQ(read_spf(folder.put("a.spf", "8 2 100 2 5\npolicy priorities\n")), spec);
}

TEST_F(ThesisFiles, SpfErrorsOfAGivenTreeNameTheNode) {
    EXPECT_EQ(spf_error("4 4 9 1 1\n"),
              at("t.spf", ":1:9: Topology 4 needs a second line: the parents of nodes 1 to 3, or - for one outside the farm"));
    EXPECT_EQ(spf_error("4 4 9 1 1\n0 1\n"),
              at("t.spf",
                 ":2:3: the parent of node 3 is missing; the line gives the parents of nodes 1 to 3, or - for one outside the "
                 "farm"));
    EXPECT_EQ(
        spf_error("4 4 9 1 1\n0 1 1 1\n"),
        at("t.spf",
           ":2:7: '1' is one parent too many; the line gives the parents of nodes 1 to 3, or - for one outside the farm"));
    EXPECT_EQ(spf_error("4 4 9 1 1\n0 4 1\n"), at("t.spf", ":2:3: Parent 4 is out of range; the most is 3"));
    EXPECT_EQ(spf_error("4 4 9 1 1\n0 x 1\n"), at("t.spf", ":2:3: Parent 'x' is not a whole number; give one from 0 to 3"));
    EXPECT_EQ(spf_error("4 4 9 1 1\n0 2 1\n"), at("t.spf", ":2:3: node 2 cannot be its own parent"));
    EXPECT_EQ(spf_error("4 4 9 1 1\n0 3 2\n"),
              at("t.spf", ":2:5: node 2 does not lead up to node 0; give every node on its way a parent"));
    EXPECT_EQ(spf_error("4 4 9 1 1\n0 - 2\n"),
              at("t.spf", ":2:5: node 3 does not lead up to node 0; give every node on its way a parent"));
    EXPECT_EQ(spf_error("6 4 9 1 1\n0 0 0 0 0\n"),
              at("t.spf", ":2:9: node 0 has more than 4 children; a node has that many links"));
    EXPECT_EQ(spf_error("3 4 9 1 1\n- -\n"), at("t.spf", ":2:3: no node is below node 0; a farm has a manager and a worker"));
}

TEST_F(ThesisFiles, SpfErrorsOfThePairsNameTheKey) {
    EXPECT_EQ(spf_error("8 2 9 1 1\ngranularity\n"),
              at("t.spf", ":2:1: granularity has no value; a key is followed by its value, as in 'granularity 4'"));
    EXPECT_EQ(spf_error("8 2 9 1 1\ngranularity 0\n"),
              at("t.spf", ":2:13: granularity 0 moves no task; use 1 for tasks that travel alone"));
    EXPECT_EQ(spf_error("8 2 9 1 1\ngranularity 1001\n"),
              at("t.spf", ":2:13: granularity 1001 is out of range; the most is 1000"));
    EXPECT_EQ(spf_error("8 2 9 1 1\ngranularty 2\n"),
              at("t.spf", ":2:1: unknown key 'granularty', did you mean 'granularity'?"));
    EXPECT_EQ(spf_error("8 2 9 1 1\npolicy round-robbin\n"),
              at("t.spf", ":2:8: unknown policy 'round-robbin', did you mean 'round-robin'?"));
    EXPECT_EQ(spf_error("8 2 9 1 1\nsurvives maybe\n"), at("t.spf", ":2:10: unknown survives 'maybe'; use one of no, yes"));
    EXPECT_EQ(spf_error("8 2 9 1 1\nsurvives no survives no\n"), at("t.spf", ":2:13: survives is given twice; remove one"));
    EXPECT_EQ(spf_error("8 2 9 1 1\nsurvives no\n7\n"), at("t.spf", ":3:1: '7' follows the last line; nothing may follow it"));
}

// Stolen from 1 by 2: the parent sends it again, so its first way up was no result.
TEST_F(ThesisFiles, ATvmOfAFarmThatStealsTellsAStolenTaskByItsNextWayDown) {
    farm_spec::FarmSpec spec{3, farm_spec::TreeKind::Given, 5, 1, 1};
    spec.parents = {std::nullopt, vocabulary::NodeId(0), vocabulary::NodeId(0)};
    spec.policy = farm_spec::Policy::WorkStealing;
    FarmTrace farm(spec);
    farm.down(0, 0, 1).back(0, 0, 1).down(0, 0, 2).up(0, 0, 2).down(1, 0, 1).up(1, 0, 1);
    const Trace whole = farm.trace(SessionEnd::StoodStill);
    write_tvm(folder.path("a.tvm"), whole);
    const Trace read = read_tvm(folder.path("a.tvm"), spec, config_of(whole));
    EXPECT_TRUE(read.directions_guessed);
    for (std::size_t node = 0; node < 3; ++node) {
        for (std::size_t i = 0; i < whole.streams[node].size(); ++i)
            EXPECT_EQ(read.streams[node].parts[0][i].is_result, whole.streams[node].parts[0][i].is_result) << node << ":" << i;
    }
}

TEST_F(ThesisFiles, SpfErrorsNameFieldAndRemedy) {
    EXPECT_EQ(spf_error("8 2 100 2\n"),
              at("t.spf",
                 ":1:10: the line ends where TaskDepth should be; a line is 'NumProc Topology NumTasks "
                 "TaskDegree TaskDepth'"));
    EXPECT_EQ(spf_error("8 5 100 2 5\n"), at("t.spf", ":1:3: Topology 5 is out of range; the most is 4"));
    EXPECT_EQ(spf_error("8 0 100 2 5\n"), at("t.spf",
                                             ":1:3: Topology 0 does not exist; use 1 for a chain, 2 for a binary tree, 3 for a "
                                             "ternary tree, 4 for a given tree"));
    EXPECT_EQ(spf_error("1 2 100 2 5\n"), at("t.spf", ":1:1: NumProc 1 is too small; a farm has a manager and a worker"));
    EXPECT_EQ(spf_error("8 2 -3 2 5\n"), at("t.spf", ":1:5: NumTasks '-3' is negative; give one from 0 to 268435456"));
    EXPECT_EQ(spf_error("8 2 100 2 5\n6\n"),
              at("t.spf", ":2:1: unknown key '6'; use one of granularity, policy, survives, model"));
    EXPECT_EQ(spf_error(""),
              at("t.spf", ":1:1: the file is empty; it holds five integers: NumProc Topology NumTasks TaskDegree TaskDepth"));
}

TEST_F(ThesisFiles, TvmRoundTripKeepsEveryEvent) {
    FarmTrace farm(dc4);
    farm.finish_tasks(0, 4);
    const Trace trace = farm.trace(SessionEnd::StoodStill);
    write_tvm(folder.path("a.tvm"), trace);
    const Trace back = read_tvm(folder.path("a.tvm"), dc4, config_of(trace));
    for (std::size_t node = 0; node < 4; ++node) {
        ASSERT_EQ(back.streams[node].parts.size(), 1u);
        for (std::size_t i = 0; i < farm.records()[node].size(); ++i) {
            Event expected = farm.records()[node][i];
            expected.bytes = 0;  // the .tvm does not have it
            EXPECT_EQ(back.streams[node].parts[0][i], expected);
        }
    }
    EXPECT_TRUE(back.losses_known);
    EXPECT_EQ(back.session, SessionEnd::StoodStill);
}

TEST_F(ThesisFiles, TvmHasSixFieldsAndFourHexDigits) {
    FarmTrace farm(dc4);
    farm.down(7, 0x10, 3);
    write_tvm(folder.path("a.tvm"), farm.trace(SessionEnd::Unknown));
    EXPECT_EQ(folder.get("a.tvm"), "10 1 send 3 7 0010\n20 3 recv 1 7 0010\n");
}

TEST_F(ThesisFiles, TvmWithoutConfigDoesNotKnowItsLosses) {
    const Trace trace = read_tvm(folder.put("a.tvm", "10 1 send 3 7 0010\n"), dc4, std::nullopt);
    EXPECT_FALSE(trace.losses_known);
    EXPECT_EQ(trace.streams[1].state, StreamState::Open);
}

TEST_F(ThesisFiles, LinesOfANodeAreBroughtIntoTheOrderOfItsClock) {
    const Trace trace = read_tvm(folder.put("a.tvm", "30 1 send 3 8 0010\n10 1 send 3 7 0010\n"), dc4, std::nullopt);
    EXPECT_EQ(trace.streams[1].parts[0][0].task, 7u);
    EXPECT_EQ(trace.streams[1].parts[0][1].seq, 1u);
}

TEST_F(ThesisFiles, RecordsAreNumberedAroundTheLossesOfTheConfig) {
    ConfigFile config;
    config.nodes.resize(4);
    config.nodes[1] = {StreamState::Finished, 2, 20, {{1, 1, 4, LossCause::BufferFull}}};
    const Trace trace = read_tvm(folder.put("a.tvm", "10 1 send 3 7 0010\n20 1 send 3 8 0010\n"), dc4, config);
    ASSERT_EQ(trace.streams[1].parts.size(), 2u);
    EXPECT_EQ(trace.streams[1].parts[1][0].seq, 5u);
}

TEST_F(ThesisFiles, TvmErrorsPointAtTheField) {
    EXPECT_EQ(tvm_error("10 1 send 3 7 0010\n20 1 sned 3 7 0010\n"),
              at("t.tvm", ":2:6: unknown Type 'sned', did you mean 'send'?"));
    EXPECT_EQ(tvm_error("10 1 quit 3 7 0010\n"), at("t.tvm", ":1:6: unknown Type 'quit'; use one of send, recv"));
    EXPECT_EQ(tvm_error("10 4 send 3 7 0010\n"), at("t.tvm", ":1:4: Sid 4 is not a node: the .spf gives 4 nodes, 0 to 3"));
    EXPECT_EQ(tvm_error("10 1 send 9 7 0010\n"), at("t.tvm", ":1:11: Did 9 is not a node: the .spf gives 4 nodes, 0 to 3"));
    EXPECT_EQ(tvm_error("-1 1 send 3 7 0010\n"),
              at("t.tvm", ":1:1: Ptime '-1' is negative; give one from 0 to 1000000000000000"));
    EXPECT_EQ(tvm_error("1.5 1 send 3 7 0010\n"),
              at("t.tvm", ":1:1: Ptime '1.5' is not a whole number; give one from 0 to 1000000000000000"));
    EXPECT_EQ(tvm_error("10 1 send 3 7 00g0\n"),
              at("t.tvm", ":1:15: SubTid '00g0' is not a hexadecimal number; use the digits 0-9 and a-f"));
    EXPECT_EQ(tvm_error("10 1 send 3 7\n"),
              at("t.tvm", ":1:14: the line ends where SubTid should be; a line is 'Ptime Sid Type Did MainTid SubTid'"));
    EXPECT_EQ(tvm_error("10 1 send 3 7 0010 4\n"),
              at("t.tvm", ":1:20: '4' is one field too many; a line is 'Ptime Sid Type Did MainTid SubTid'"));
    EXPECT_EQ(
        tvm_error("10 1 send 3 7 0010\n20 1 se"),
        at("t.tvm",
           ":2:1: the last line is cut: it has no end of line; copy the file again or remove the line and accept its loss"));
}

TEST_F(ThesisFiles, ATvmWithOtherCountsThanItsConfigIsAnError) {
    ConfigFile config;
    config.nodes.resize(4);
    config.nodes[1].events = 2;
    const std::string path = folder.put("a.tvm", "10 1 send 3 7 0010\n");
    EXPECT_EQ(
        error_of([&] { read_tvm(path, dc4, config); }),
        path +
            ": node 1 has 1 events but the .config says 2; run tvmfilter again, or leave the .config away and be less certain");
}

TEST_F(ThesisFiles, ConfigRoundTrip) {
    ConfigFile config;
    config.session = SessionEnd::ProgramEnded;
    config.nodes = {{StreamState::Finished, 12, 340, {}}, {StreamState::Open, 3, 99, {{1, 3, 7, LossCause::NodeDied}}}};
    write_config(folder.path("a.config"), config);
    EXPECT_EQ(
        folder.get("a.config"),
        "magicwire-config 1\nsession program-ended\nnodes 2\nnode 0 finished 12 340\nnode 1 open 3 99\nloss 1 3 7 node-died\n");
    EXPECT_EQ(read_config(folder.path("a.config")), config);
}

TEST_F(ThesisFiles, ConfigKeepsHowManyResultsTheFinalReportTells) {
    ConfigFile config;
    config.session = SessionEnd::ProgramEnded;
    config.nodes = {{StreamState::Finished, 12, 340, {}}};
    for (const std::uint32_t results : {0U, 80U}) {
        config.reported_results = results;
        write_config(folder.path("a.config"), config, text::Replace::Yes);
        EXPECT_THAT(folder.get("a.config"), testing::HasSubstr("\nresults " + std::to_string(results) + "\n"));
        EXPECT_EQ(read_config(folder.path("a.config")), config);
    }
}

TEST_F(ThesisFiles, ConfigKeepsEveryEndOfASession) {
    for (const SessionEnd how :
         {SessionEnd::Unknown, SessionEnd::StoodStill, SessionEnd::ProgramEnded, SessionEnd::Cut, SessionEnd::NeverBegan}) {
        ConfigFile config;
        config.session = how;
        config.nodes = {{StreamState::Open, 0, 0, {}}};
        write_config(folder.path(std::string(session_end_name(how))), config);
        EXPECT_EQ(read_config(folder.path(std::string(session_end_name(how)))).session, how);
    }
}

TEST_F(ThesisFiles, ConfigKeepsHowManyMessagesWereDroppedAndWhatCameDamaged) {
    ConfigFile config;
    config.nodes = {{StreamState::Open, 3, 99, {{0, 3, 7, LossCause::Damaged}}}};
    config.dropped_messages = 4;
    write_config(folder.path("a.config"), config);
    EXPECT_EQ(folder.get("a.config"),
              "magicwire-config 1\nsession unknown\nnodes 1\ndropped 4\nnode 0 open 3 99\nloss 0 3 7 damaged\n");
    EXPECT_EQ(read_config(folder.path("a.config")), config);
}

TEST_F(ThesisFiles, ConfigErrorsNameThePlace) {
    const std::string head = "magicwire-config 1\n";
    EXPECT_EQ(config_error("nodes 2\n"),
              at("t.config", ":1:1: a .config file begins with 'magicwire-config 1'; give the one that hostmon wrote"));
    EXPECT_EQ(config_error(head + "nodes 1\nnode 0 opne 1 1\n"),
              at("t.config", ":3:8: unknown state 'opne', did you mean 'open'?"));
    EXPECT_EQ(config_error(head + "nodes 2\nnode 0 open 1 1\n"),
              at("t.config", ":3:15: no line describes node 1; the file is not whole, write it again with hostmon"));
    EXPECT_EQ(config_error(head + "nodes 1\nnode 0 open 1 1\nloss 0 5 4 unknown\n"),
              at("t.config", ":4:10: the loss ends before it begins; write the smaller number first"));
    EXPECT_EQ(config_error(head + "node 0 open 1 1\n"),
              at("t.config",
                 ":2:6: node 0 is not one of the 0 nodes; the line 'nodes COUNT' comes first and says how many there are"));
}

TEST_F(ThesisFiles, AllRoundTripKeepsEverything) {
    FarmTrace farm(dc4);
    farm.finish_tasks(0, 2);
    const Trace trace = farm.trace(SessionEnd::StoodStill);
    write_all(folder.path("a.all"), trace);
    const Trace back = read_all(folder.path("a.all"), config_of(trace));
    EXPECT_TRUE(std::ranges::equal(back.streams[1].parts[0], farm.records()[1]));
}

TEST_F(ThesisFiles, ConfigErrorsOfClassesAndOthers) {
    const std::string head = "magicwire-config 1\nnodes 1\nnode 0 open 9 1\n";
    EXPECT_EQ(config_error(head + "loss 0 1 2 thinned task+mesage 3 4\n"),
              at("t.config", ":4:20: unknown class 'mesage', did you mean 'message'?; write 'all' or classes with '+'"));
    EXPECT_EQ(config_error(head + "loss 0 1 2 thinned task 4 3\n"),
              at("t.config", ":4:27: the loss is over before it begins; write the earlier time first"));
    EXPECT_EQ(config_error(head + "other 0 4 3\n"),
              at("t.config", ":4:11: the range ends before it begins; write the smaller number first"));
    EXPECT_EQ(config_error(head + "other 0 1 3\nother 0 3 4\n"),
              at("t.config", ":5:11: other records of a node come in ascending order and do not overlap"));
}

TEST_F(ThesisFiles, BugRoundTrip) {
    const std::vector<BugLine> lines = {{"held", 49, 4, "comp_fn()"}, {"not-received", 50, 1, "Distributing"}};
    write_bug(folder.path("a.bug"), lines);
    EXPECT_EQ(folder.get("a.bug"), "held 49 4 comp_fn()\nnot-received 50 1 Distributing\n");
    EXPECT_EQ(read_bug(folder.path("a.bug")), lines);
}

TEST_F(ThesisFiles, WritersReplaceOnlyWhenTold) {
    write_bug(folder.path("a.bug"), {});
    EXPECT_EQ(error_of([&] { write_bug(folder.path("a.bug"), {}); }),
              at("a.bug", ": exists already and is not replaced; name another file, or replace it with -f"));
    EXPECT_EQ(error_of([&] { write_bug(folder.path("a.bug"), {}, text::Replace::Yes); }), "no error");
}

}  // namespace
}  // namespace tmon_streams
