// Whole sessions whose buffers are too small. Each policy accounts for every record, nobody waits for ever, and no answer is
// more certain than the known facts.
#include <gmock/gmock.h>

#include <string_view>

#include <child_process.hpp>

#include <instrumentation/buffer_policy.hpp>
#include <oracle/session_result.hpp>
#include <tmon_detrek/verdict.hpp>

#include "scenario_folder.hpp"

namespace {

using instrumentation::BufferPolicy;
using oracle::SessionResult;
using scenario::Scenario;
using scenario::Setting;
using session_test::plain;
using session_test::ScenarioFolder;
using session_test::watched;
using trace_record::EventClass;
using trace_record::LossCause;

// The figures of a run in a child process, for comparison.
struct Figures {
    bool finished = false, adds_up = true;
    tmon_streams::SessionEnd end = tmon_streams::SessionEnd::Unknown;
    tmon_detrek::VerdictKind verdict = tmon_detrek::VerdictKind::None;
    std::uint64_t recorded = 0, received = 0, lost = 0, lost_of_cause[trace_record::loss_causes] = {};
    std::uint64_t tasks_received = 0, with_times = 0, ranges = 0;
};

Figures figures_of(const Scenario& scenario, const SessionResult& result) {
    Figures f;
    f.finished = result.simulated.farm.finished;
    f.end = result.observed.end;
    f.verdict = tmon_detrek::analyse(*result.observed.trace, scenario.farm).verdict.kind;
    for (std::size_t node = 0; node < result.simulated.nodes.size(); ++node) {
        const auto& statistics = result.observed.statistics[node];
        std::uint64_t lost = 0;
        for (const auto& range : statistics.losses) {
            const std::uint64_t records = range.last_seq - range.first_seq + 1;
            lost += records;
            f.lost_of_cause[static_cast<std::size_t>(range.cause)] += records;
            f.with_times += range.until_us > 0 && range.until_us <= 1'000'000'000 ? 1 : 0;
            ++f.ranges;
        }
        const bool open = statistics.state == tmon_streams::StreamState::Open;
        f.adds_up = f.adds_up && (open || result.simulated.nodes[node].recorded == statistics.events + lost);
        f.recorded += result.simulated.nodes[node].recorded;
        f.received += statistics.events;
        f.lost += lost;
        for (const auto part : result.observed.trace->streams[node].parts) {
            for (const auto& event : part) f.tasks_received += trace_record::class_of(event.kind) == EventClass::Task ? 1 : 0;
        }
    }
    return f;
}

Figures run_apart(const Scenario& scenario) {
    const auto figures = test_support::in_child([&] {
        SessionResult result;
        oracle::run_session(scenario, result);
        return figures_of(scenario, result);
    });
    EXPECT_TRUE(figures) << "the session died";
    return figures.value_or(Figures{});
}

Figures run_thesis(const std::string& name, const std::vector<Setting>& settings) {
    return run_apart(scenario::read_scenario(MAGICWIRE_SOURCE_DIR "/examples/thesis/" + name + ".yaml", settings, {}));
}

std::uint64_t of_cause(const Figures& f, LossCause cause) {
    return f.lost_of_cause[static_cast<std::size_t>(cause)];
}

class PolicySession : public testing::Test {
protected:
    Figures run(const std::string& policy, std::vector<Setting> settings = {}) {
        settings.insert(settings.end(), {{"monitor.when_full", policy}, {"farm.tasks", "100"}});
        return run_apart(folder.read(watched, settings));
    }
    ScenarioFolder folder;
};

}  // namespace

TEST_F(PolicySession, StopOnTheTunedSessionsLosesNothingAndStandsStillOnlyWhereTheBugIs) {
    for (const char* name : {"dc8", "dc16_good", "dc16_late"}) {
        for (const char* records : {"4", "16"}) {
            const Figures f = run_thesis(name, {{"monitor.buffer", records}, {"monitor.when_full", "stop"}});
            EXPECT_EQ(f.lost, 0U) << name << " with " << records;
            EXPECT_TRUE(f.adds_up) << name << " with " << records;
            EXPECT_EQ(f.end, tmon_streams::SessionEnd::StoodStill) << name << " with " << records;
            EXPECT_NE(f.verdict, tmon_detrek::VerdictKind::Unknown) << name << " with " << records;
        }
    }
}

TEST_F(PolicySession, StopLetsAFarmEndWhateverTheSequenceAndTheRoom) {
    for (const char* unload : {"1000s/0/0", "1000s/8/32", "1000s/900/900"}) {
        for (const char* records : {"1", "4", "16"}) {
            const Figures f = run("stop", {{"monitor.unload", unload}, {"monitor.buffer", records}});
            EXPECT_TRUE(f.finished) << unload << ", " << records;
            EXPECT_EQ(f.lost, 0U) << unload << ", " << records;
            EXPECT_EQ(f.received, f.recorded) << unload << ", " << records;
            EXPECT_EQ(f.verdict, tmon_detrek::VerdictKind::None) << unload << ", " << records;
        }
    }
}

