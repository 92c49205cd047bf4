#include <twin/overhead.hpp>

#include <algorithm>

#include <flowback_unload/log_unloading.hpp>
#include <forks/forks.hpp>
#include <instrumentation/accounts.hpp>
#include <oracle/session_result.hpp>
#include <vocabulary/source_position.hpp>

#include <forks/bytes.hpp>
#include <twin/run_watch.hpp>

namespace twin {
namespace {

using trace_record::Event;
using vocabulary::SimTime;

// How long the first task waited at the probe of a manager whose monitor had not begun, as happens under Tmon-de.
SimTime held(const scenario::Scenario& scenario, const oracle::SessionResult& result, SimTime first_task) {
    if (!scenario.monitor) return {};
    const instrumentation::MonitorSettings& monitor = *scenario.monitor;
    const bool waits =
        monitor.kind == instrumentation::MonitorKind::TmonDe && monitor.classes.has(trace_record::EventClass::Task);
    if (!waits || result.simulated.nodes.empty()) return {};
    return std::max(SimTime(), result.simulated.nodes.front().ledger.began - first_task);
}

RunFigures figures_of(const scenario::Scenario& scenario, const oracle::SessionResult& result, const RunWatch& watch) {
    RunFigures run;
    run.finished = result.simulated.farm.finished;
    run.results = watch.results();
    for (const session::NodeLine& node : result.simulated.nodes) {
        run.probe += node.ledger.probe;
        run.meter += node.ledger.meter + node.ledger.policy;
        run.manager += node.ledger.manager;
        run.backend += node.ledger.backend;
        run.kernel += node.kernel_monitor_time;
        run.suspended += node.ledger.suspended;
        run.waited_for_room += node.ledger.waited_for_room;
        run.waits_for_room += node.ledger.waits_for_room;
        run.records += node.ledger.events;
        run.dropped += node.ledger.dropped;
        run.trace_messages += node.ledger.trace_messages;
        run.memory_bytes += node.ledger.memory_bytes;
    }
    for (const session::LinkLine& link : result.simulated.links) {
        const hw_model::LinkTotals::Sums& traces = link.totals.of[instrumentation::accounts::trace_message];
        run.wire += traces.busy;
        run.wire_bytes += traces.bytes;
        run.log_messages_bytes += link.totals.of[flowback_unload::accounts::log].bytes;
    }
    run.began = watch.began();
    run.held = held(scenario, result, run.began);
    return run;
}

std::vector<RunContent> contents_of(const oracle::SessionResult& result, const RunWatch& watch) {
    std::vector<RunContent> contents = watch.contents();
    std::string console = result.observed.console;
    const std::size_t report =
        result.simulated.farm.report.empty() ? std::string::npos : console.find(result.simulated.farm.report);
    if (report != std::string::npos) console.erase(report, result.simulated.farm.report.size());
    contents.push_back({"console", hash_of(std::as_bytes(std::span(console)))});
    for (const auto& [name, bytes] : result.observed.files) contents.push_back({"file " + name, hash_of(bytes)});
    std::sort(contents.begin(), contents.end(), [](const RunContent& a, const RunContent& b) { return a.name < b.name; });
    return contents;
}

// Both runs tell each other how many results they have; the smaller number is compared.
std::uint64_t agreed(std::uint64_t own, forks::ChannelEnd& other_run) {
    forks::Bytes mine;
    mine.put(own);
    other_run.send(mine.take_bytes());
    const auto its = other_run.receive();
    return its ? std::min(own, forks::Bytes(*its).get<std::uint64_t>()) : 0;  // the other run has failed
}

// In the child.
std::string run_and_tell(const scenario::Scenario& scenario, const session::FlowbackPlace& version,
                         forks::ChannelEnd& other_run) {
    oracle::SessionResult result;
    RunWatch watch;
    if (scenario.halo) watch.count_exchanges();
    if (scenario.mpi) watch.count_ranks();
    session::SessionHooks hooks;
    hooks.witnesses = {&watch};
    hooks.flowback = version;
    RunFigures run;
    std::uint64_t compared = 0;
    std::vector<PathShare> path;
    hooks.prepare = [&](trollius_hosted::Multicomputer& machine) { watch.attach(machine); };
    hooks.progress = [&](const session::Progress&) { return !watch.full(); };
    // At the end of the run, when the machine is still there and its path can be walked.
    hooks.gathered = [&](session::LiveSession&) {
        run = figures_of(scenario, result, watch);
        compared = agreed(watch.full() ? 0 : run.results, other_run);
        if (compared == 0) return;
        run.span = watch.span(run.began, compared);
        path = watch.path(run.began, compared);
    };
    oracle::run_session(scenario, result, hooks);
    forks::Bytes bytes;
    bytes.put(watch.full());
    bytes.put(compared);
    bytes.put(run);
    bytes.put_all(path);
    bytes.put_all(std::vector<Event>(result.truth.events().begin(), result.truth.events().end()));
    bytes.put_text(result.truth.run_hash());
    const auto contents = contents_of(result, watch);
    bytes.put(contents.size());
    for (const RunContent& content : contents) {
        bytes.put_text(content.name);
        bytes.put(content.hash);
    }
    return bytes.take_bytes();
}

// The child's answer.
struct Told {
    bool too_long = false;
    std::uint64_t compared = 0;
    RunOutline run;
};

Told told(forks::ChildAnswer& answer) {
    forks::Bytes bytes(std::move(answer.bytes));
    Told child;
    child.too_long = bytes.get<bool>();
    child.compared = bytes.get<std::uint64_t>();
    static_cast<RunFigures&>(child.run) = bytes.get<RunFigures>();
    child.run.path = bytes.get_all<PathShare>();
    child.run.events = bytes.get_all<Event>();
    child.run.run_hash = bytes.get_text();
    child.run.contents.resize(bytes.get<std::size_t>());
    for (RunContent& content : child.run.contents) {
        content.name = bytes.get_text();
        content.hash = bytes.get<std::uint64_t>();
    }
    return child;
}

bool the_host_ended_one(const forks::Forks& forks) {
    return std::ranges::any_of(forks.answers(), [](const forks::ChildAnswer& answer) {
        return answer.how == forks::ChildAnswer::How::Failed && answer.kind == vocabulary::ErrorKind::Host;
    });
}

// Throws when a run fails. A failure of both is told as the monitored one's, whichever comes first, so it waits for the other
// run. After a failure of the host nothing waits.
std::vector<forks::ChildAnswer> run_both(const scenario::Scenario& scenario, const scenario::Scenario& without,
                                         const LoggedVersions& versions) {
    auto [of_first, of_second] = forks::make_channel();
    forks::Forks forks(forks::ProcessGroup::Own);
    if (forks.start()) {
        of_second.close();
        forks.deliver_result([&, &other = of_first] { return run_and_tell(scenario, versions.logging, other); });
    }
    if (forks.start()) {
        of_first.close();
        forks.deliver_result([&, &other = of_second] { return run_and_tell(without, versions.plain, other); });
    }
    of_first.close();
    of_second.close();
    while (forks.running() > 0 && !the_host_ended_one(forks)) forks.listen(-1);
    std::vector<forks::ChildAnswer> answers = forks.take_answers();
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (answers[i].how == forks::ChildAnswer::How::Failed)
            forks::throw_failure(i == 0 ? "the monitored run" : "the run without probes", answers[i]);
    }
    return answers;
}

}  // namespace

Overhead measure_overhead(const scenario::Scenario& scenario, const LoggedVersions& logged) {
    const bool logs = !logged.logging.module.empty();
    if (!scenario.monitor && !logs) {
        throw vocabulary::InputError(
            {scenario.path, 0, 0},
            "the scenario is not monitored, so there is nothing to measure; give it a 'monitor:' with an unload sequence");
    }
    scenario::Scenario without = scenario;
    if (without.monitor) without.monitor->probes_off = true;
    auto answers = run_both(scenario, without, logged);
    Told monitored = told(answers[0]), twin = told(answers[1]);
    if (monitored.too_long || twin.too_long) {
        throw RunTooLong("the run is too long for its bill: more than " + std::to_string(hw_model::Chronicle::most_entries) +
                         " uses and waits of processes; give it fewer tasks (--set farm.tasks=N)");
    }
    Overhead overhead;
    overhead.logged = logs;
    overhead.host = static_cast<std::uint16_t>(scenario.machine.nodes.size());
    overhead.compared = monitored.compared;
    overhead.monitored = std::move(monitored.run);
    overhead.twin = std::move(twin.run);
    compare_runs(overhead);
    return overhead;
}

}  // namespace twin
