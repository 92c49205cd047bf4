// `why n3 p361913`: why a process does not go on. It follows the chain of those that it waits for: over the links, to a full
// pool, to an event that nobody receives. It reads the simulator's memory, and takes no message and no modelled time.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <session/live_session.hpp>
#include <user_programs/program_process.hpp>
#include <vocabulary/ids.hpp>

namespace cli {

// The words for a process that computes for a user's program; empty: nothing is known.
using Computing = std::function<std::string(vocabulary::NodeId, vocabulary::ProcessId)>;
std::string computation_text(const std::optional<user_programs::ProgramProcess::Computation>& computation);

// Lines, one for each process of the chain. Throws vocabulary::RequestError when the node has no such process.
std::string why_text(session::LiveSession& session, vocabulary::NodeId node, vocabulary::ProcessId pid,
                     const Computing& computing);

// One line for each circuit of a deadlock (trollius_os/circuits.hpp), each after a line feed; empty when there is none.
std::string circuit_deadlock_text(session::LiveSession& session);

}  // namespace cli
