// Breakpoint sets: one place on each process, of which none happens before another. Section 3 of the paper (event_graph.hpp).
#pragma once

#include <optional>
#include <vector>

#include <tmon_recovery/event_graph.hpp>

namespace tmon_recovery {

// So many events of each process are done, and the next has not begun. Entries are at most EventGraph::events().
using BreakpointSet = std::vector<EventNo>;

// The state of process `before` at its breakpoint depends, by these messages, on what `after` does behind its own.
struct Conflict {
    ProcessNo after = 0, before = 0;
    std::vector<MessageNo> chain{};  // from `after` to `before`
};

// Empty: no message is received before a breakpoint and sent behind another. Linear in the events before them.
std::optional<Conflict> conflict(const EventGraph& graph, const BreakpointSet& set);
// Only these processes stand still, and the others may move as far as they must: entries of those are the least. The chain may
// pass them.
std::optional<Conflict> conflict(const EventGraph& graph, const BreakpointSet& set, const std::vector<bool>& named);

// The least set that is consistent and not before this one; and the greatest that is not behind it. Linear.
BreakpointSet raised(const EventGraph& graph, BreakpointSet set);
BreakpointSet lowered(const EventGraph& graph, BreakpointSet set);
// The one of both that moves by fewer events; raised() when they are equal.
BreakpointSet nearest(const EventGraph& graph, const BreakpointSet& set);

// Fowler and Zwaenepoel: every other process stops in its earliest state that reflects all of its events which happened before
// this breakpoint. `event` may be 0.
BreakpointSet causal(const EventGraph& graph, ProcessNo process, EventNo event);

}  // namespace tmon_recovery
