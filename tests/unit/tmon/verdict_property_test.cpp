// Certain and wrong is the worst defect: thousands of random farms with random true faults and random losses must never show
// it.
#include <gmock/gmock.h>

#include <random>

#include "abstract_farm.hpp"
#include "tmon/verdict.hpp"

namespace tmon {
namespace {

using testing_support::FarmHistory;
using testing_support::FarmScenario;
using testing_support::Fault;
using testing_support::run_abstract_farm;
using testing_support::TrueStop;
using testing_support::UserFunction;
using Random = std::mt19937;

unsigned below(Random& random, unsigned bound) {
    return random() % bound;
}
bool chance(Random& random, unsigned percent) {
    return below(random, 100) < percent;
}

FarmSpec random_spec(Random& random) {
    FarmSpec spec;
    spec.processors = 2 + below(random, 7);
    spec.topology = static_cast<TreeShape>(1 + below(random, 3));
    spec.tasks = 1 + below(random, 12);
    spec.degree = 1 + below(random, 3);
    spec.depth = 1 + below(random, 3);
    return spec;
}

Fault random_fault(Random& random, const FarmSpec& spec) {
    Fault fault;
    fault.function = static_cast<UserFunction>(below(random, 5));
    fault.task = below(random, spec.tasks);
    if (chance(random, 50)) fault.node = static_cast<std::uint16_t>(below(random, spec.processors));
    fault.kills_node = chance(random, 60);
    fault.ends_program = fault.function == UserFunction::Receive && chance(random, 60);
    return fault;
}

FarmScenario random_scenario(std::uint32_t seed) {
    Random random(seed);
    FarmScenario scenario;
    scenario.spec = random_spec(random);
    scenario.seed = seed * 7919 + 1;
    const unsigned faults = chance(random, 80) ? 1 : 2;
    for (unsigned i = 0; i < faults; ++i) scenario.faults.push_back(random_fault(random, scenario.spec));
    scenario.task_buffers = 1 + below(random, 2);
    scenario.result_buffers = 1 + below(random, 3);
    if (chance(random, 10)) scenario.stop_after = below(random, 200);
    return scenario;
}

SessionEnd session_of(const FarmHistory& history, Random& random) {
    if (history.cut) return SessionEnd::Cut;
    if (chance(random, 30)) return SessionEnd::Unknown;
    return history.program_ended ? SessionEnd::ProgramEnded : SessionEnd::StoodStill;
}

// The assumption that a silent node below living ones has died, or waits for nothing above it, excludes only this: a receiver
// that keeps results from rising while living nodes are out of reach.
bool may_silence_living_nodes(const FarmHistory& history) {
    for (const TrueStop& stop : history.stops) {
        if (stop.function == UserFunction::Receive) return false;
    }
    return true;
}

Trace with_losses(const FarmHistory& history, SessionEnd how, Random& random, bool any_loss) {
    Collector collector(static_cast<std::uint16_t>(history.dead.size()));
    auto records = history.records;
    for (std::uint16_t node = 0; node < history.dead.size(); ++node) {
        const auto& all = records.records()[node];
        const auto total = static_cast<std::uint32_t>(all.size());
        std::uint32_t kept = total;
        bool open = history.dead[node];
        if (any_loss && !open && may_silence_living_nodes(history)) open = chance(random, 12);
        if (open && any_loss) kept -= std::min(total, chance(random, 15) ? total : below(random, 6));
        std::span<const Event> part(all.data(), kept);
        if (any_loss && kept > 2 && chance(random, 12)) {  // a gap
            const std::uint32_t first = below(random, kept);
            const std::uint32_t last = std::min(kept - 1, first + below(random, 8));
            collector.receive(node, 0, part.first(first));
            if (chance(random, 50)) collector.dropped(node, first, last, LossCause::BufferFull);
            part = part.subspan(last + 1);
        }
        if (!part.empty()) collector.receive(node, part.front().seq, part);
        if (!open) collector.end(node, total);
    }
    return collector.finish(how);
}

std::string function_name(UserFunction function) {
    switch (function) {
        case UserFunction::Generate:
            return "data_generator()";
        case UserFunction::Compute:
            return "comp_fn()";
        case UserFunction::Split:
            return "split_fn()";
        case UserFunction::Join:
            return "join_fn()";
        case UserFunction::Receive:
            return "result_receiver()";
    }
    return "";
}

bool is_true(const Verdict& verdict, std::size_t place, const std::vector<TrueStop>& stops) {
    for (const TrueStop& stop : stops) {
        if (verdict.process.find(function_name(stop.function)) == std::string::npos) continue;
        if (stop.function == UserFunction::Receive) return true;
        if (stop.task == verdict.task && stop.subtask == verdict.subtasks[place] && stop.node == verdict.nodes[place])
            return true;
    }
    return false;
}

// What is wrong about a certain verdict, or nothing.
std::string defect(const Verdict& verdict, const FarmHistory& history) {
    if (verdict.kind == VerdictKind::None) return "";  // a fault after the last result harms nobody
    if (verdict.kind != VerdictKind::Certain) return "";
    if (verdict.nodes.empty()) return "certain of nothing";
    for (std::size_t place = 0; place < verdict.nodes.size(); ++place) {
        if (!is_true(verdict, place, history.stops)) return "no such fault";
    }
    for (const TrueStop& stop : history.stops) {
        if (stop.function != UserFunction::Receive && verdict.process != "result_receiver()" && stop.task < *verdict.task) {
            return "an earlier task failed";
        }
    }
    return "";
}

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
            tally.likely_true += is_true(verdict, 0, history.stops) ? 1 : 0;
            break;
    }
}

