// The effects of a call outside the prepared program on the caller's memory. The table is short on purpose: a function that is
// missing is taken to change anything, and answers that rest on it are not certain.
#pragma once

#include <string>

namespace flowback_prepare {

// The numbers are written into programs and databases (docs/formats/prepared.md).
enum class Effect : int {
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
};

Effect effect_of(const std::string& name);
// Which argument of a function that prints is its format; -1: the function does not print. A format with %n writes memory.
int format_argument(const std::string& name);

}  // namespace flowback_prepare
