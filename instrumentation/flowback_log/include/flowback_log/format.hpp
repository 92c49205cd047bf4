// The log of one process (Miller and Choi 1988, section 5.6). Its entries are in the order in which the process made them. They
// lie in chunks with a checksum each. docs/formats/prepared.md describes the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace flowback_log {

enum class Kind : std::uint8_t {
    Process = 1,  // who it is; the first entry
    Addresses,    // where the variables and functions of a source lie
    Root,         // the runtime calls a function of the program
    Enter,        // a log interval begins: the prelog
    Leave,        // it ends: the postlog
    Unwound,      // intervals have ended without a return
    Read,         // bytes that the process read first
    Variable,     // where a local variable lies
    Call,         // a call that is not inherited has returned
    Message,      // it sent or received one
    Stopped,      // the process ended inside its intervals
    Act,          // a library that the program calls has moved data (ActKind)
};

// Acts of a library inside a call of the program, as it tells them. Data are pieces of memory, in the order of the message's
// bytes.
enum class ActKind : std::uint8_t {
    Sent = 1,  // `from` leaves in a message
    Received,  // a message has come to `to`
    Copied,    // from `from` to `to`
    Combined,  // each element of `to` with that of `from`, by an operation
    Rank,      // from now on the process is this one of so many: `peer`, `flow`
    Begun,     // the call begins an operation, which may go on in later ones; `flow`: the request's handle
    // A receive or probe without a message, `peer` or any_rank, `tag` or any_tag. With a `flow`, a send whose message must be
    // taken before it ends; `operation` is the request's handle then.
    Waits,
    Read,      // it read `from`, which decides what it does
    Saw,       // it told the program about message `flow` of `peer`, as a status does
    Aborted,   // it ended the run
    Function,  // not logged: it calls a function of the program, and tells Combined behind it
};

// A message as the program's own calls know it.
enum class Passed : std::uint8_t { Task = 1, Result, Part, Got };

using Range = std::pair<std::uint64_t, std::uint64_t>;  // first address, bytes

struct Written {
    std::uint64_t address = 0;
    std::span<const std::byte> bytes;
};

// One entry; the fields that its kind has are set. Spans point into the log.
struct Entry {
    Kind kind = Kind::Process;
    std::uint64_t offset = 0;              // in the log's entries
    std::uint32_t number = 0;              // Enter: function; Call: site; Addresses: source; Root: entry of the program
    std::uint32_t depth = 0;               // Enter, Leave, Unwound: intervals that are open outside it
    std::uint32_t effect = 0;              // Call
    bool unknown_inside = false;           // Leave: a call inside may have changed any memory
    std::span<const std::byte> bytes;      // Enter: arguments; Leave, Call: value; Read: what was read
    std::vector<Range> ranges;             // Leave: what was written; Root: parts of its message; Variable: itself
    std::vector<std::uint64_t> addresses;  // Addresses
    std::vector<Written> written;          // Call: what the callee wrote
    Passed passed = Passed::Task;          // Message
    std::uint32_t task = 0, subtask = 0;   // Root, Message
    ActKind act = ActKind::Sent;           // Act
    std::uint32_t peer = 0, flow = 0;      // Act: the other rank, and the message's number among those of the pair; 0: unknown
    std::uint32_t tag = 0, context = 0;    // Act: of its message; of Combined: the bytes of an element, as `tag`
    std::uint32_t operation = 0;           // Act: that it belongs to, as Begun numbers them; 0: the call is all of it
    std::vector<Range> from, to;           // Act
    std::uint64_t touches = 0;             // Unwound, Stopped: accesses of memory behind the last entry
    std::string name, like, program;       // Process: its name, the one whose memory it began with, the program's digest
};

// A chunk tells whether more follow.
enum class Ending : std::uint32_t {
    MoreFollow,
    Last,     // the log is whole
    NoRoom,   // the node had no memory for more of it
    Missing,  // a chunk did not reach the host
    Threads,  // the process started a thread, which no log follows
};

inline constexpr std::uint32_t any_rank = 0xffffffffU, any_tag = 0xffffffffU;

inline constexpr char magic[8] = {'M', 'W', 'F', 'L', 'O', 'W', '2', '\n'};
inline constexpr std::size_t chunk_head = 16;  // bytes before a chunk's content
// The checksum covers the content; its seed covers the place and the ending.
constexpr std::uint64_t chunk_seed(std::uint64_t number, std::uint32_t ending) {
    return number * 4 + ending;
}
// Intervals of so many depths keep apart what they know of memory. Of places that a nested one did not write, the outer one
// still knows the value. Deeper ones forget everything when an interval begins or ends.
inline constexpr std::size_t separate_depths = 24;
inline constexpr std::size_t chunk_bytes = 1U << 16U;  // of content, where nothing else limits it

}  // namespace flowback_log
