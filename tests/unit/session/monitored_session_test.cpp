// Sessions under Tmon: global interrupt, node usage, classes switched while the farm runs, adaptive reporting, programs that
// record events of their own.
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <set>

#include <instrumentation/monctrl.hpp>
#include <instrumentation/probe.hpp>
#include <oracle/session_result.hpp>
#include <session/live_session.hpp>
#include <tmon_detrek/verdict.hpp>
#include <twin/overhead.hpp>

#include "child_process.hpp"
#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace {

using session::LiveSession;
using session_test::plain;
using session_test::replaced;
using session_test::ScenarioFolder;
using trace_record::ClassSet;
using trace_record::Event;
using trace_record::EventClass;
using trace_record::EventKind;
using vocabulary::NodeId;
using vocabulary::SimTime;

// 40 tasks of 3 ms on 8 nodes: some 25 ms.
const std::string under_tmon =
    replaced(plain, "btree_8.yaml", "btree_8_interrupts.yaml") + "monitor: {kind: tmon, interrupt: 5ms}\n";
const std::string events = "monitor.events";
constexpr double late = 500;  // us that other processes of high priority may hold up controller and backend

class TmonSession : public testing::Test {
protected:
    TmonSession() {
        std::filesystem::copy_file(MAGICWIRE_SOURCE_DIR "/topologies/machines/btree_8_interrupts.yaml",
                                   folder.path() / "btree_8_interrupts.yaml");
        folder.write("plain.dat", "0  20 10 0  3000 1000 0  10 10 0  100 10 0  100 10 0\n");
    }
    void run(const std::vector<scenario::Setting>& settings, const session::SessionHooks& hooks = {}) {
        run_text(under_tmon, settings, hooks);
    }
    void run_text(const std::string& text, const std::vector<scenario::Setting>& settings,
                  const session::SessionHooks& hooks = {}) {
        scenario = folder.read(text, settings);
        oracle::run_session(scenario, result, hooks);
    }
    std::vector<Event> of_node(std::size_t node, EventKind kind) const {
        std::vector<Event> found;
        for (const auto& part : result.observed.trace->streams[node].parts)
            std::copy_if(part.begin(), part.end(), std::back_inserter(found),
                         [kind](const Event& e) { return e.kind == kind; });
        return found;
    }
    std::size_t count(EventKind kind) const {
        std::size_t sum = 0;
        for (std::size_t node = 0; node < result.simulated.nodes.size(); ++node) sum += of_node(node, kind).size();
        return sum;
    }
    std::uint64_t lost(std::size_t node) const {
        std::uint64_t sum = 0;
        for (const auto& range : result.observed.trace->streams[node].losses) sum += range.last_seq - range.first_seq + 1;
        return sum;
    }
    // Every number that a probe has given is a record or in a range of losses.
    void expect_that_numbers_add_up() const {
        for (std::size_t node = 0; node < result.simulated.nodes.size(); ++node)
            EXPECT_EQ(result.simulated.nodes[node].recorded, result.observed.trace->streams[node].size() + lost(node))
                << "node " << node;
    }

    ScenarioFolder folder;
    scenario::Scenario scenario;
    oracle::SessionResult result;
};

// Runs code on the host at a moment of the run, as a person who types a command.
class Typed {
public:
    Typed(SimTime after_first_task, std::function<void(trollius_os::Api&)> code)
        : after_(after_first_task), code_(std::move(code)) {}
    session::SessionHooks hooks() {
        return {.first_moment = next_, .at_moment = [this](LiveSession& live) { return look(live); }};
    }

private:
    SimTime look(LiveSession& live) {
        const SimTime began = live.counts().began;
        next_ += SimTime::us(500);  // not from now(), which stands still while nothing happens
        if (began == SimTime::never() || live.now() < began + after_) return next_;
        live.machine().host().create({"typed", trollius_os::Priority::Low, trollius_os::kernel_priority::command, 2048, code_});
        return SimTime::never();
    }
    SimTime after_, next_ = SimTime::ms(1);
    std::function<void(trollius_os::Api&)> code_;
};

const std::vector<NodeId> all_nodes = [] {
    std::vector<NodeId> nodes;
    for (NodeId::value_type i = 0; i < 8; ++i) nodes.emplace_back(i);
    return nodes;
}();

