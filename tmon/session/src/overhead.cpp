#include <tmon_session/overhead.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include <tmon_session/session.hpp>
#include <vocabulary/source_position.hpp>

#include "child_pipe.hpp"

namespace tmon_session {
namespace {

using trace_record::Event;
using vocabulary::SimTime;

RunOutline outline(const SessionResult& result) {
    RunOutline run;
    run.finished = result.farm.finished;
    run.results = result.truth.results_at_manager();
    run.run_hash = result.truth.run_hash();
    run.events.assign(result.truth.events().begin(), result.truth.events().end());
    for (const NodeLine& node : result.nodes) {
        run.probe += node.ledger.probe;
        run.meter += node.ledger.meter;
        run.manager += node.ledger.manager;
        run.kernel += node.kernel_monitor_time;
        run.suspended += node.ledger.suspended;
        run.records += node.ledger.events;
        run.dropped += node.ledger.dropped;
        run.trace_messages += node.ledger.trace_messages;
        run.memory_bytes += node.ledger.memory_bytes;
    }
    // Until monitoring began on the manager its first task waited at the probe.
    if (!result.nodes.empty())
        run.manager_suspended = std::max(SimTime(), result.nodes.front().ledger.began - result.farm_began);
    for (const LinkLine& link : result.links) {
        run.wire += link.totals.busy[static_cast<std::size_t>(hw_model::Traffic::Monitor)];
        run.wire_bytes += link.totals.bytes[static_cast<std::size_t>(hw_model::Traffic::Monitor)];
    }
    return run;
}

struct Figures {  // of a RunOutline, without its texts and lists
    bool finished;
    SimTime probe, meter, manager, kernel, wire, suspended, manager_suspended;
    std::uint64_t results, records, dropped, trace_messages, wire_bytes, memory_bytes, event_count;
    char run_hash[16];
};

void send(ChildPipe& pipe, const RunOutline& run) {
    Figures f{};
    f.finished = run.finished;
    f.probe = run.probe, f.meter = run.meter, f.manager = run.manager, f.kernel = run.kernel, f.wire = run.wire;
    f.suspended = run.suspended, f.manager_suspended = run.manager_suspended;
    f.results = run.results, f.records = run.records, f.dropped = run.dropped, f.trace_messages = run.trace_messages;
    f.wire_bytes = run.wire_bytes, f.memory_bytes = run.memory_bytes, f.event_count = run.events.size();
    run.run_hash.copy(f.run_hash, sizeof f.run_hash);
    pipe.put(f);
    pipe.write_all(run.events.data(), run.events.size() * sizeof(Event));
}

bool receive(ChildPipe& pipe, RunOutline& run) {
    Figures f{};
    if (!pipe.get(f)) return false;
    run.finished = f.finished;
    run.run_hash.assign(f.run_hash, sizeof f.run_hash);
    run.probe = f.probe, run.meter = f.meter, run.manager = f.manager, run.kernel = f.kernel, run.wire = f.wire;
    run.suspended = f.suspended, run.manager_suspended = f.manager_suspended;
    run.results = f.results, run.records = f.records, run.dropped = f.dropped, run.trace_messages = f.trace_messages;
    run.wire_bytes = f.wire_bytes, run.memory_bytes = f.memory_bytes;
    run.events.resize(f.event_count);
    return pipe.read_all(run.events.data(), f.event_count * sizeof(Event));
}

RunOutline run_in_child(const Scenario& scenario) {
    ChildPipe pipe;
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("the host cannot start a second process for the twin");
    if (child == 0) {
        pipe.child_side();
        try {
            SessionResult result;
            run_session(scenario, result, {});
            send(pipe, outline(result));
        } catch (const std::exception& error) {
            std::fprintf(stderr, "magicwire: %s\n", error.what());
            _exit(1);
        }
        _exit(0);
    }
    pipe.parent_side();
    RunOutline run;
    const bool whole = receive(pipe, run);
    pipe.close_read();
    int status = 0;
    waitpid(child, &status, 0);
    if (!whole || status != 0) throw std::runtime_error("one of the two runs failed; its message is above");
    return run;
}

bool same_step(const Event& a, const Event& b) {
    return a.kind == b.kind && a.peer == b.peer && a.task == b.task && a.subtask == b.subtask && a.is_result == b.is_result;
}

std::vector<std::vector<Event>> by_node(const std::vector<Event>& events) {
    std::vector<std::vector<Event>> nodes;
    for (const Event& event : events) {
        if (nodes.size() <= event.node) nodes.resize(event.node + 1U);
        nodes[event.node].push_back(event);
    }
    return nodes;
}

// Where the lists part, or nothing; a list that is the beginning of the other parts from it at its end.
std::optional<OrderChange> first_difference(const std::vector<Event>& monitored, const std::vector<Event>& twin) {
    const auto [a, b] = std::mismatch(monitored.begin(), monitored.end(), twin.begin(), twin.end(), same_step);
    if (a == monitored.end() && b == twin.end()) return {};
    OrderChange change;
    change.seq = static_cast<std::uint32_t>(a - monitored.begin());
    if (a != monitored.end()) change.monitored = *a;
    if (b != twin.end()) change.twin = *b;
    return change;
}

std::uint64_t time_us(const OrderChange& change) {
    return change.monitored ? change.monitored->time_us : change.twin->time_us;
}

void compare_order(Overhead& overhead) {
    auto monitored = by_node(overhead.monitored.events), twin = by_node(overhead.twin.events);
    const std::size_t nodes = std::max(monitored.size(), twin.size());
    monitored.resize(nodes);
    twin.resize(nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
        auto change = first_difference(monitored[node], twin[node]);
        if (!change) continue;
        change->node = static_cast<std::uint16_t>(node);
        ++overhead.nodes_changed;
        if (!overhead.first_change || time_us(*change) < time_us(*overhead.first_change)) overhead.first_change = change;
    }
}

bool is_result_at_manager(const Event& event) {
    return event.node == 0 && event.kind == trace_record::EventKind::Receive && event.is_result != 0;
}

// Until monitoring began the manager's first task waited at the probe; that is no work.
SimTime span_to_result(const RunOutline& run, std::uint64_t wanted) {
    std::uint64_t seen = 0;
    for (const Event& event : run.events) {
        if (!is_result_at_manager(event) || ++seen < wanted) continue;
        return SimTime::us(static_cast<std::int64_t>(event.time_us - run.events.front().time_us)) - run.manager_suspended;
    }
    return {};
}

// A run that stopped early did less work, so its whole time says nothing: both are measured to the last result both have.
void compare_spans(Overhead& overhead) {
    overhead.compared = std::min(overhead.monitored.results, overhead.twin.results);
    if (overhead.compared == 0) return;
    overhead.monitored.span = span_to_result(overhead.monitored, overhead.compared);
    overhead.twin.span = span_to_result(overhead.twin, overhead.compared);
}

}  // namespace

void compare_runs(Overhead& overhead) {
    compare_spans(overhead);
    compare_order(overhead);
}

Overhead measure_overhead(const Scenario& scenario) {
    if (!scenario.unload) {
        throw vocabulary::InputError(
            {scenario.path, 0, 0},
            "the scenario is not monitored, so there is nothing to measure; give it a 'monitor:' with an unload sequence");
    }
    Scenario without = scenario;
    without.probes_off = true;
    Overhead overhead;
    overhead.monitored = run_in_child(scenario);
    overhead.twin = run_in_child(without);
    compare_runs(overhead);
    return overhead;
}

}  // namespace tmon_session
