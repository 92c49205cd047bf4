// The state of a T800 that code, a debugger or a snapshot can see.
#pragma once

#include <array>
#include <cstdint>

#include <t800_core/settings.hpp>

namespace t800_core {

inline constexpr std::uint32_t min_int = 0x80000000U, not_process = min_int;
inline constexpr std::uint32_t on_chip_bytes = 4096;

// Reserved words (data sheet, memory map).
namespace reserved {
inline constexpr std::uint32_t link_output = 0x80000000U, link_input = 0x80000010U, event = 0x80000020U;
inline constexpr std::uint32_t timer_queue_0 = 0x80000024U, timer_queue_1 = 0x80000028U;
inline constexpr std::uint32_t saved_wdesc = 0x8000002CU, saved_iptr = 0x80000030U, saved_a = 0x80000034U,
                               saved_b = 0x80000038U, saved_c = 0x8000003CU, saved_status = 0x80000040U, saved_e = 0x80000044U;
inline constexpr std::uint32_t mem_start = 0x80000070U;
}  // namespace reserved

// Bits of STATUS. Their numbers are not visible to programs, except in saved_status.
namespace status {
inline constexpr std::uint32_t moving = 0x4U, moving_2d = 0x8U, halt_on_error = 0x80U, error = 0x80000000U;
}  // namespace status

// A register of the floating-point stack: a length and the bits. A real32 lies in the low 32 bits.
struct Real {
    std::uint64_t bits = 0;
    bool is_double = false;
    friend bool operator==(const Real&, const Real&) = default;
};

enum class Rounding : std::uint8_t { Nearest = 0, Zero = 1, Up = 2, Down = 3 };

struct FloatingState {
    std::array<Real, 3> stack{};  // FA, FB, FC
    Rounding rounding = Rounding::Nearest, root_rounding = Rounding::Nearest;
    bool error = false;
    friend bool operator==(const FloatingState&, const FloatingState&) = default;
};

struct BlockMove2d {
    std::uint32_t source_stride = 0, destination_stride = 0, rows = 0;  // as move2dinit left them
    std::uint32_t kind = 0, width = 0;                                  // of a move that is under way
    friend bool operator==(const BlockMove2d&, const BlockMove2d&) = default;
};

struct Registers {
    std::uint32_t iptr = 0, wptr = 0, a = 0, b = 0, c = 0, d = 0, e = 0;
    std::uint8_t priority = 1;  // 0 high, 1 low
    bool running = false;       // a process has the processor; else wptr and iptr mean nothing
    bool error = false, halt_on_error = false;
    bool low_cut = false;      // a low process, or idleness, lies in the saved words
    std::uint32_t moving = 0;  // status::moving or moving_2d while a block move is under way
    std::array<std::uint32_t, 2> front{not_process, not_process}, back{not_process, not_process};  // run queues, by priority
    std::array<std::uint32_t, 2> timer_next{};                                                     // TNext0, TNext1
    std::array<std::uint32_t, 2> clock_start{};  // Clock0 and Clock1 at `clock_from`
    Cycle clock_from = 0;
    bool clocks_run = false;
    std::array<FloatingState, 2> floating{};  // by priority: a high process has registers of its own
    std::array<BlockMove2d, 2> move_2d{};
    friend bool operator==(const Registers&, const Registers&) = default;
};

}  // namespace t800_core
