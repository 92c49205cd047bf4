#include "probe_run.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <session/session.hpp>
#include <tmon_detrek/verdict.hpp>

#include <forks/child_pool.hpp>
#include <twin/run_watch.hpp>

namespace schedule {
namespace {

using vocabulary::SimTime;

// Counts what the class `task` would record on each node, and notes each call of a user's function.
class FarmNotes final : public trek_kernel::Witness {
public:
    explicit FarmNotes(std::size_t nodes) : events_of_node(nodes) {}
    void on_moved(const trek_kernel::TaskMoved& what, SimTime) override {
        if (what.node.value() < events_of_node.size()) ++events_of_node[what.node.value()];
    }
    void on_step(const trek_kernel::TaskStep& what, SimTime when) override {
        const std::pair key{what.node.value(), static_cast<int>(what.process)};
        if (what.moment == trek_kernel::Moment::Begin) {
            begun_[key] = when.in_ps();
        } else if (const auto found = begun_.find(key); found != begun_.end()) {
            calls.push_back({found->second, when.in_ps(), key.first, {}});
            begun_.erase(found);
        }
    }

    std::vector<std::uint64_t> events_of_node;
    std::vector<FunctionCall> calls;

private:
    std::map<std::pair<std::uint16_t, int>, std::int64_t> begun_;
};

// By the clock of the monitor that was switched on first: no other shows a later time when the fault strikes.
void take_strike(const session::Simulated& simulated, const twin::RunWatch& watch, ProbeRun& run) {
    SimTime first = watch.first_strike();
    for (const hw_model::FaultStrike& strike : simulated.faults.strikes) first = std::min(first, strike.when);
    SimTime began = first;
    for (const session::NodeLine& node : simulated.nodes)
        if (node.ledger.events > 0) began = std::min(began, node.ledger.began);
    if (first < SimTime::never()) run.strike_us = static_cast<std::uint64_t>((first - began).in_us());
}

// Verdict of the analysis of the collected trace. For a cut run it would only say that it was cut.
void take_verdict(const scenario::Scenario& scenario, const session::Observed& observed, ProbeRun& run) {
    if (!observed.trace || run.cut) return;
    const tmon_detrek::Verdict verdict = tmon_detrek::analyse(*observed.trace, scenario.farm).verdict;
    run.certain = verdict.kind == tmon_detrek::VerdictKind::Certain;
}

std::optional<SimTime> unless_never(SimTime time) {
    return time == SimTime::never() ? std::nullopt : std::optional(time);
}

}  // namespace

std::string packed(const ProbeRun& run) {
    forks::Bytes bytes;
    bytes.put(run.finished);
    bytes.put(run.cut);
    bytes.put(run.certain);
    bytes.put(run.strike_us);
    bytes.put_all(run.result_ps);
    bytes.put_all(run.events_of_node);
    bytes.put(run.records);
    bytes.put(run.began_ps);
    bytes.put(run.span_ps);
    bytes.put(run.lost_late);
    const TraceExposure& e = run.exposure;
    bytes.put_all(e.nodes);
    bytes.put(e.mean);
    for (const std::uint64_t figure : {e.made, e.lost, e.kept}) bytes.put(figure);
    bytes.put(e.calls);
    bytes.put(e.shortest_stay.value_or(SimTime::never()));
    bytes.put(e.longest_stay.value_or(SimTime::never()));
    bytes.put(e.shortest_on);
    return bytes.take_bytes();
}

ProbeRun unpacked(std::string text) {
    forks::Bytes bytes(std::move(text));
    ProbeRun run;
    run.finished = bytes.get<bool>();
    run.cut = bytes.get<bool>();
    run.certain = bytes.get<bool>();
    run.strike_us = bytes.get<std::uint64_t>();
    run.result_ps = bytes.get_all<std::int64_t>();
    run.events_of_node = bytes.get_all<std::uint64_t>();
    run.records = bytes.get<decltype(run.records)>();
    run.began_ps = bytes.get<std::int64_t>();
    run.span_ps = bytes.get<std::int64_t>();
    run.lost_late = bytes.get<std::uint64_t>();
    TraceExposure& e = run.exposure;
    e.nodes = bytes.get_all<NodeExposure>();
    e.mean = bytes.get<double>();
    for (std::uint64_t* figure : {&e.made, &e.lost, &e.kept}) *figure = bytes.get<std::uint64_t>();
    e.calls = bytes.get<CallExposure>();
    e.shortest_stay = unless_never(bytes.get<SimTime>());
    e.longest_stay = unless_never(bytes.get<SimTime>());
    e.shortest_on = bytes.get<std::uint16_t>();
    return run;
}

std::uint64_t ProbeRun::made() const {
    return std::accumulate(records.begin(), records.end(), std::uint64_t{0});
}

CommonWork common_work(const ProbeRun& run, const ProbeRun& twin, std::uint64_t most) {
    const auto results = [most](const ProbeRun& of) {
        const std::uint64_t all = of.result_ps.size();
        return most > 0 ? std::min(all, most) : all;
    };
    return {std::min(results(run), results(twin)), results(run) != results(twin)};
}

std::optional<double> slow_down_percent(const ProbeRun& run, const ProbeRun& twin, std::uint64_t most) {
    const std::uint64_t compared = common_work(run, twin, most).results;
    if (compared == 0 || twin.result_ps[compared - 1] <= 0) return {};
    return 100.0 * (static_cast<double>(run.result_ps[compared - 1]) / static_cast<double>(twin.result_ps[compared - 1]) - 1.0);
}

ProbeRun probe_run(const scenario::Scenario& scenario, const ProbeOptions& options, ProbeWatch* by) {
    scenario::Scenario watched = scenario;
    TraceJournal journal;
    if (options.journal && watched.monitor) watched.monitor->watch = &journal;
    session::SessionHooks hooks;
    if (options.journal) hooks.prepare = [&](trollius_hosted::Multicomputer& machine) { journal.watch(machine); };
    ProbeRun run;
    if (options.results > 0 || by != nullptr)
        hooks.progress = [&](const session::Progress& progress) {
            run.cut =
                run.cut || (options.results > 0 && progress.results >= options.results) || (by != nullptr && by->enough());
            return !run.cut;
        };
    if (by != nullptr) {
        hooks.first_moment = SimTime();
        hooks.at_moment = [&](session::LiveSession& live) { return by->look(live); };
    }
    twin::RunWatch watch;
    FarmNotes notes(scenario.farm.nodes);
    hooks.witnesses = {&watch, &notes};
    session::Observed observed;
    session::Simulated simulated;
    session::run_session(watched, observed, simulated, hooks);
    run.finished = simulated.farm.finished;
    run.began_ps = simulated.counts.began.in_ps();
    run.span_ps = (simulated.counts.last_step - simulated.counts.began).in_ps();
    run.result_ps = watch.spans_ps(watch.began());
    run.events_of_node = notes.events_of_node;
    take_strike(simulated, watch, run);
    take_verdict(scenario, observed, run);
    run.ways = journal.ways();
    run.journal = journal.take_entries();
    for (const JournalEntry& entry : run.journal) {
        if (entry.what == JournalEntry::What::Passed) continue;
        ++run.records[entry.event_class];
        const bool late = entry.ps > run.began_ps + run.span_ps / 2;
        if (late && entry.what == JournalEntry::What::Lost) ++run.lost_late;
    }
    run.exposure = exposure_of(run.journal, run.ways, notes.calls);
    return run;
}

std::vector<ProbeRun> probe_runs(const std::vector<scenario::Scenario>& scenarios, const ProbeOptions& options,
                                 const std::function<bool(std::size_t)>& go_on) {
    auto answers = forks::run_children(
        scenarios.size(), [&](std::size_t i) { return packed(probe_run(scenarios[i], options)); }, go_on);
    std::vector<ProbeRun> runs;
    for (forks::ChildAnswer& answer : answers) {
        if (answer.how == forks::ChildAnswer::How::Done) {
            runs.push_back(unpacked(std::move(answer.bytes)));
            continue;
        }
        runs.emplace_back();
        runs.back().kind = answer.kind;
        runs.back().failure = answer.how == forks::ChildAnswer::How::Failed ? answer.failure : not_run;
    }
    return runs;
}

}  // namespace schedule
