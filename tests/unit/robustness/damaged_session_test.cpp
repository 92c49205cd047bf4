// Whole sessions, from power-up to the verdict, over links that flip bits and swallow messages. Whatever bytes arrive, the
// program does not crash, and the session ends or says where it stands still. A task is completed at most once, and only if it
// was issued. The same seed gives the same run, and no verdict is certain and wrong. MAGICWIRE_DAMAGE_SEEDS runs more.
#include <gmock/gmock.h>

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include <child_process.hpp>
#include <oracle/session_result.hpp>
#include <oracle/truth_judge.hpp>
#include <outcome/outputs.hpp>
#include <tmon_detrek/verdict.hpp>

#include "bad_links.hpp"
#include "test_farm.hpp"

namespace damaged_session_cases {

namespace {

using test_support::BadLinks;
using vocabulary::SimTime;

struct Outcome {
    char run_hash[17] = {};
    char text[400] = {};  // verdict, diagnosis or exception
    std::uint64_t happened = 0, dropped = 0;
    std::uint32_t tasks = 0, issued = 0, possible = 0, completed = 0, unexpected = 0;
    tmon_detrek::VerdictKind verdict = tmon_detrek::VerdictKind::Unknown;
    bool thrown = false, finished = false, wrong = false;

    void say(const std::string& what) { what.copy(text, sizeof text - 1); }
};

// Farm, bug, unloading and rate of damage follow from the seed.
scenario::Scenario scenario_of(std::uint64_t seed) {
    using farm_spec::TreeKind;
    static const farm_spec::FarmSpec farms[] = {
        {.nodes = 8, .tree = TreeKind::Binary, .tasks = 40, .degree = 2, .depth = 5},
        {.nodes = 8, .tree = TreeKind::Binary, .tasks = 60},
        {.nodes = 5, .tree = TreeKind::Chain, .tasks = 40, .buffers = 2},
        {.nodes = 6, .tree = TreeKind::Ternary, .tasks = 30, .degree = 3, .depth = 2},
    };
    static const char* const unloads[] = {"1000000000 0 0", "1000000000 8 32", "1000000000 0 200"};
    scenario::Scenario scenario;
    scenario.name = "damaged";
    scenario.farm = farms[seed % 4];
    scenario.machine = test_support::machine_of(scenario.farm.tree, scenario.farm.nodes);
    scenario.costs = test_support::standard_costs();
    scenario.seed = seed;
    scenario.tasks = test_support::uniform_tasks(400);
    if (seed % 3 == 0) {  // beside the links a function fails, too
        trek_kernel::TaskDescription bad = test_support::uniform_tasks(400).of(0);
        bad.segments[static_cast<std::size_t>(trek_kernel::UserProcess::Compute)].bug = 1 + static_cast<int>(seed / 3 % 5);
        scenario.tasks.set(17, bad);
        scenario.tasks.set(18, test_support::uniform_tasks(400).of(0));
    }
    scenario.sizes = {seed % 5 == 0 ? 2000U : 64U, 64U};
    scenario.monitor.emplace().unload = instrumentation::UnloadSequence::parse(unloads[seed % 3], "unload");
    scenario.quiet = SimTime::ms(100);
    scenario.patience = SimTime::s(5);
    scenario.limit = SimTime::s(60);
    return scenario;
}

BadLinks links_of(std::uint64_t seed) {
    static constexpr std::uint32_t rates[] = {20, 60, 200, 600};
    return {.seed = seed * 7919,
            .one_in = rates[seed / 4 % 4],
            .swallowed_in = seed % 2 == 0 ? 4U : 0U,
            .from_power_up = seed % 8 == 7,
            .happened = 0};
}

void account(Outcome& out, const oracle::SessionResult& result) {
    std::set<std::uint32_t> sent, back;
    for (const auto& event : result.truth.events()) {
        if (event.node != 0) continue;
        if (event.is_result == 0 && event.kind == trace_record::EventKind::Send) sent.insert(event.task);
        if (event.is_result != 0 && event.kind == trace_record::EventKind::Receive && event.subtask == 0)
            back.insert(event.task);
    }
    std::erase_if(back, [&](std::uint32_t task) { return !sent.contains(task); });
    out.possible = static_cast<std::uint32_t>(back.size());
    out.issued = result.simulated.tasks.issued;
    out.completed = result.simulated.tasks.completed;
    out.unexpected = result.simulated.tasks.unexpected;
    out.finished = result.simulated.farm.finished;
}

// Certain of another task than the one whose function failed; "no fault" although tasks are missing counts as certain, too.
bool certain_and_wrong(const Outcome& out, const tmon_detrek::Verdict& verdict, const oracle::SessionResult& result) {
    if (verdict.kind == tmon_detrek::VerdictKind::None) return out.completed != out.tasks;
    if (verdict.kind != tmon_detrek::VerdictKind::Certain) return false;
    for (const auto& bug : result.truth.bugs()) {
        if (verdict.task == bug.bug.task) return false;
    }
    return true;
}

Outcome run(std::uint64_t seed) {
    alarm(100);  // an endless loop of the simulator ends the child, and the test fails
    Outcome out;
    const scenario::Scenario scenario = scenario_of(seed);
    BadLinks links = links_of(seed);
    out.tasks = scenario.farm.tasks;
    const auto result = std::make_unique<oracle::SessionResult>();
    try {
        oracle::run_session(scenario, *result, {.prepare = [&](auto& box) { test_support::spoil(box, links); }});
        const tmon_detrek::Analysis analysis = tmon_detrek::analyse(*result->observed.trace, scenario.farm);
        account(out, *result);
        out.verdict = analysis.verdict.kind;
        out.wrong = certain_and_wrong(out, analysis.verdict, *result);
        out.say(result->observed.diagnosis.empty() ? analysis.verdict.sentence : result->observed.diagnosis);
        outcome::summary_json(scenario, *result, {}, "");
        outcome::oracle_json(scenario, *result);
    } catch (const std::runtime_error& error) {
        out.thrown = true;
        out.say(error.what());
    }
    out.happened = links.happened;
    out.dropped = result->truth.dropped_count();
    result->truth.run_hash().copy(out.run_hash, 16);
    return out;
}

class DamagedSession : public testing::TestWithParam<int> {};

// Seeds in portions; MAGICWIRE_DAMAGE_SEEDS sets how many in all.
std::uint64_t seeds_in_all() {
    const char* const number = std::getenv("MAGICWIRE_DAMAGE_SEEDS");
    return number == nullptr ? 24 : std::strtoull(number, nullptr, 10);
}
constexpr int portions = 4;

std::string printed(std::uint64_t seed, const Outcome& out) {
    return "seed " + std::to_string(seed) + ": " + tmon_detrek::verdict_kind_name(out.verdict) + ", " +
           std::to_string(out.happened) + " damaged, " + std::to_string(out.dropped) + " dropped, " +
           std::to_string(out.completed) + " of " + std::to_string(out.issued) + " issued came back, " +
           std::to_string(out.unexpected) + " unexpected: " + out.text;
}

}  // namespace

TEST_P(DamagedSession, EndsOrSaysWhereItStandsAndIsNeverCertainAndWrong) {
    std::map<tmon_detrek::VerdictKind, int> verdicts;
    for (std::uint64_t seed = 1 + static_cast<std::uint64_t>(GetParam()); seed <= seeds_in_all(); seed += portions) {
        const auto out = test_support::in_child([seed] { return run(seed); });
        ASSERT_TRUE(out.has_value()) << "seed " << seed << ": the simulator fell or did not end";
        SCOPED_TRACE(printed(seed, *out));
        EXPECT_FALSE(out->wrong) << "certain and wrong";
        EXPECT_LE(out->completed, out->possible) << "a task was completed twice, or one that was never sent";
        EXPECT_LE(out->completed, out->issued);
        EXPECT_TRUE(!out->finished || out->completed == out->tasks) << "the farm ended early";
        EXPECT_NE(std::strlen(out->text), 0U) << "nobody says how it ended";
        ++verdicts[out->verdict];
        if (std::getenv("MAGICWIRE_DAMAGE_PRINT") != nullptr) std::puts(printed(seed, *out).c_str());
    }
}

INSTANTIATE_TEST_SUITE_P(Portions, DamagedSession, testing::Range(0, portions));

TEST(DamagedSessions, AreTheSameTwice) {
    for (const std::uint64_t seed : {3U, 6U, 9U}) {
        const auto one = test_support::in_child([seed] { return run(seed); });
        const auto two = test_support::in_child([seed] { return run(seed); });
        ASSERT_TRUE(one && two);
        EXPECT_GT(one->happened, 0U);
        EXPECT_STREQ(one->run_hash, two->run_hash);
        EXPECT_STREQ(one->text, two->text);
    }
}

}  // namespace damaged_session_cases
