// A session's end is what a person beside the machine sees. A farm that goes on is not given up, one that hangs is. Nothing
// that only the simulator knows decides it. No record is missing without a loss that covers it.
#include <gmock/gmock.h>

#include <map>
#include <random>

#include <child_process.hpp>
#include <oracle/session_result.hpp>
#include <scenario/bug_list_file.hpp>
#include <tmon_detrek/verdict.hpp>

#include "scenario_folder.hpp"

namespace {

using oracle::SessionResult;
using scenario::Scenario;
using session_test::ScenarioFolder;
using tmon_streams::SessionEnd;
using trace_record::EventClass;

// The outcome of a run in a child process.
struct Outcome {
    SessionEnd end = SessionEnd::Unknown;
    tmon_detrek::VerdictKind verdict = tmon_detrek::VerdictKind::Unknown;
    std::int64_t reported = -1;
    std::uint64_t made = 0, received = 0, lost = 0, waits_for_room = 0;
    std::uint64_t lost_tasks = 0;
    std::uint64_t silent = 0;  // events of tasks that are neither records nor covered by a loss
    std::int64_t idle_ms = 0;  // between the last step of the farm and the end
    bool diagnosed = false;
};

std::uint64_t lost_on(const SessionResult& result, std::size_t node, bool of_tasks) {
    std::uint64_t sum = 0;
    for (const auto& range : result.observed.statistics[node].losses) {
        if (!of_tasks || range.classes.has(EventClass::Task)) sum += range.last_seq - range.first_seq + std::uint64_t{1};
    }
    return sum;
}

// Events of tasks that are neither records nor covered by a loss, on nodes that lived to the end.
std::uint64_t missing_in_silence(const SessionResult& result) {
    std::map<std::uint16_t, std::uint64_t> happened, known;
    for (const auto& event : result.truth.events()) ++happened[event.node];
    for (const auto& stream : result.observed.trace->streams) {
        known[stream.node] = lost_on(result, stream.node, true);
        for (const auto part : stream.parts) {
            for (const auto& event : part)
                known[stream.node] += trace_record::class_of(event.kind) == EventClass::Task ? 1U : 0U;
        }
    }
    std::uint64_t missing = 0;
    for (const auto& [node, count] : happened) {
        const bool ended = result.observed.trace->streams[node].state == tmon_streams::StreamState::Finished;
        if (ended && known[node] < count) missing += count - known[node];
    }
    return missing;
}

Outcome outcome_of(const Scenario& scenario, const SessionResult& result) {
    Outcome seen;
    seen.end = result.observed.end;
    seen.diagnosed = !result.observed.diagnosis.empty();
    seen.idle_ms = (result.observed.modelled - result.simulated.counts.last_step).in_us() / 1000;
    if (!result.observed.trace) return seen;
    seen.verdict = tmon_detrek::analyse(*result.observed.trace, scenario.farm).verdict.kind;
    if (result.observed.trace->reported_results) seen.reported = *result.observed.trace->reported_results;
    seen.silent = missing_in_silence(result);
    for (std::size_t node = 0; node < result.simulated.nodes.size(); ++node) {
        seen.made += result.simulated.nodes[node].recorded;
        seen.received += result.observed.statistics[node].events;
        seen.lost += lost_on(result, node, false);
        seen.lost_tasks += lost_on(result, node, true);
        seen.waits_for_room += result.simulated.nodes[node].ledger.waits_for_room;
    }
    return seen;
}

Outcome run_apart(const Scenario& scenario) {
    const auto seen = test_support::in_child([&] {
        SessionResult result;
        oracle::run_session(scenario, result);
        return outcome_of(scenario, result);
    });
    EXPECT_TRUE(seen) << "the session died";
    return seen.value_or(Outcome{});
}

class SessionEnds : public testing::Test {
protected:
    SessionEnds() {
        std::filesystem::copy_file(MAGICWIRE_SOURCE_DIR "/topologies/machines/btree_8_interrupts.yaml",
                                   folder.file("fast.yaml"));
        folder.write("slow.yaml", session_test::replaced(session_test::content(folder.file("fast.yaml")),
                                                         "link_speed: 20Mbit/s", "link_speed: 5Mbit/s"));
    }
    Outcome run(const std::string& text, const std::vector<scenario::Setting>& settings = {}, std::uint64_t seed = 1) {
        return run_apart(folder.read(text, settings, seed));
    }
    // A farm of 8 nodes with the wires of Tmon.
    static std::string farm(const std::string& machine, std::uint32_t tasks, const std::string& application) {
        return "version: 1\nname: s\nmachine: " + machine +
               ".yaml\nfarm: {nodes: 8, tree: binary, tasks: " + std::to_string(tasks) + "}\napplication: {tasks: plain.dat, " +
               application + "}\n";
    }
    ScenarioFolder folder;
};

}  // namespace

TEST_F(SessionEnds, WaitingForRoomIsLifeAsLongAsTheTraceMoves) {
    const Outcome seen =
        run(farm("slow", 80, "task_bytes: 64, result_bytes: 900, grain: 10ms") +
                "monitor: {kind: tmon, interrupt: 1ms, unload: [[1000s, 20, 60]], events: [task, usage, message, "
                "process], when_full: stop}\n",
            {}, 497);
    EXPECT_EQ(seen.end, SessionEnd::ProgramEnded);
    EXPECT_EQ(seen.reported, 80);
    EXPECT_EQ(seen.silent, 0U);
    EXPECT_EQ(seen.made, seen.received + seen.lost);
    EXPECT_GT(seen.waits_for_room, 0U) << "the buffers were too large for this test";
    EXPECT_EQ(seen.lost_tasks, 0U) << "it was not given up";
    EXPECT_NE(seen.verdict, tmon_detrek::VerdictKind::Certain);
    EXPECT_NE(seen.verdict, tmon_detrek::VerdictKind::Likely);
}

