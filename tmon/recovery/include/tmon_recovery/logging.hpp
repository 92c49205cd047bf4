// Which messages are logged, so that each breakpoint set has a recovery line: section 6 of the paper (event_graph.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tmon_recovery/event_graph.hpp>
#include <tmon_recovery/intervals.hpp>

namespace tmon_recovery {

// Ros: each process goes back one interval at most. Mrt: and none waits for another one's earlier interval. To compare:
// Consistent, whose lines have no orphans, and All, which logs every message.
enum class Method : std::uint8_t { Ros, Mrt, Consistent, All };
const char* name_of(Method method);  // "ros"

// Printed: a message is late when its sender had run for longer in its interval than the receiver had. Arrival: when its sender
// had run for longer then and its flight are together, so that a replay does not wait for it.
enum class Rule3 : std::uint8_t { Printed, Arrival };

struct LoggingChoice {
    Method method = Method::Mrt;
    Rule3 rule3 = Rule3::Printed;  // of Mrt
    // Clocks count in such units, so a message that seems late by no more is not.
    std::int64_t grain_ns = 0;
};

// By which rule a message is logged; of several the first.
enum class LogRule : std::uint8_t { None, Higher /* rule 1 */, Needed /* rule 2 */, Late /* rule 3 */, Every };
using Log = std::vector<LogRule>;  // of each message; one that was not received is None

// Exactly, with all rows of the knowledge matrix. ROS' own rule 2 is not in the paper, and this one has every property that the
// paper states of it. Messages from I_{q,i-1} to I_{p,i-1} are not logged iff C_{s,i} -> C_{p,i+1} implies C_{s,i} -> C_{q,i+1}
// for all s. Messages of the last interval of their sender are sent again by every replay, so rule 2 leaves them out. Cost:
// messages * processes / 64.
Log log_of(const EventGraph& graph, const Intervals& intervals, const LoggingChoice& choice);

struct LogCounts {
    std::size_t messages = 0, logged = 0;          // but for parts and answers
    std::size_t higher = 0, needed = 0, late = 0;  // of `logged`, by rule
    std::size_t answers = 0, answers_logged = 0;   // ways back, which a log lets return at once
    std::uint64_t bytes = 0, bytes_logged = 0;     // of messages and parts
    double share() const { return messages == 0 ? 0 : static_cast<double>(logged) / static_cast<double>(messages); }
};
LogCounts count(const EventGraph& graph, const Log& log);

// Rule 3: what the receive of a message says. Times since the checkpoints of both sides.
bool is_late(const EventGraph& graph, const Intervals& intervals, MessageNo message, const LoggingChoice& choice);

}  // namespace tmon_recovery
