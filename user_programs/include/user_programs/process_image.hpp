// ProcessImage: all that a process of a program needs to go on from a call. That is its globals, heap, stack and registers,
// and the line that it has begun to print. It can be put back into a process of the same program on the same node,
// in this command or a later one.
//
// Programs hold plain addresses, so all that is loaded must lie where it lay (Addresses). The heap and the stacks of a node
// have fixed addresses (user_memory.hpp). The rest has them where Linux places it alike: in forks, and without randomisation.
//
// The idea is that of Fowler and Zwaenepoel's and of Thoai and Volkert's checkpoints: the state of one process, and nothing of
// the network (docs/decisions/0067).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace user_programs {

class LoadedProgram;

struct ProcessImage {
    using Bytes = std::vector<std::byte>;

    // Where the module, the C and C++ libraries, Magicwire, errno and the module's thread-local variables lie. The last one is
    // 0 in an image whose memory has no address of such a variable: the host's allocator places them.
    struct Addresses {
        std::uint64_t module = 0, c_library = 0, cpp_library = 0, magicwire = 0, error = 0, variables = 0;
        std::uint64_t jumps = 0;  // of a program with setjmp(): the C library's word in each jmp_buf; else 0
        bool operator==(const Addresses&) const = default;
        // Those of an image that can be put back where all lies as `now` says.
        bool fit(const Addresses& now) const;
    };
    // Where all of this copy of the program lies now.
    static Addresses addresses_of(const LoadedProgram& program);

    // The point where it goes on: frame, instruction and stack, as __builtin_setjmp() keeps them.
    struct Registers {
        std::uint64_t frame = 0, instruction = 0, stack = 0;
        std::uint32_t modes = 0, old_modes = 0;  // of floating point: mxcsr, and the control word of the x87
    };
    struct Block {
        std::uint64_t at = 0, bytes = 0;
        Bytes content{};  // with what follows the bytes and belongs to the allocator
    };

    // The word of the C library that guards frames on the stack, another one in each process of the host.
    static std::uint64_t frame_guard();

    Addresses addresses{};
    std::uint64_t guard = 0;  // frame_guard() then
    Registers registers{};
    std::uint64_t data_at = 0;                              // address of `data`, from that of the module on
    Bytes data{}, startup{}, thread{};                      // globals, memory of static constructors, thread-local variables
    std::vector<std::pair<std::uint64_t, Bytes>> zeroed{};  // pages of large static arrays that hold something
    Bytes stack{};                                          // from registers.stack to its end
    std::vector<Block> blocks{};                            // of the heap, ascending
    std::vector<std::pair<std::uint64_t, Bytes>> gaps{};    // old bytes of the heap between them, which new blocks begin with
    std::vector<std::pair<std::uint64_t, Bytes>> words{};   // of the command and the environment
    std::string unfinished_line{};
    std::int32_t error = 0;  // errno

    // True when a word of its memory may be an address from `begin` on, and below `end`. Cost: all words are looked at.
    bool may_point_to(std::uint64_t begin, std::uint64_t end) const;
    // A hash of globals, static memory, thread-local variables and heap. Runs that did the same have the same. Stacks
    // may differ in words that no variable has. Cost: all bytes are read.
    std::uint64_t memory_hash() const;
    // The place of the first byte of which memory_hash() is another one in `other`: "globals at 0x4a20 of the module", "the
    // heap at 0x300000000040". Empty: none is.
    std::string first_difference(const ProcessImage& other) const;
    // Memory that it stands for, in bytes.
    std::size_t size() const;
    // For files. parse() throws vocabulary::InputError for bytes that are no image. Cost: one copy.
    std::string serialize() const;
    static ProcessImage parse(const std::string& bytes);
};

}  // namespace user_programs
