// The price of watching: a scenario is run twice from the same seed, once as it is and once with the monitor left out (the
// twin). What differs between the two is what monitoring did: in time, and in the order of events.
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
    vocabulary::SimTime span;  // from the first task that leaves the manager to the last step of the farm, without suspension
    std::uint64_t results = 0;
    std::string run_hash;
    std::vector<trace_record::Event> events;  // truth, in true order
    // The bill, summed over the nodes.
    vocabulary::SimTime probe, meter, manager, kernel, wire, suspended;
    std::uint64_t records = 0, dropped = 0, trace_messages = 0, wire_bytes = 0, memory_bytes = 0;
};

struct OrderChange {
    std::uint16_t node = 0;
    std::uint32_t seq = 0;  // in that node's order, from 0
    trace_record::Event monitored, twin;
};

struct Overhead {
    RunOutline monitored, twin;
    std::optional<OrderChange> first_change;  // earliest in the monitored run; empty: no node saw another order
    std::uint64_t nodes_changed = 0;
};

// Runs both, each in a process of its own. Throws InputError when the scenario is not monitored.
Overhead measure_overhead(const Scenario& scenario);
std::string overhead_text(const Scenario& scenario, const Overhead& overhead);
std::string overhead_json(const Scenario& scenario, const Overhead& overhead);

}  // namespace tmon_session
