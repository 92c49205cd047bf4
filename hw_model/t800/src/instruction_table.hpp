// The table of functions and operations: handler, cycles, and the most that each can cost beside these.
#pragma once

#include <cstdint>

#include <decoded.hpp>

namespace t800_core {

struct Row {
    Handler run = nullptr;
    std::uint8_t cycles = 0;    // without prefixes, at least
    std::uint8_t accesses = 0;  // of memory, at most
    std::uint16_t most = 0;     // cycles beside these, at most; what ends a block has no bound and needs none
    Flow flow = Flow::On;
};

// Operations 0 to 0x1FF; a number without a row does nothing (op_nothing).
const Row& operation_row(std::uint32_t operation);
const Row& direct_row(std::uint8_t function);

}  // namespace t800_core
