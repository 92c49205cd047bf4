// The price of watching: a scenario is run twice from the same seed, once as it is and once with its probes off (the twin:
// the monitor is loaded and begins as usual, so that both farms start alike, but records nothing and costs nothing). What
// differs between the two is what monitoring did: in time, and in the order of events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tmon_session/scenario.hpp>
#include <trace_record/event.hpp>
#include <vocabulary/sim_time.hpp>

namespace tmon_session {

// What is kept of one of the two runs.
struct RunOutline {
    bool finished = false;
    vocabulary::SimTime span;  // from the first event to the last result that both runs have, without the manager's suspension
    std::uint64_t results = 0;
    std::string run_hash;
    std::vector<trace_record::Event> events;  // truth, in true order
    // The bill, summed over the nodes.
    vocabulary::SimTime probe, meter, manager, kernel, wire, suspended;
    vocabulary::SimTime manager_suspended;  // from the first event until monitoring began on node 0
    std::uint64_t records = 0, dropped = 0, trace_messages = 0, wire_bytes = 0, memory_bytes = 0;
};

struct OrderChange {
    std::uint16_t node = 0;
    std::uint32_t seq = 0;                               // in that node's order, from 0
    std::optional<trace_record::Event> monitored, twin;  // empty: that run has no more events on this node
};

struct Overhead {
    RunOutline monitored, twin;
    std::optional<OrderChange> first_change;  // earliest; empty: every node saw the same events in the same order
    std::uint64_t nodes_changed = 0;
    std::uint64_t compared = 0;  // results both runs have: as much work is compared, and none when it is 0
};

// Fills in the spans, `compared` and the changes of order from the events of both runs.
void compare_runs(Overhead& overhead);

// Runs both, each in a process of its own. Throws InputError when the scenario is not monitored.
Overhead measure_overhead(const Scenario& scenario);
std::string overhead_text(const Scenario& scenario, const Overhead& overhead);
std::string overhead_json(const Scenario& scenario, const Overhead& overhead);

}  // namespace tmon_session
