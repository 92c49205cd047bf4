// Senders: the calls that may have sent a message of a farm, found by what the program's own calls know of it: the task's
// number.
#pragma once

#include <string>
#include <vector>

#include <tmon_flowback/origins.hpp>

namespace tmon_flowback {

struct Sender {
    std::uint32_t process = nothing;
    std::uint32_t message = nothing;  // of its log
};

struct Senders {
    std::vector<Sender> candidates;
    std::string what;  // "task 3", "the result of task 3"
};

// `received`: of kind Received.
Senders senders_of(const RecordedRun& run, const Origin& received);
// The events in which prepared code sent the message: the calls.
std::vector<EventId> send_calls(RecordedRun& run, const Sender& sender);
// Number of the task that it is about, and the bytes of the whole message.
std::uint64_t message_bytes(const RecordedRun& run, const Origin& received);

// The texts that main() was called with.
bool is_command(const RecordedRun& run, const Origin& received);

}  // namespace tmon_flowback