TEST_F(SessionEnds, AFarmThatGoesOnAfterTheMonitorWasQuitIsNotSaidToStandStill) {
    for (const char* quiet : {"1ms", "20ms"}) {
        const Outcome seen = run(farm("slow", 60, "task_bytes: 900, result_bytes: 900, grain: 10ms") +
                                     "monitor: {kind: tmon, interrupt: 2ms, unload: [[1000s, 0, 0]]}\n",
                                 {{"end.quiet", quiet}});
        EXPECT_EQ(seen.end, SessionEnd::ProgramEnded) << quiet;
        EXPECT_EQ(seen.reported, 60) << quiet;
        EXPECT_EQ(seen.silent, 0U) << quiet;
    }
}

// Whatever is chosen, a healthy farm ends by itself, and each of its events is a record or covered by a loss.
TEST_F(SessionEnds, OfAHealthyFarmNoRecordIsMissingInSilence) {
    std::mt19937 random(11);
    const auto one_of = [&](const std::vector<std::string>& words) { return words[random() % words.size()]; };
    for (int i = 0; i < 60; ++i) {
        const bool tmon = random() % 2 == 0;
        const std::string interrupt = one_of({"1ms", "2ms", "10ms"});
        const std::string text =
            farm(one_of({"slow", "fast"}), 40 + random() % 40,
                 one_of({"result_bytes: 900", "task_bytes: 900", "grain: 3ms", "grain: 30ms"})) +
            "monitor: {kind: " + (tmon ? "tmon, interrupt: " + interrupt : std::string("tmon-de")) + ", unload: " +
            one_of({"[[1000s, 0, 0]]", "[[1000s, 8, 32]]", "[[1000s, 20, 60]]", "[[1000s, 900, 900]]", "adaptive"}) +
            ", when_full: " + one_of({"stop", "drop-newest", "overwrite-oldest", "degrade"}) +
            ", events: " + one_of({"task", "task+message", "task+message+process"}) + "}\n";
        const std::vector<scenario::Setting> settings = {{"monitor.buffer", one_of({"1", "2", "4", "16", "128"})},
                                                         {"monitor.record", one_of({"20", "80"})}};
        SCOPED_TRACE(text + settings[0].second + " of " + settings[1].second);
        const Outcome seen = run(text, settings, i);
        EXPECT_EQ(seen.end, SessionEnd::ProgramEnded);
        EXPECT_EQ(seen.silent, 0U);
        EXPECT_EQ(seen.made, seen.received + seen.lost);
        EXPECT_NE(seen.verdict, tmon_detrek::VerdictKind::Certain);
        EXPECT_NE(seen.verdict, tmon_detrek::VerdictKind::Likely);
    }
}

// Nobody beside the machine knows what a planted bug did.
TEST_F(SessionEnds, APlantedBugAloneDecidesNothing) {
    const std::string text = farm("fast", 200, "task_bytes: 440, result_bytes: 440") + "faults: p.faults\n" +
                             "monitor: {kind: tmon, interrupt: 10ms, adaptive: {processor: 50, links: 50}}\n";
    folder.write("p.faults", "version: 1\nfaults: [{stick: n0.1 - n1.0, at: 600ms}]\n");
    folder.write("never.bugs", "version: 1\nbugs:\n  - {kind: never-started, process: compute}\n");
    const Outcome without = run(text);
    const Outcome with = run(session_test::replaced(text, "tasks: plain.dat", "tasks: plain.dat, bugs: never.bugs"));
    EXPECT_EQ(without.end, SessionEnd::NeverBegan);
    EXPECT_EQ(with.end, without.end);
    EXPECT_EQ(with.diagnosed, without.diagnosed);
    EXPECT_EQ(with.verdict, tmon_detrek::VerdictKind::Unknown);
}

TEST_F(SessionEnds, LoadingGoesOnWhileOlderRecordsComeOrWhenNoMoreAreMade) {
    const Outcome seen = run(farm("fast", 200, "task_bytes: 440, result_bytes: 440") +
                             "monitor: {kind: tmon, interrupt: 1ms, unload: [[1000s, 0, 0]]}\n");
    EXPECT_EQ(seen.end, SessionEnd::ProgramEnded);
    EXPECT_EQ(seen.reported, 200);
    EXPECT_FALSE(seen.diagnosed);
    EXPECT_EQ(seen.silent, 0U);
}

TEST_F(SessionEnds, SignsOfLifeAndTheirRecordsAreNoWork) {
    folder.write(
        "chain.yaml",
        "version: 1\nname: chain\nnodes: {count: 4, ram: 4MiB}\nhost: n0.0\nlinks: [n0.1 - n1.0, n1.1 - n2.0, n2.1 - n3.0]\n");
    folder.write("b.bugs", "version: 1\nbugs:\n  - {kind: never-sent, task: 5, process: compute}\n");
    for (const char* unload : {"adaptive", "[[1000s, 0, 0]]", "[[1000s, 8, 32]]"}) {
        for (const char* policy : {"drop-newest", "stop"}) {
            const Outcome seen =
                run("version: 1\nname: s\nmachine: chain.yaml\nfarm: {nodes: 4, tree: chain, tasks: 12, survives: yes}\n"
                    "application: {tasks: plain.dat, bugs: b.bugs}\nmonitor: {unload: " +
                    std::string(unload) + ", events: [task, message], when_full: " + policy + "}\n");
            EXPECT_EQ(seen.end, SessionEnd::StoodStill) << unload << ", " << policy;
            EXPECT_LT(seen.idle_ms, 2500) << unload << ", " << policy;
        }
    }
}
