// The effects of calls outside the prepared program on the caller's memory. The tables are short on purpose: a function that is
// missing is taken to change anything, and answers that rest on it are not certain.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flowback_log {

// The numbers are written into programs, logs and databases (docs/formats/prepared.md).
enum class Effect : std::uint32_t {
    Unknown = 0,         // may change any memory
    None = 1,            // changes no memory that the program reads
    Allocates = 2,       // returns fresh memory of `first` bytes
    AllocatesZeros = 3,  // the same, of `first` times `second` bytes, all zero
    WritesString = 4,    // writes a text and its zero at `first`
    WritesPrinted = 5,   // the same, at most `second` bytes, as snprintf() does
    Sends = 6,           // `second` bytes at `first` leave as a message
    Receives = 7,        // returns a message; its length goes to `first`, if that is not null
    PartOfMessage = 8,   // returns a part of the function's own message; its length goes to `second`, if that is not null
    Prepared = 9,        // the callee is a prepared function: its own log tells
    PrintsText = 10,     // writes as many bytes at `first` as it returns, and a zero, as sprintf() does
    Told = 11,           // outputs_of(), and what the library tells (Acts). One that returns an error is Unknown
};

Effect effect_of(const std::string& function);
// Which argument of a function that prints is its format; -1: the function does not print. A format with %n writes memory.
int format_argument(const std::string& function);

// Memory that a call reads or writes through a pointer.
struct Access {
    static constexpr int text = 0;  // as `bytes`: up to the zero that ends it
    int argument = 0;               // the pointer; from 0
    int bytes = 0;
    int times = -1;      // the argument with the number of such pieces; -1: one
    int condition = -1;  // only if the int behind this argument is not zero after the call; -1: always
};
// C standard and MPI 3.1, of functions with Effect::Told.
const std::vector<Access>& outputs_of(const std::string& function);
// Only those that decide what it writes. MPI 3.1.
const std::vector<Access>& inputs_of(const std::string& function);

}  // namespace flowback_log