class EveryComputation final : public instrumentation::Probe {
    void on_step(const trek_kernel::TaskStep& what, trollius_os::Api& api) override {
        if (what.process != trek_kernel::UserProcess::Compute) return;
        record({.task = what.task, .subtask = what.moment == trek_kernel::Moment::End, .kind = EventKind::User}, api);
    }
};

}  // namespace

TEST_F(TmonSession, RecordsTheClockOfEveryNodeAtEveryInterrupt) {
    run({});
    EXPECT_TRUE(result.simulated.farm.finished);
    const auto of_master = of_node(0, EventKind::Synchronise);
    ASSERT_GE(of_master.size(), 4U);
    for (std::size_t node = 0; node < 8; ++node) {
        const auto records = of_node(node, EventKind::Synchronise);
        // A node whose part of the farm ended before another's no longer takes the last ones.
        ASSERT_GE(records.size() + 1, of_master.size()) << "node " << node;
        for (std::size_t i = 0; i < records.size(); ++i) EXPECT_EQ(records[i].task, i) << "node " << node;
        for (std::size_t i = 1; i < records.size(); ++i)
            EXPECT_NEAR(static_cast<double>(records[i].time_us - records[i - 1].time_us), 5000, late) << "node " << node;
    }
    EXPECT_EQ(count(EventKind::NodeUsage), 0U) << "that class is off";
    expect_that_numbers_add_up();
}

TEST_F(TmonSession, MissesNoTaskOfAFarmThatIsLoadedAfterTheBegin) {
    run({});
    EXPECT_EQ(count(EventKind::Send) + count(EventKind::Receive), result.truth.moved());
    for (const auto& node : result.simulated.nodes) EXPECT_EQ(node.ledger.counted + node.ledger.dropped, 0U);
}

TEST_F(TmonSession, SumsUpWhatProcessorsHaveDone) {
    struct Truth {
        SimTime when;
        std::array<SimTime, 8> busy;
    };
    std::vector<Truth> truths;
    constexpr SimTime step = SimTime::us(50);
    SimTime next = step;
    const auto look = [&](LiveSession& live) {
        Truth& now = truths.emplace_back();
        now.when = live.now();
        for (std::size_t i = 0; i < 8; ++i)
            now.busy[i] = live.machine().port(all_nodes[i]).busy(trollius_os::Priority::High) +
                          live.machine().port(all_nodes[i]).busy(trollius_os::Priority::Low);
        return next += step;
    };
    run({{events, "task+usage"}, {"clock.drift_most", "0"}}, {.first_moment = step, .at_moment = look});
    for (std::size_t node = 0; node < 8; ++node) {
        const auto records = of_node(node, EventKind::NodeUsage);
        ASSERT_GE(records.size(), 3U);
        const auto true_busy = [&](const Event& at) {
            const SimTime when = result.simulated.nodes[node].ledger.began + SimTime::us(static_cast<std::int64_t>(at.time_us));
            const auto seen = std::lower_bound(truths.begin(), truths.end(), when,
                                               [](const Truth& t, SimTime moment) { return t.when < moment; });
            return seen->busy[node].in_us();
        };
        double sum = 0;
        for (std::size_t i = 1; i < records.size(); ++i) {
            sum += records[i].task + records[i].subtask;
            EXPECT_NEAR(sum, true_busy(records[i]) - true_busy(records[0]), 2 * step.in_us()) << "node " << node;
        }
        EXPECT_GT(sum, 0) << "node " << node;
    }
}

TEST_F(TmonSession, EndsAFarmWithoutTasks) {
    run({{"farm.tasks", "0"}});
    EXPECT_EQ(result.observed.end, tmon_streams::SessionEnd::ProgramEnded);
}

// Under Tmon-de its end reaches the nodes before the monitor has begun.
TEST_F(TmonSession, EndsAFarmWithoutTasksUnderTmonDe) {
    run_text(session_test::watched, {{"farm.tasks", "0"}});
    EXPECT_EQ(result.observed.end, tmon_streams::SessionEnd::ProgramEnded);
}

TEST_F(TmonSession, SaysWhichShareOfTheTimeEachLinkWasSending) {
    run({{events, "usage+task"}, {"application.task_bytes", "4000"}});
    std::uint32_t most = 0;
    for (const Event& record : of_node(1, EventKind::NodeUsage)) {
        EXPECT_EQ(record.bytes >> 24, 0U) << "n1 has no link 3";
        for (unsigned link = 0; link < 3; ++link) {
            EXPECT_LE(record.bytes >> (8 * link) & 0xFFU, 100U);
            most = std::max(most, record.bytes >> (8 * link) & 0xFFU);
        }
    }
    EXPECT_GT(most, 5U) << "tasks of 4 KB go down from n1";
}

