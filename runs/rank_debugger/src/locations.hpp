// Locations: where a variable lies, and registers of callers, by the expressions of DWARF (5, section 2.5 and 2.6).
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <user_programs/code_registers.hpp>

namespace rank_debugger {

using user_programs::CodeRegisters;

// Copies bytes of the rank's memory; false: they cannot be read.
using ReadMemory = std::function<bool(std::uintptr_t from, void* to, std::size_t bytes)>;

// One activation of a function.
struct Activation {
    ReadMemory read;
    CodeRegisters registers;
    std::optional<std::uintptr_t> canonical;  // the canonical frame address
    std::uintptr_t code = 0;                  // in the file: the instruction, or in a caller that of the call
    std::uintptr_t load = 0;                  // where the file's 0 lies
    std::uintptr_t thread = 0;                // the thread-local variables
    std::optional<Dwarf_Die> function;        // with the frame base
};

struct Piece {
    enum class In : std::uint8_t { Memory, Register, Value, Bytes, Nowhere };
    In in = In::Nowhere;
    std::uint64_t value = 0;         // address, number of the register, or the value
    std::vector<std::byte> bytes{};  // In::Bytes
    std::size_t size = 0;            // in bytes; 0: all that is left
};

// Empty: it uses what is not known here, and `why` says so.
std::optional<std::vector<Piece>> evaluate(const Dwarf_Op* operations, std::size_t count, const Activation& in,
                                           std::string& why);
// A single number, as the frame address and bounds of arrays are.
std::optional<std::uint64_t> evaluate_number(const Dwarf_Op* operations, std::size_t count, const Activation& in);
// Where the variable lies now. Empty: nowhere, and `why` says why.
std::optional<std::vector<Piece>> location_of(Dwarf_Die variable, const Activation& in, std::string& why);

}  // namespace rank_debugger
