// The instructions of the floating-point unit.
#pragma once

#include <cstdint>
#include <span>

#include <decoded.hpp>

namespace t800_core {

struct FloatingRow {
    std::uint32_t operation = 0;
    Handler run = nullptr;
    std::uint8_t cycles = 0;  // of the CPU
    std::uint8_t accesses = 0;
    std::uint16_t most = 0;  // beside these: the wait for the unit, at most
};
std::span<const FloatingRow> floating_rows();

}  // namespace t800_core
