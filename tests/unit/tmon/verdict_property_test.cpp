// Certain and wrong is the worst defect: thousands of random farms with random true faults and random losses must never show
// it.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
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
using testing_support::Wrong;
using Random = std::mt19937;

unsigned below(Random& random, unsigned bound) {
    return random() % bound;
}
bool chance(Random& random, unsigned percent) {
    return below(random, 100) < percent;
}

// Every node has a parent with a lower or a higher number, or no part in the farm; node 0 often has several children.
void give_tree(FarmSpec& spec, Random& random) {
    spec.topology = TreeShape::Given;
    std::vector<std::uint16_t> members{0};
    std::vector<std::uint16_t> rest;
    for (std::uint32_t node = 1; node < spec.processors; ++node) rest.push_back(static_cast<std::uint16_t>(node));
    std::shuffle(rest.begin(), rest.end(), random);
    if (rest.size() > 1 && chance(random, 20)) rest.pop_back();
    spec.parents.assign(spec.processors, std::nullopt);
    for (const std::uint16_t node : rest) {
        std::vector<std::uint16_t> able;
        for (const std::uint16_t above : members) {
            if (std::count(spec.parents.begin(), spec.parents.end(), above) < 4) able.push_back(above);
        }
        spec.parents[node] = chance(random, 25) ? able.front() : able[below(random, static_cast<unsigned>(able.size()))];
        members.push_back(node);
    }
}

FarmSpec random_spec(Random& random) {
    FarmSpec spec;
    spec.processors = 2 + below(random, 7);
    spec.topology = static_cast<TreeShape>(1 + below(random, 3));
    if (chance(random, 50)) give_tree(spec, random);
    spec.tasks = 1 + below(random, 12);
    spec.degree = 1 + below(random, 3);
    spec.depth = 1 + below(random, 3);
    if (chance(random, 30)) spec.granularity = 2 + below(random, 3);
    if (spec.granularity > 1) spec.tasks *= spec.granularity;
    if (chance(random, 60)) spec.distribution = static_cast<Distribution>(below(random, distributions));
    spec.survives = chance(random, 25);
    return spec;
}

Fault random_fault(Random& random, const FarmSpec& spec) {
    Fault fault;
    fault.function = static_cast<UserFunction>(below(random, 5));
    const std::uint32_t units = (spec.tasks + spec.granularity - 1) / spec.granularity;
    fault.task = below(random, units) * spec.granularity;
    if (chance(random, 50)) fault.node = static_cast<std::uint16_t>(below(random, spec.processors));
    fault.kills_node = chance(random, 60);
    fault.ends_program = fault.function == UserFunction::Receive && chance(random, 60);
    if (fault.function != UserFunction::Receive && chance(random, 20)) {
        fault.what = static_cast<Wrong>(1 + below(random, 3));
        fault.other_task = below(random, units) * spec.granularity;
    }
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
            if (chance(random, 50)) collector.dropped({node, first, last, LossCause::BufferFull});
            part = part.subspan(last + 1);
        }
        if (!part.empty()) collector.receive(node, part.front().seq, part);
        if (!open) collector.end(node, total);
    }
    return collector.finish(how);
}

using trace_record::ClassSet;
using trace_record::EventClass;

// Detail stands between the records of tasks, and any record may have been given up, as a policy for full buffers does: each
// loss is told with its classes, of which detail alone hides nothing.
Trace thinned(const FarmHistory& history, SessionEnd how, Random& random) {
    Collector collector(static_cast<std::uint16_t>(history.dead.size()));
    auto records = history.records;
    for (std::uint16_t node = 0; node < history.dead.size(); ++node) {
        std::uint32_t seq = 0;
        const auto& all = records.records()[node];
        const auto take = [&](Event event, unsigned lost_percent) {
            event.seq = seq++;
            const EventClass which = trace_record::class_of(event.kind);
            const auto cause = which == EventClass::Task ? LossCause::Overwritten : LossCause::Thinned;
            if (!chance(random, lost_percent)) return (void)collector.receive(node, event.seq, std::span(&event, 1));
            collector.dropped({node, event.seq, event.seq, cause, ClassSet::of(which), event.time_us, event.time_us});
        };
        const std::size_t overwritten = chance(random, 12) ? below(random, static_cast<unsigned>(all.size()) + 1) : 0;
        const unsigned percent = chance(random, 15) ? below(random, 40) : 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (unsigned j = below(random, 3); j > 0; --j) take({.node = node, .kind = EventKind::MessageSend}, 60);
            take(all[i], i < overwritten ? 100 : percent);
        }
        if (!history.dead[node]) collector.end(node, seq);
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
    if (verdict.kind == VerdictKind::None) {  // a fault after the last result harms nobody
        const FarmSpec& spec = history.records.spec();
        const std::uint32_t units = (spec.tasks + spec.granularity - 1) / spec.granularity;
        return history.at_home.size() == units ? "" : "not everything came home";
    }
    if (verdict.kind != VerdictKind::Certain) return "";
    if (verdict.nodes.empty()) return "certain of nothing";
    for (std::size_t place = 0; place < verdict.nodes.size(); ++place) {
        if (!is_true(verdict, place, history.stops)) return "no such fault";
    }
    for (const TrueStop& stop : history.stops) {
        const bool lost = stop.function != UserFunction::Receive && history.at_home.count(stop.task) == 0;
        if (lost && verdict.process != "result_receiver()" && stop.task < *verdict.task) {
            return "an earlier task failed";
        }
    }
    return "";
}

// The case, for whoever has to look into it.
std::string described(const FarmScenario& scenario, const FarmHistory& history) {
    const FarmSpec& spec = scenario.spec;
    std::string text = "parents";
    for (std::uint32_t node = 1; node < spec.processors; ++node) {
        const auto parent = spec.parent(static_cast<std::uint16_t>(node));
        text += parent ? " " + std::to_string(*parent) : " -";
    }
    text += ", tasks " + std::to_string(spec.tasks) + ", degree " + std::to_string(spec.degree) + ", granularity " +
            std::to_string(spec.granularity) + ", " + distribution_name(spec.distribution) +
            (spec.survives ? ", survives" : "");
    for (const Fault& fault : scenario.faults) {
        text += "; " + function_name(fault.function) + " " + std::to_string(fault.task) +
                (fault.node ? " on " + std::to_string(*fault.node) : "") + " kind " +
                std::to_string(static_cast<int>(fault.what)) + (fault.kills_node ? " kills" : " hangs") +
                (fault.ends_program ? ", ends" : "");
    }
    for (const TrueStop& stop : history.stops) {
        text += "; stop " + function_name(stop.function) + " " + std::to_string(stop.task) + " on " + std::to_string(stop.node);
    }
    return text;
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
    const char* const count_text = std::getenv("VERDICT_PROPERTY_CASES");  // for a long run by hand
    const std::uint32_t cases = count_text != nullptr ? static_cast<std::uint32_t>(std::atoi(count_text)) : 60'000;
    for (std::uint32_t seed = 1; seed <= cases; ++seed) {
        const FarmScenario scenario = random_scenario(seed);
        const FarmHistory history = run_abstract_farm(scenario);
        Random random(seed ^ 0x5555);
        const Trace trace = with_losses(history, session_of(history, random), random, chance(random, 75));
        const Verdict verdict = analyse(trace, scenario.spec).verdict;
        count(tally, verdict, history);
        ASSERT_EQ(defect(verdict, history), "") << "seed " << seed << ": " << verdict.sentence << "\n"
                                                << described(scenario, history);
    }
    // Rules that never dare anything would pass too.
    EXPECT_GT(tally.certain, 4'000u);
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
