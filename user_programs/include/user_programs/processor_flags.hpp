// Processor flags that a program can set and that Magicwire's code needs clear. They cause single steps, backward string
// copies, and faults at unaligned addresses.
#pragma once

namespace user_programs {

inline constexpr unsigned long long flags_of_the_program = 0x100 | 0x400 | 0x40000;

// Reading the flags is cheap, setting them is not.
[[gnu::always_inline]] inline void clear_flags_of_the_program() {
    const unsigned long long flags = __builtin_ia32_readeflags_u64();
    if ((flags & flags_of_the_program) != 0) [[unlikely]]
        __builtin_ia32_writeeflags_u64(flags & ~flags_of_the_program);
}

}  // namespace user_programs
