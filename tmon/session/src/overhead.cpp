#include <tmon_session/overhead.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <type_traits>

#include <tmon_session/session.hpp>
#include <vocabulary/source_position.hpp>

namespace tmon_session {
namespace {

using trace_record::Event;
using vocabulary::SimTime;

RunOutline outline(const SessionResult& result) {
    RunOutline run;
    run.finished = result.farm.finished;
    run.results = result.truth.results_at_manager();
    run.run_hash = result.truth.run_hash();
    run.events = result.truth.events();
    SimTime first_suspension;  // the manager's: until monitoring began, its first task waited at the probe
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
    if (!result.nodes.empty()) first_suspension = result.nodes.front().ledger.suspended;
    for (const LinkLine& link : result.links) {
        run.wire += link.totals.busy[static_cast<std::size_t>(hw_model::Traffic::Monitor)];
        run.wire_bytes += link.totals.bytes[static_cast<std::size_t>(hw_model::Traffic::Monitor)];
    }
    run.span = result.farm_ended - result.farm_began - first_suspension;
    return run;
}

// Plain data over a pipe, from a child to the parent that made it: both are the same program, so memory layout is no concern.
class Pipe {
public:
    Pipe() {
        if (pipe(ends_) != 0) throw std::runtime_error("the host has no pipe left for a second run");
    }
    void child_side() { close(ends_[0]); }
    void parent_side() { close(ends_[1]); }
    template <class T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        write_all(&value, sizeof value);
    }
    template <class T>
    bool get(T& value) {
        return read_all(&value, sizeof value);
    }
    void write_all(const void* data, std::size_t bytes) {
        const auto* at = static_cast<const char*>(data);
        while (bytes > 0) {
            const ssize_t written = write(ends_[1], at, bytes);
            if (written <= 0) _exit(1);
            at += written;
            bytes -= static_cast<std::size_t>(written);
        }
    }
    bool read_all(void* data, std::size_t bytes) {
        auto* at = static_cast<char*>(data);
        while (bytes > 0) {
            const ssize_t got = read(ends_[0], at, bytes);
            if (got <= 0) return false;
            at += got;
            bytes -= static_cast<std::size_t>(got);
        }
        return true;
    }
    void close_read() { close(ends_[0]); }

private:
    int ends_[2];
};

struct Figures {  // of a RunOutline, without its texts and lists
    bool finished;
    SimTime span, probe, meter, manager, kernel, wire, suspended;
    std::uint64_t results, records, dropped, trace_messages, wire_bytes, memory_bytes, event_count;
    char run_hash[16];
};

void send(Pipe& pipe, const RunOutline& run) {
    Figures f{run.finished,   run.span,         run.probe,         run.meter,   run.manager, run.kernel,
              run.wire,       run.suspended,    run.results,       run.records, run.dropped, run.trace_messages,
              run.wire_bytes, run.memory_bytes, run.events.size(), {}};
    run.run_hash.copy(f.run_hash, sizeof f.run_hash);
    pipe.put(f);
    pipe.write_all(run.events.data(), run.events.size() * sizeof(Event));
}

bool receive(Pipe& pipe, RunOutline& run) {
    Figures f{};
    if (!pipe.get(f)) return false;
    run = {f.finished, f.span,           f.results,    std::string(f.run_hash, sizeof f.run_hash),
           {},         f.probe,          f.meter,      f.manager,
           f.kernel,   f.wire,           f.suspended,  f.records,
           f.dropped,  f.trace_messages, f.wire_bytes, f.memory_bytes};
    run.events.resize(f.event_count);
    return pipe.read_all(run.events.data(), f.event_count * sizeof(Event));
}

RunOutline run_in_child(const Scenario& scenario) {
    Pipe pipe;
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

void compare_order(Overhead& overhead) {
    const auto monitored = by_node(overhead.monitored.events), twin = by_node(overhead.twin.events);
    for (std::size_t node = 0; node < std::min(monitored.size(), twin.size()); ++node) {
        const auto& a = monitored[node];
        const auto& b = twin[node];
        const auto [at, other] = std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())),
                                               b.begin(), same_step);
        if (at == a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()))) continue;
        ++overhead.nodes_changed;
        if (!overhead.first_change || at->time_us < overhead.first_change->monitored.time_us) {
            overhead.first_change = OrderChange{static_cast<std::uint16_t>(node), at->seq, *at, *other};
        }
    }
}

}  // namespace

Overhead measure_overhead(const Scenario& scenario) {
    if (!scenario.unload) {
        throw vocabulary::InputError(
            {scenario.path, 0, 0},
            "the scenario is not monitored, so there is nothing to measure; give it a 'monitor:' with an unload sequence");
    }
    Scenario without = scenario;
    without.unload.reset();
    Overhead overhead{run_in_child(scenario), run_in_child(without), {}, 0};
    compare_order(overhead);
    return overhead;
}

}  // namespace tmon_session