TEST_F(TmonSession, RecordsMessagesReceivesAndProcessesOfPrograms) {
    run({{events, "task+message+process"}});
    EXPECT_TRUE(result.simulated.farm.finished);
    // Behind each abstract event stands a message over a circuit, and there are more: tokens, start and stop, the final report.
    EXPECT_GT(count(EventKind::MessageSend), count(EventKind::Send));
    EXPECT_GT(count(EventKind::MessageReceive), count(EventKind::Receive));
    for (std::size_t node = 0; node < 8; ++node)
        EXPECT_GE(of_node(node, EventKind::ReceiveCall).size(), of_node(node, EventKind::MessageReceive).size());
    std::set<std::string> started;
    for (const Event& record : of_node(0, EventKind::ProcessStart)) {
        std::string name;
        for (const std::uint32_t word : {record.task, record.subtask, record.bytes})
            for (unsigned i = 0; i < 4; ++i) name += static_cast<char>(word >> (8 * i) & 0xFFU);
        started.insert(name.c_str());
    }
    EXPECT_THAT(started, testing::IsSupersetOf({"master", "trek.in", "trek.out", "data_generat", "result_recei"}));
    EXPECT_EQ(of_node(0, EventKind::ProcessEnd).size(), 2U) << "data_generator and result_receiver return, the others never do";
    expect_that_numbers_add_up();
}

TEST_F(TmonSession, NamesTheSendOfEachMessageThatAFarmReceives) {
    run({{events, "message"}});
    EXPECT_TRUE(result.simulated.farm.finished);
    std::set<std::pair<std::uint16_t, std::uint32_t>> sends, receives;  // sender and number
    std::size_t without_name = 0;
    for (std::uint16_t node = 0; node < 8; ++node) {
        for (const Event& call : of_node(node, EventKind::SendCall)) EXPECT_TRUE(sends.emplace(node, call.bytes).second);
        const Event* before = nullptr;
        for (const auto part : result.observed.trace->streams[node].in_passing()) {
            for (const Event& record : part) {
                const bool named = before != nullptr && before->kind == EventKind::Partner && before->seq + 1 == record.seq;
                if (record.kind == EventKind::MessageReceive && named) {
                    EXPECT_TRUE(receives.emplace(before->peer, before->task).second);
                }
                without_name += record.kind == EventKind::MessageReceive && !named ? 1 : 0;
                before = &record;
            }
            before = nullptr;  // the part goes
        }
    }
    EXPECT_TRUE(std::includes(sends.begin(), sends.end(), receives.begin(), receives.end()));
    EXPECT_LE(sends.size() - receives.size(), 16U) << "the last ones of nodes whose receiver has ended";
    EXPECT_GT(receives.size(), result.truth.moved() / 2) << "tasks and results, and messages of TrEK's own";
    EXPECT_LE(without_name, 8U) << "of services";
    expect_that_numbers_add_up();
}

TEST_F(TmonSession, SwitchesClassesWhileTheFarmRunsAndShowsWhatItDidNotRecordOfTasks) {
    Typed typed(SimTime::ms(8), [](trollius_os::Api& api) {
        instrumentation::monctrl_classes(api, ClassSet::of(EventClass::Task), false, all_nodes);
        instrumentation::monctrl_classes(api, ClassSet::of(EventClass::Message), true, all_nodes);
    });
    run({{"farm.tasks", "80"}}, typed.hooks());
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_GT(count(EventKind::MessageSend), 0U);
    EXPECT_LT(count(EventKind::Send), result.truth.moved() / 2);
    std::uint64_t counted = 0;
    for (const auto& node : result.simulated.nodes) counted += node.ledger.counted;
    EXPECT_EQ(count(EventKind::Send) + count(EventKind::Receive) + counted, result.truth.moved());
    expect_that_numbers_add_up();
    const auto verdict = tmon_detrek::analyse(*result.observed.trace, scenario.farm).verdict;
    EXPECT_NE(verdict.kind, tmon_detrek::VerdictKind::Certain) << verdict.sentence;
}

