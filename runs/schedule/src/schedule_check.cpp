// The whole run with the chosen plan and its twin, beside what the search expected of them.
#include <algorithm>
#include <utility>

#include <schedule/schedule.hpp>
#include <session/session.hpp>
#include <tmon_detrek/detrek.hpp>
#include <vocabulary/contract.hpp>

#include <forks/child_pool.hpp>
#include <twin/run_watch.hpp>
#include "probe_run.hpp"

namespace schedule {
namespace {

// Figures that the search does not look at: the nodes' counts, and the records on the host.
struct Collected {
    std::uint64_t made = 0, lost = 0, on_host = 0;
    bool traced = false, certain = false;
};

struct WholeRun {
    ProbeRun times;  // spans to its results, and nothing else
    Collected collected;
    std::string verdict;
};

// In a child.
std::string whole_run(const scenario::Scenario& scenario) {
    twin::RunWatch watch;
    session::SessionHooks hooks;
    hooks.witnesses = {&watch};
    session::Observed observed;
    session::Simulated simulated;
    session::run_session(scenario, observed, simulated, hooks);
    Collected collected;
    for (const session::NodeLine& node : simulated.nodes)
        collected.made += node.ledger.events, collected.lost += node.ledger.dropped;
    std::string verdict;
    if (observed.trace && !scenario.monitor->probes_off) {
        for (const tmon_streams::Stream& stream : observed.trace->streams)
            for (const auto& part : stream.parts) collected.on_host += part.size();
        const tmon_detrek::DetrekResult report = tmon_detrek::report_detrek(*observed.trace, scenario.farm, {});
        collected.traced = true;
        collected.certain = report.verdict.kind == tmon_detrek::VerdictKind::Certain;
        verdict = report.text.substr(0, report.text.find('\n'));
    }
    forks::Bytes bytes;
    bytes.put_all(watch.spans_ps(watch.began()));
    bytes.put(collected);
    bytes.put_text(verdict);
    return bytes.take_bytes();
}

WholeRun told(const char* which, forks::ChildAnswer& answer) {
    if (answer.how != forks::ChildAnswer::How::Done) forks::throw_failure(which, answer);
    forks::Bytes bytes(std::move(answer.bytes));
    WholeRun run;
    run.times.result_ps = bytes.get_all<std::int64_t>();
    run.collected = bytes.get<Collected>();
    run.verdict = bytes.get_text();
    return run;
}

ScheduleCheck compared(const MonitorTrial& expected, const Schedule& schedule, const WholeRun& run, const ProbeRun& twin) {
    ScheduleCheck check;
    check.slow_down_percent = slow_down_percent(run.times, twin);
    check.common = common_work(run.times, twin);
    check.limit_kept = check.slow_down_percent && *check.slow_down_percent <= schedule.limit_percent;
    const Collected& collected = run.collected;
    check.records = collected.made;
    check.lost = collected.lost;
    check.verdict = run.verdict;
    if (collected.traced) check.taken_along = check.records - std::min(check.records, check.lost + collected.on_host);
    const std::uint64_t most = expected.expected_lost(schedule.series.tasks);
    if (expected.cut) {  // losses are extrapolated: a tenth more, or 1 %, is as expected
        check.loss_as_expected = check.lost <= most + std::max(most / 10, check.records / 100);
        return check;
    }
    check.loss_as_expected = check.lost == most && (!check.taken_along || *check.taken_along == expected.taken_along());
    check.verdict_as_expected = !collected.traced || collected.certain == expected.certain;
    return check;
}

}  // namespace

std::optional<ScheduleCheck> check_schedule(const scenario::Scenario& scenario, const Schedule& schedule,
                                            const ScheduleProgress& progress) {
    EXPECTS(schedule.chosen.has_value(), "schedule.check");
    const MonitorTrial& expected = schedule.series.trials[*schedule.chosen];
    const scenario::Scenario planned = expected.plan.applied_to(scenario);
    scenario::Scenario twin = planned;
    twin.monitor->probes_off = true;
    bool interrupted = false;
    auto answers = forks::run_children(
        2, [&](std::size_t i) { return whole_run(i == 0 ? planned : twin); },
        [&](std::size_t done) {
            interrupted = interrupted || !progress("whole run", done, 2);
            return !interrupted;
        });
    if (interrupted) return {};
    return compared(expected, schedule, told("the whole run", answers[0]), told("its twin without probes", answers[1]).times);
}

}  // namespace schedule
