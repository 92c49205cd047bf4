// Certain and wrong is the worst defect: thousands of random farms with random true faults and random losses must never show
// it.
#include <gmock/gmock.h>

#include <cstdlib>

#include "history_judge.hpp"
#include "random_farm.hpp"

namespace tmon_detrek {
namespace {

using namespace testing_support;

struct Tally {
    unsigned certain = 0;
    unsigned likely = 0;
    unsigned likely_true = 0;
    unsigned unknown = 0;
    unsigned none = 0;
};

void count(Tally& tally, const Verdict& verdict, const FarmHistory& history) {
    switch (verdict.kind) {
        case VerdictKind::None:
            ++tally.none;
            break;
        case VerdictKind::Certain:
            ++tally.certain;
            break;
        case VerdictKind::Unknown:
            ++tally.unknown;
            break;
        case VerdictKind::Likely:
            ++tally.likely;
            tally.likely_true += names_a_stop(verdict, history) ? 1 : 0;
            break;
    }
}

TEST(VerdictProperty, CertainIsNeverWrongWhateverIsLost) {
    Tally tally;
    const char* const count_text = std::getenv("VERDICT_PROPERTY_CASES");  // for a long run by hand
    const std::uint32_t cases = count_text != nullptr ? static_cast<std::uint32_t>(std::atoi(count_text)) : 60'000;
    for (std::uint32_t seed = 1; seed <= cases; ++seed) {
        const FarmScenario scenario = random_scenario(seed);
        const FarmHistory history = run_abstract_farm(scenario);
        Random random(seed ^ 0x5555);
        const tmon_streams::Trace trace = with_losses(history, session_of(history, random), random, chance(random, 75));
        const Verdict verdict = analyse(trace, scenario.spec).verdict;
        count(tally, verdict, history);
        ASSERT_EQ(defect(verdict, history), "") << "seed " << seed << ": " << verdict.sentence << "\n"
                                                << described(scenario, history);
    }
    // Rules that never dare anything would pass too.
    EXPECT_GT(tally.certain, 2'500u);
    EXPECT_GT(tally.unknown, 3'000u);
    std::printf("certain %u, likely %u (true %u), unknown %u, none %u\n", tally.certain, tally.likely, tally.likely_true,
                tally.unknown, tally.none);
}

TEST(VerdictProperty, CertainIsNeverWrongWhateverAFullBufferGaveUp) {
    Tally tally;
    const char* const count_text = std::getenv("VERDICT_PROPERTY_CASES");
    const std::uint32_t cases = count_text != nullptr ? static_cast<std::uint32_t>(std::atoi(count_text)) : 20'000;
    for (std::uint32_t seed = 1; seed <= cases; ++seed) {
        const FarmScenario scenario = random_scenario(seed);
        const FarmHistory history = run_abstract_farm(scenario);
        Random random(seed ^ 0xAAAA);
        const Verdict verdict = analyse(thinned(history, session_of(history, random), random), scenario.spec).verdict;
        count(tally, verdict, history);
        ASSERT_EQ(defect(verdict, history), "") << "seed " << seed << ": " << verdict.sentence << "\n"
                                                << described(scenario, history);
    }
    EXPECT_GT(tally.certain, 700u);
    EXPECT_GT(tally.unknown, 1'000u);
    std::printf("certain %u, likely %u (true %u), unknown %u, none %u\n", tally.certain, tally.likely, tally.likely_true,
                tally.unknown, tally.none);
}

// A function fails on a leaf, and all records are there. The process is decidable, unless two sub-tasks were under way to the
// leaf.
TEST(VerdictProperty, WithoutLossesASingleFaultIsCertainOrNamedAsLikely) {
    Tally tally;
    unsigned faults = 0;
    for (std::uint32_t seed = 1; seed <= 5'000; ++seed) {
        FarmScenario scenario = random_scenario(seed);
        scenario.faults.resize(1);
        scenario.strikes.clear();
        scenario.never_begun.reset();
        scenario.stop_after.reset();
        const FarmHistory history = run_abstract_farm(scenario);
        if (history.stops.empty() || history.dead[0]) continue;  // below a dead manager nobody is heard
        ++faults;
        Random random(seed);
        const tmon_streams::SessionEnd how =
            history.program_ended ? tmon_streams::SessionEnd::ProgramEnded : tmon_streams::SessionEnd::StoodStill;
        const Verdict verdict = analyse(with_losses(history, how, random, false), scenario.spec).verdict;
        count(tally, verdict, history);
        ASSERT_EQ(defect(verdict, history), "") << "seed " << seed << ": " << verdict.sentence << "\n"
                                                << described(scenario, history);
        // Records of messages that went wrong may contradict each other; a manager without workers works unseen.
        if (scenario.faults[0].what != Wrong::Stops || scenario.spec.survives) continue;
        EXPECT_NE(verdict.kind, VerdictKind::Unknown) << "seed " << seed << ": " << verdict.sentence << "\n"
                                                      << described(scenario, history);
    }
    std::printf("of %u faults: certain %u, likely %u (true %u), none %u\n", faults, tally.certain, tally.likely,
                tally.likely_true, tally.none);
    EXPECT_GT(tally.certain + tally.likely_true, faults * 3 / 4);
}

// The decidable case: a leaf below the root worker that hangs alone; no result from above can be in its way.
TEST(VerdictProperty, ALivingLeafThatHangsAloneIsCertain) {
    unsigned certain = 0;
    for (std::uint32_t seed = 1; seed <= 2'000; ++seed) {
        FarmScenario scenario = random_scenario(seed);
        scenario.spec = {3, farm_spec::TreeKind::Chain, 8, 1, 1};
        scenario.faults = {{UserFunction::Compute, seed % 8, std::uint16_t{2}, false, false}};
        scenario.strikes.clear();
        scenario.never_begun.reset();
        scenario.stop_after.reset();
        const FarmHistory history = run_abstract_farm(scenario);
        if (history.stops.empty()) continue;  // the root worker computed that task
        Random random(seed);
        const Verdict verdict =
            analyse(with_losses(history, tmon_streams::SessionEnd::StoodStill, random, false), scenario.spec).verdict;
        ASSERT_EQ(defect(verdict, history), "") << "seed " << seed << ": " << verdict.sentence;
        certain += verdict.kind == VerdictKind::Certain ? 1 : 0;
    }
    EXPECT_GT(certain, 100u);
}

}  // namespace
}  // namespace tmon_detrek
