// Cause: the purpose of a use of the processor or of a link, as the bill of monitoring names it (docs/guide/overhead.md). Work
// that a machine without monitor would do too counts for the program.
#pragma once

#include <cstdint>

namespace trollius_os {

enum class Cause : std::uint8_t {
    Program = 0,   // application, runtime, kernel and links for both
    Probe,         // to notice an event
    Meter,         // to time it and to store the record
    Manager,       // to look at buffers and to pack records
    Backend,       // to take a global interrupt: clock and usage
    Interrupt,     // to raise it: interface and controller of the master
    TraceMessage,  // kernel and links of the node that made the records
    Forwarding,    // kernel and links of other nodes on their way to the host
};
inline constexpr std::uint8_t causes = 8;

// The detail of a charge for an event: its kind (1 to 127, of the record's) and whether it is about a result.
constexpr std::uint8_t probed(std::uint8_t kind, bool is_result) {
    return static_cast<std::uint8_t>(kind | (is_result ? 0x80 : 0));
}
// Detail of a charge for Program: the user's own computation, not runtime or kernel.
inline constexpr std::uint8_t computation = 1;

}  // namespace trollius_os
