// The checkpoints from which a replay reaches a breakpoint set, and the time that it takes: sections 4 to 6 of the paper
// (event_graph.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tmon_recovery/breakpoints.hpp>
#include <tmon_recovery/event_graph.hpp>
#include <tmon_recovery/intervals.hpp>
#include <tmon_recovery/logging.hpp>

namespace tmon_recovery {

using GlobalCheckpoint = std::vector<CheckpointNo>;  // of each process one

// The latest line from which everything that the breakpoints need is logged or sent again. With Method::Consistent it has no
// orphans either. Lines that do are closed under the maximum, so there is one latest. `set` has no conflict(). Cost: the events
// between line and breakpoints.
GlobalCheckpoint recovery_line(const EventGraph& graph, const Intervals& intervals, const Log& log, Method method,
                               const BreakpointSet& set);

// Messages that cross a global checkpoint, of those that come before a breakpoint.
struct Crossing {
    std::vector<MessageNo> orphans{};     // received before it and sent behind it: a replay swallows them
    std::vector<MessageNo> in_transit{};  // sent before it and received behind it: a replay takes them from the log
};
Crossing crossing(const EventGraph& graph, const Intervals& intervals, const GlobalCheckpoint& line, const BreakpointSet& set);

// The longest way of a process from its checkpoint to its breakpoint, as it ran first. In nanoseconds of its clock.
std::int64_t distance_ns(const EventGraph& graph, const Intervals& intervals, const GlobalCheckpoint& line,
                         const BreakpointSet& set);

// The longest path over the replayed events. Computations take what they took, messages fly for as long as they did, and each
// one from the log costs `feed_ns`. Answers of receivers that do not come again return at once. `begins_ns`: the clock of each
// process where it goes on, between the line and its next event; empty: at the checkpoints.
struct Replay {
    std::int64_t takes_ns = 0;
    std::vector<std::int64_t> reached_ns{};  // the breakpoint of each process, since the begin of the replay
    std::size_t fed = 0, swallowed = 0;      // messages
};
Replay predict(const EventGraph& graph, const Intervals& intervals, const Log& log, const GlobalCheckpoint& line,
               const BreakpointSet& set, std::int64_t feed_ns = 0, const std::vector<std::int64_t>& begins_ns = {});

// No replay takes longer, but for restoring and feeding. Mrt: 2T, and with Rule3::Printed what messages that are not logged can
// come later by their flight: the skew of the checkpoints that they join. With Rule3::Arrival n grains
// of the clocks for each interval. Ros: 2nT. All: T. Consistent: n times the distance.
std::int64_t bound_ns(const EventGraph& graph, const Intervals& intervals, const LoggingChoice& choice,
                      const GlobalCheckpoint& line, const BreakpointSet& set);

}  // namespace tmon_recovery