TEST(VerdictProperty, CertainIsNeverWrongWhateverIsLost) {
    Tally tally;
    for (std::uint32_t seed = 1; seed <= 60'000; ++seed) {
        const FarmScenario scenario = random_scenario(seed);
        const FarmHistory history = run_abstract_farm(scenario);
        Random random(seed ^ 0x5555);
        const Trace trace = with_losses(history, session_of(history, random), random, chance(random, 75));
        const Verdict verdict = analyse(trace, scenario.spec).verdict;
        count(tally, verdict, history);
        ASSERT_EQ(defect(verdict, history), "") << "seed " << seed << ": " << verdict.sentence;
    }
    // Rules that never dare anything would pass too.
    EXPECT_GT(tally.certain, 4'000u);
    EXPECT_GT(tally.unknown, 3'000u);
    std::printf("certain %u, likely %u (true %u), unknown %u, none %u\n", tally.certain, tally.likely, tally.likely_true,
                tally.unknown, tally.none);
}

// A function that fails on a leaf, all records there: the process is decidable, unless two sub-tasks were under way to the
// leaf.
TEST(VerdictProperty, WithoutLossesASingleFaultIsCertainOrNamedAsLikely) {
    Tally tally;
    unsigned faults = 0;
    for (std::uint32_t seed = 1; seed <= 5'000; ++seed) {
        FarmScenario scenario = random_scenario(seed);
        scenario.faults.resize(1);
        scenario.stop_after.reset();
        const FarmHistory history = run_abstract_farm(scenario);
        if (history.stops.empty()) continue;
        ++faults;
        Random random(seed);
        const SessionEnd how = history.program_ended ? SessionEnd::ProgramEnded : SessionEnd::StoodStill;
        const Verdict verdict = analyse(with_losses(history, how, random, false), scenario.spec).verdict;
        count(tally, verdict, history);
        ASSERT_EQ(defect(verdict, history), "") << "seed " << seed << ": " << verdict.sentence;
        EXPECT_NE(verdict.kind, VerdictKind::Unknown) << "seed " << seed << ": " << verdict.sentence;
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
        scenario.spec = {3, TreeShape::Chain, 8, 1, 1};
        scenario.faults = {{UserFunction::Compute, seed % 8, std::uint16_t{2}, false, false}};
        scenario.stop_after.reset();
        const FarmHistory history = run_abstract_farm(scenario);
        if (history.stops.empty()) continue;  // the root worker computed that task
        Random random(seed);
        const Verdict verdict = analyse(with_losses(history, SessionEnd::StoodStill, random, false), scenario.spec).verdict;
        ASSERT_EQ(defect(verdict, history), "") << "seed " << seed << ": " << verdict.sentence;
        certain += verdict.kind == VerdictKind::Certain ? 1 : 0;
    }
    EXPECT_GT(certain, 100u);
}

}  // namespace
}  // namespace tmon
