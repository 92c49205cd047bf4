#include <tmon_session/overhead.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>

#include <tmon_session/session.hpp>
#include <vocabulary/source_position.hpp>

#include "run_watch.hpp"
#include "twin_process.hpp"

namespace tmon_session {
namespace {

using trace_record::Event;
using vocabulary::SimTime;

// What goes through the pipe of a run, in this order.
struct Figures {  // of a RunOutline, without its texts and lists
    SimTime began, probe, meter, manager, backend, kernel, wire, suspended;
    std::uint64_t results, records, dropped, trace_messages, wire_bytes, memory_bytes;
    bool finished, too_long;
};

Figures figures(const SessionResult& result, const RunWatch& watch) {
    Figures run{};
    run.finished = result.farm.finished;
    run.too_long = watch.full();
    run.results = watch.results();
    for (const NodeLine& node : result.nodes) {
        run.probe += node.ledger.probe;
        run.meter += node.ledger.meter;
        run.manager += node.ledger.manager;
        run.backend += node.ledger.backend;
        run.kernel += node.kernel_monitor_time;
        run.suspended += node.ledger.suspended;
        run.records += node.ledger.events;
        run.dropped += node.ledger.dropped;
        run.trace_messages += node.ledger.trace_messages;
        run.memory_bytes += node.ledger.memory_bytes;
    }
    for (const LinkLine& link : result.links) {
        run.wire += link.totals.busy[static_cast<std::size_t>(hw_model::Traffic::Monitor)];
        run.wire_bytes += link.totals.bytes[static_cast<std::size_t>(hw_model::Traffic::Monitor)];
    }
    run.began = watch.began(result);
    return run;
}

std::vector<RunContent> contents_of(const SessionResult& result, const RunWatch& watch) {
    std::vector<RunContent> contents = watch.contents();
    std::string console = result.console;
    const std::size_t report = result.farm.report.empty() ? std::string::npos : console.find(result.farm.report);
    if (report != std::string::npos) console.erase(report, result.farm.report.size());
    contents.push_back({"console", hash_of(std::as_bytes(std::span(console)))});
    for (const auto& [name, bytes] : result.program.files) contents.push_back({"file " + name, hash_of(bytes)});
    std::sort(contents.begin(), contents.end(), [](const RunContent& a, const RunContent& b) { return a.name < b.name; });
    return contents;
}

// In the child: the run; then to the parent what it found, and back how many results are compared.
void run_and_tell(const Scenario& scenario, Exchange& parent) {
    SessionResult result;
    RunWatch watch;
    SessionHooks hooks;
    hooks.observers = {&watch};
    // Called once more at the end of the run, when the machine is still there and its path can be walked.
    Figures run{};
    std::uint64_t compared = 0;
    SimTime span;
    std::vector<PathShare> path;
    hooks.prepare = [&](Multicomputer& machine) { watch.attach(machine); };
    hooks.progress = [&](const Progress&) { return !watch.full(); };
    hooks.gathered = [&] {
        run = figures(result, watch);
        if (!parent.put(run) || !parent.get(compared) || compared == 0) return;
        span = watch.span(run.began, compared);
        path = watch.path(run.began, compared);
    };
    run_session(scenario, result, hooks);
    const std::vector<Event> events(result.truth.events().begin(), result.truth.events().end());
    parent.put(span);
    parent.put(path);
    parent.put(events);
    parent.put(result.truth.run_hash());
    const auto contents = contents_of(result, watch);
    parent.put(std::uint64_t{contents.size()});
    for (const RunContent& content : contents) {
        parent.put(content.name);
        parent.put(content.hash);
    }
}

bool get_figures(TwinProcess& child, RunOutline& run, bool& too_long) {
    Figures f{};
    if (!child.get(f)) return false;
    run.finished = f.finished;
    run.began = f.began;
    run.probe = f.probe, run.meter = f.meter, run.manager = f.manager, run.backend = f.backend, run.kernel = f.kernel,
    run.wire = f.wire;
    run.suspended = f.suspended;
    run.results = f.results, run.records = f.records, run.dropped = f.dropped, run.trace_messages = f.trace_messages;
    run.wire_bytes = f.wire_bytes, run.memory_bytes = f.memory_bytes;
    too_long = too_long || f.too_long;
    return true;
}

bool get_rest(TwinProcess& child, RunOutline& run) {
    std::uint64_t contents = 0;
    if (!child.get(run.span) || !child.get(run.path) || !child.get(run.events) || !child.get(run.run_hash) ||
        !child.get(contents))
        return false;
    run.contents.resize(contents);
    return std::all_of(run.contents.begin(), run.contents.end(),
                       [&](RunContent& content) { return child.get(content.name) && child.get(content.hash); });
}

void check(bool whole) {
    if (!whole) throw std::runtime_error("one of the two runs failed; its message is above");
}

}  // namespace

Overhead measure_overhead(const Scenario& scenario) {
    if (!scenario.monitor) {
        throw vocabulary::InputError(
            {scenario.path, 0, 0},
            "the scenario is not monitored, so there is nothing to measure; give it a 'monitor:' with an unload sequence");
    }
    Scenario without = scenario;
    without.probes_off = true;
    TwinProcess monitored([&](Exchange& parent) { run_and_tell(scenario, parent); });
    TwinProcess twin([&](Exchange& parent) { run_and_tell(without, parent); });
    Overhead overhead;
    overhead.host = static_cast<std::uint16_t>(scenario.machine.nodes.size());
    bool too_long = false;
    check(get_figures(monitored, overhead.monitored, too_long) && get_figures(twin, overhead.twin, too_long));
    if (too_long) {
        throw RunTooLong("the run is too long for its bill: more than " + std::to_string(hw_model::Chronicle::most_entries) +
                         " uses and waits of processes; give it fewer tasks (--set farm.tasks=N)");
    }
    overhead.compared = std::min(overhead.monitored.results, overhead.twin.results);
    check(monitored.put(overhead.compared) && twin.put(overhead.compared));
    check(get_rest(monitored, overhead.monitored) && monitored.succeeded());
    check(get_rest(twin, overhead.twin) && twin.succeeded());
    compare_runs(overhead);
    return overhead;
}

}  // namespace tmon_session