TEST_F(PolicySession, EachAccountsForEveryRecordWithItsOwnCauseAndItsTimes) {
    const std::pair<const char*, LossCause> policies[] = {{"drop-newest", LossCause::BufferFull},
                                                          {"overwrite-oldest", LossCause::Overwritten}};
    for (const auto& [policy, cause] : policies) {
        const Figures f = run(policy, {{"monitor.unload", "1000s/900/900"}, {"monitor.buffer", "8"}});
        EXPECT_TRUE(f.finished) << policy;
        EXPECT_TRUE(f.adds_up) << policy;
        EXPECT_GT(f.lost, 0U) << policy;
        EXPECT_EQ(of_cause(f, cause), f.lost) << policy;
        EXPECT_EQ(f.with_times, f.ranges) << policy;
        EXPECT_NE(f.verdict, tmon_detrek::VerdictKind::Certain) << policy;
    }
}

TEST_F(PolicySession, DegradeKeepsTheLastEventOfWhatIsUnderWay) {
    const Figures f = run("degrade", {{"monitor.unload", "1000s/900/900"}, {"monitor.buffer", "8"}});
    EXPECT_TRUE(f.finished);
    EXPECT_TRUE(f.adds_up);
    EXPECT_GT(of_cause(f, LossCause::Overwritten), 0U);
    EXPECT_NE(f.verdict, tmon_detrek::VerdictKind::Certain);
}

TEST_F(PolicySession, DegradeGivesUpDetailBeforeTasks) {
    const std::vector<Setting> settings = {
        {"monitor.unload", "1000s/4/8"}, {"monitor.buffer", "16"}, {"monitor.events", "task+message+process"}};
    const Figures dropped = run("drop-newest", settings), degraded = run("degrade", settings);
    ASSERT_TRUE(dropped.adds_up && degraded.adds_up);
    ASSERT_GT(dropped.lost, 0U) << "the buffers were too large for this test";
    EXPECT_GT(of_cause(degraded, LossCause::Thinned), 0U);
    EXPECT_GT(degraded.tasks_received, dropped.tasks_received);
}

// No record tells of a task; the final report says that all results came back.
TEST_F(PolicySession, WithoutClassTaskTheFinalReportAloneTells) {
    for (const char* events : {"process", "message+user"}) {
        const Figures f = run("drop-newest", {{"monitor.events", events}});
        EXPECT_TRUE(f.finished) << events;
        EXPECT_EQ(f.tasks_received, 0U) << events;
        EXPECT_GT(of_cause(f, LossCause::SwitchedOff), 0U) << events;
        EXPECT_EQ(f.verdict, tmon_detrek::VerdictKind::None) << events;
    }
}

// In Tmon-de the farm is loaded before the begin, and processes that are held must not keep the command from a node.
TEST_F(PolicySession, EveryChoiceOfClassesBeginsAndEndsUnderBothMonitors) {
    std::filesystem::copy_file(MAGICWIRE_SOURCE_DIR "/topologies/machines/btree_8_interrupts.yaml",
                               folder.path() / "btree_8_interrupts.yaml");
    const auto of_program = session_test::replaced(session_test::replaced(plain, "btree_8.yaml", "btree_8_interrupts.yaml"),
                                                   "tasks: plain.dat", "program: watched_primes");
    for (std::uint8_t bits = 1; bits < 1 << trace_record::event_classes; ++bits) {
        const auto classes = trace_record::ClassSet::from_bits(bits);
        if (classes.has(EventClass::Clock)) continue;  // Tmon always has it, Tmon-de never
        std::string events;
        for (std::uint8_t i = 0; i < trace_record::event_classes; ++i) {
            const auto which = static_cast<EventClass>(i);
            if (classes.has(which)) events += (events.empty() ? "" : "+") + std::string(trace_record::class_name(which));
        }
        for (const char* monitor : {"{kind: tmon-de, unload: [[1000s, 8, 32]]}", "{kind: tmon, interrupt: 5ms}"}) {
            SCOPED_TRACE(events + " " + monitor);
            if (classes.has(EventClass::Usage) && std::string_view(monitor).starts_with("{kind: tmon-de")) continue;  // refused
            const Figures f = run_apart(folder.read(of_program + "monitor: " + monitor + "\n", {{"monitor.events", events}}));
            EXPECT_TRUE(f.finished);
            EXPECT_TRUE(f.adds_up);
            EXPECT_EQ(f.end, tmon_streams::SessionEnd::ProgramEnded);
        }
    }
}

TEST_F(PolicySession, AUsersOwnPolicyDecides) {
    class KeepsFirstRecord final : public BufferPolicy {
    public:
        Choice when_full(const trace_record::Event&, const boost::circular_buffer<trace_record::Event>& buffered) override {
            return {Choice::What::LoseBuffered, buffered.size() > 1 ? 1U : 0U, LossCause::Thinned};
        }
    };
    Scenario scenario = folder.read(watched, {{"monitor.unload", "1000s/900/900"}, {"monitor.buffer", "4"}});
    scenario.monitor->buffer_policy = [](vocabulary::NodeId) { return std::make_unique<KeepsFirstRecord>(); };
    const Figures f = run_apart(scenario);
    EXPECT_TRUE(f.adds_up);
    EXPECT_GT(f.lost, 0U);
    EXPECT_EQ(of_cause(f, LossCause::Thinned), f.lost);
}