TEST_F(TmonSession, StopsAndBeginsAgainWithoutHoldingUpTheFarm) {
    Typed typed(SimTime::ms(8), [](trollius_os::Api& api) {
        instrumentation::monctrl(api, instrumentation::Control::Stop, all_nodes);
        instrumentation::monctrl_master(api, instrumentation::Control::Stop, NodeId(0));
        api.wait_until_clock(api.port().clock_us(trollius_os::Priority::High) + 10'000);
        instrumentation::monctrl(api, instrumentation::Control::Begin, all_nodes);
        instrumentation::monctrl_master(api, instrumentation::Control::Begin, NodeId(0));
    });
    run({{"farm.tasks", "120"}}, typed.hooks());
    EXPECT_TRUE(result.simulated.farm.finished);
    std::uint64_t counted = 0;
    for (std::size_t node = 0; node < 8; ++node) {
        counted += result.simulated.nodes[node].ledger.counted;
        EXPECT_EQ(result.simulated.nodes[node].ledger.suspended, SimTime()) << "node " << node;
        // The numbers go on as the master's clock does, over the gap.
        const auto records = of_node(node, EventKind::Synchronise);
        ASSERT_GE(records.size(), 4U);
        for (std::size_t i = 1; i < records.size(); ++i) {
            const auto steps = static_cast<double>(records[i].task - records[i - 1].task);
            EXPECT_NEAR(static_cast<double>(records[i].time_us - records[i - 1].time_us), steps * 5000, late);
        }
    }
    EXPECT_GT(counted, 0U);
    EXPECT_EQ(count(EventKind::Send) + count(EventKind::Receive) + counted, result.truth.moved());
    expect_that_numbers_add_up();
}

// Tmon-de holds the farm meanwhile, at whatever moment it is stopped, and misses nothing.
class StoppedTmonDe : public TmonSession, public testing::WithParamInterface<int> {};

TEST_P(StoppedTmonDe, HoldsTheFarmUntilItBeginsAgain) {
    Typed typed(SimTime::us(GetParam()), [](trollius_os::Api& api) {
        instrumentation::monctrl(api, instrumentation::Control::Stop, all_nodes);
        api.wait_until_clock(api.port().clock_us(trollius_os::Priority::High) + 50'000);
        instrumentation::monctrl(api, instrumentation::Control::Begin, all_nodes);
    });
    run_text(session_test::watched, {{"farm.tasks", "80"}}, typed.hooks());
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_EQ(count(EventKind::Send) + count(EventKind::Receive), result.truth.moved());
    SimTime suspended;
    for (const auto& node : result.simulated.nodes) suspended += node.ledger.suspended;
    EXPECT_GT(suspended, SimTime::ms(50));
    const auto verdict = tmon_detrek::analyse(*result.observed.trace, scenario.farm).verdict;
    EXPECT_EQ(verdict.kind, tmon_detrek::VerdictKind::None) << verdict.sentence;
    expect_that_numbers_add_up();
}
INSTANTIATE_TEST_SUITE_P(At, StoppedTmonDe, testing::Values(137, 1137, 4137, 9000, 15'137));

TEST_F(TmonSession, UnloadsWholeBuffersOfABusyNodeAndSmallPartsOfAnIdleOne) {
    struct Sent {
        std::uint64_t messages, records;
    };
    const auto messages = [&](const char* percent) {
        return test_support::in_child([&] {
            run({{"farm.tasks", "400"}, {"monitor.processor_percent", percent}, {"monitor.link_percent", percent}});
            return Sent{result.simulated.nodes[1].ledger.trace_messages, result.simulated.nodes[1].ledger.events};
        });
    };
    const auto never_idle = messages("0"), always_idle = messages("100");
    ASSERT_TRUE(never_idle && always_idle);
    EXPECT_LE(never_idle->messages, never_idle->records / 128 + 3) << "full buffers, the rest, the end mark";
    EXPECT_GT(always_idle->messages, 4 * never_idle->messages) << "at every look";
}

TEST_F(TmonSession, TakesWhatAFarmProgramRecordsAndSwitches) {
    scenario = folder.read(replaced(under_tmon, "tasks: plain.dat", "program: watched_primes"), {{events, "task+user"}});
    oracle::run_session(scenario, result);
    ASSERT_TRUE(result.simulated.farm.finished);
    EXPECT_THAT(result.observed.console, testing::HasSubstr("1007 primes below 8000"));
    std::int64_t primes = 0;
    for (std::size_t node = 0; node < 8; ++node) {
        for (const Event& record : of_node(node, EventKind::User)) {
            const auto value = static_cast<std::int64_t>(record.subtask | std::uint64_t{record.bytes} << 32);
            if (record.task == 1) primes += value;
            EXPECT_TRUE(record.task == 1 || value <= 0);
        }
        EXPECT_EQ(of_node(node, EventKind::MessageSend).empty(), node != 2) << "node " << node << ": n2 switches them on";
    }
    EXPECT_EQ(primes, 1007);
    EXPECT_EQ(count(EventKind::User), 80U) << "two a task";
}

TEST_F(TmonSession, AsksAUsersOwnProbe) {
    scenario = folder.read(under_tmon, {{events, "task+user"}});
    scenario.monitor->probe = [](NodeId) { return std::make_unique<EveryComputation>(); };
    oracle::run_session(scenario, result);
    EXPECT_EQ(count(EventKind::User), 80U) << "begin and end of each computation";
}

namespace {

const std::vector<scenario::Setting> free_of_charge = {{"monitor.probe", "0"},
                                                       {"monitor.standard_probe", "0"},
                                                       {"monitor.meter", "0"},
                                                       {"monitor.count", "0"},
                                                       {"monitor.policy", "0"},
                                                       {"monitor.manager_check", "0"},
                                                       {"monitor.pack_record", "0"},
                                                       {"kernel.message_tag", "0"},
                                                       {"monitor.backend", "0"},
                                                       {"monitor.usage_sample", "0"},
                                                       {"monitor.raise_interrupt", "0"},
                                                       {"monitor.manager_period", "1000000"},
                                                       {"monitor.unload", "1000s/256/256"},
                                                       {"monitor.interrupt", "1ms"}};

// An interrupt that costs nothing and writes nothing still has two costs. One is the processor's own switch to a process and
// back. The other is the cycles that links take, which are rounded where a use of the processor is cut in two.
const std::vector<scenario::Setting> free_switches = {{"processor.preempt_latency", "0"},
                                                      {"processor.resume_preempted", "0"},
                                                      {"processor.start_process", "0"},
                                                      {"link.stolen_cycles", "0"}};

}  // namespace

TEST_F(TmonSession, ThatCostsNothingDiffersFromItsTwinByTheSwitchesToAndFromTheBackendOnly) {
    auto settings = free_of_charge;
    settings.insert(settings.end(), free_switches.begin(), free_switches.end());
    const auto overhead = twin::measure_overhead(folder.read(under_tmon, settings));
    EXPECT_EQ(overhead.monitored.run_hash, overhead.twin.run_hash);
    EXPECT_EQ(overhead.monitored.span, overhead.twin.span);
    EXPECT_GT(overhead.monitored.records, overhead.twin.records);
}

TEST_F(TmonSession, ThatCostsNothingIsItsTwinWhileNoInterruptComes) {
    auto settings = free_of_charge;
    settings.emplace_back("monitor.interrupt", "1000s");  // but for the first, before the farm is loaded
    const auto overhead = twin::measure_overhead(folder.read(under_tmon, settings));
    EXPECT_EQ(overhead.monitored.run_hash, overhead.twin.run_hash);
    EXPECT_EQ(overhead.monitored.span, overhead.twin.span);
}

TEST_F(TmonSession, ThatCostsNothingStillInterrupts) {
    const auto overhead = twin::measure_overhead(folder.read(under_tmon, free_of_charge));
    EXPECT_NE(overhead.monitored.run_hash, overhead.twin.run_hash);
    EXPECT_GT(overhead.monitored.span, overhead.twin.span);
}

// The records of each interrupt go on for ever; they are no sign that the farm does.
TEST_F(TmonSession, GivesUpAFarmThatStandsStillWhateverThePeriodOfItsInterrupts) {
    folder.write("dead.faults", "version: 1\nfaults: [{die: n5, on: {task: 20, step: start}}]\n");
    for (const char* period : {"1ms", "5ms", "20ms"}) {
        const auto modelled = test_support::in_child([&]() -> std::int64_t {
            run_text(under_tmon + "faults: dead.faults\n", {{"monitor.interrupt", period}});
            return result.observed.end == tmon_streams::SessionEnd::StoodStill ? result.observed.modelled.in_ps() : 0;
        });
        ASSERT_TRUE(modelled.has_value()) << period;
        EXPECT_GT(*modelled, 0) << period;
        EXPECT_LT(*modelled, SimTime::s(3).in_ps()) << period;
    }
}
