// Flags of the processor that a program can set with an instruction, and that Magicwire's code does without. They cause single
// steps, strings copied from their ends, and faults at unaligned addresses.
#pragma once

namespace farm_programs {

inline constexpr unsigned long long flags_of_the_program = 0x100 | 0x400 | 0x40000;

// Setting the flags is expensive, reading them is not.
[[gnu::always_inline]] inline void clear_flags_of_the_program() {
    const unsigned long long flags = __builtin_ia32_readeflags_u64();
    if ((flags & flags_of_the_program) != 0) [[unlikely]]
        __builtin_ia32_writeeflags_u64(flags & ~flags_of_the_program);
}

}  // namespace farm_programs
