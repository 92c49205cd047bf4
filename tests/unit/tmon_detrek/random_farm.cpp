#include "random_farm.hpp"

#include <algorithm>

namespace testing_support {

using trace_record::LossCause;

unsigned below(Random& random, unsigned bound) {
    return random() % bound;
}
bool chance(Random& random, unsigned percent) {
    return below(random, 100) < percent;
}

// Every node has a parent with a lower or a higher number, or no part in the farm; node 0 often has several children.
static void give_tree(farm_spec::FarmSpec& spec, Random& random) {
    spec.tree = farm_spec::TreeKind::Given;
    std::vector<std::uint16_t> members{0};
    std::vector<std::uint16_t> rest;
    for (std::uint32_t node = 1; node < spec.nodes; ++node) rest.push_back(static_cast<std::uint16_t>(node));
    std::shuffle(rest.begin(), rest.end(), random);
    if (rest.size() > 1 && chance(random, 20)) rest.pop_back();
    spec.parents.assign(spec.nodes, std::nullopt);
    for (const std::uint16_t node : rest) {
        std::vector<std::uint16_t> able;
        for (const std::uint16_t above : members) {
            if (std::count(spec.parents.begin(), spec.parents.end(), vocabulary::NodeId(above)) < 4) able.push_back(above);
        }
        const bool first = chance(random, 25);
        spec.parents[node] = vocabulary::NodeId(first ? able.front() : able[below(random, static_cast<unsigned>(able.size()))]);
        members.push_back(node);
    }
}

static farm_spec::FarmSpec random_spec(Random& random) {
    farm_spec::FarmSpec spec;
    spec.nodes = 2 + below(random, 7);
    spec.tree = static_cast<farm_spec::TreeKind>(1 + below(random, 3));
    if (chance(random, 50)) give_tree(spec, random);
    spec.tasks = 1 + below(random, 12);
    spec.degree = 1 + below(random, 3);
    spec.depth = 1 + below(random, 3);
    if (chance(random, 30)) spec.granularity = 2 + below(random, 3);
    if (spec.granularity > 1) spec.tasks *= spec.granularity;
    if (chance(random, 60)) spec.policy = static_cast<farm_spec::Policy>(below(random, farm_spec::policies));
    spec.survives = chance(random, 25);
    return spec;
}

static Fault random_fault(Random& random, const farm_spec::FarmSpec& spec) {
    Fault fault;
    fault.function = static_cast<UserFunction>(below(random, 5));
    const std::uint32_t units = (spec.tasks + spec.granularity - 1) / spec.granularity;
    fault.task = below(random, units) * spec.granularity;
    if (chance(random, 50)) fault.node = static_cast<std::uint16_t>(below(random, spec.nodes));
    fault.kills_node = chance(random, 60);
    fault.ends_program = fault.function == UserFunction::Receive && chance(random, 60);
    if (fault.function != UserFunction::Receive && chance(random, 20)) {
        fault.what = static_cast<Wrong>(1 + below(random, 4));
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
    const auto some_worker = [&] { return static_cast<std::uint16_t>(1 + below(random, scenario.spec.nodes - 1)); };
    for (unsigned strikes = chance(random, 35) ? 1 + below(random, 2) : 0; strikes > 0; --strikes) {
        const auto what = static_cast<HardwareFault>(below(random, 3));
        const std::uint16_t node = some_worker();
        if (scenario.spec.parent(vocabulary::NodeId(node))) scenario.strikes.push_back({what, node, below(random, 200)});
    }
    if (chance(random, 5)) scenario.never_begun = some_worker();
    if (scenario.never_begun && !scenario.spec.parent(vocabulary::NodeId(*scenario.never_begun))) scenario.never_begun.reset();
    if (!scenario.strikes.empty() && chance(random, 50)) scenario.faults.clear();
    return scenario;
}

tmon_streams::SessionEnd session_of(const FarmHistory& history, Random& random) {
    if (history.cut) return tmon_streams::SessionEnd::Cut;
    if (chance(random, 30)) return tmon_streams::SessionEnd::Unknown;
    return history.program_ended ? tmon_streams::SessionEnd::ProgramEnded : tmon_streams::SessionEnd::StoodStill;
}

// A silent node below living ones is assumed to have died, or to wait for nothing above it. This excludes only a receiver that
// keeps results from rising while living nodes are out of reach.
static bool may_silence_living_nodes(const FarmHistory& history) {
    for (const TrueStop& stop : history.stops) {
        if (stop.function == UserFunction::Receive) return false;
    }
    return true;
}

// Marks that take other ways come from cut-off nodes, too.
static bool is_heard(const FarmHistory& history, std::uint16_t node, bool other_ways) {
    if (history.never_begun == node || history.dead[node]) return false;
    return other_ways || !history.cut_off[node];
}

tmon_streams::Trace with_losses(const FarmHistory& history, tmon_streams::SessionEnd how, Random& random, bool any_loss) {
    tmon_streams::Collector collector(static_cast<std::uint16_t>(history.dead.size()));
    auto records = history.records;
    const bool other_ways = chance(random, 20);
    for (std::uint16_t node = 0; node < history.dead.size(); ++node) {
        const auto& all = records.records()[node];
        const auto total = static_cast<std::uint32_t>(all.size());
        std::uint32_t kept = total;
        bool open = !is_heard(history, node, other_ways);
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
    tmon_streams::Trace trace = collector.finish(how);
    trace.marks_take_other_ways = other_ways;
    return trace;
}

using trace_record::ClassSet;
using trace_record::EventClass;

tmon_streams::Trace thinned(const FarmHistory& history, tmon_streams::SessionEnd how, Random& random) {
    tmon_streams::Collector collector(static_cast<std::uint16_t>(history.dead.size()));
    auto records = history.records;
    const bool other_ways = chance(random, 20);
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
        if (is_heard(history, node, other_ways)) collector.end(node, seq);
    }
    tmon_streams::Trace trace = collector.finish(how);
    trace.marks_take_other_ways = other_ways;
    return trace;
}

}  // namespace testing_support
