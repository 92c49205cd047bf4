// Decoded: straight runs of code as chains of handlers, 48 KiB of them, and more only for large programs (make_room()). All are
// forgotten when they are full, or when their code is written over. Decoding again costs some 10 ns an instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <t800_core/core.hpp>

namespace t800_core {

struct Op;
using Handler = void (*)(Core::State& s, const Op* op, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t w);

struct Op {
    Handler run = nullptr;
    std::uint32_t operand = 0;  // scaled, or a target's offset, as its handler needs it
    std::uint32_t link = 0;     // index of the target's block; 0 is not known yet. Head of a block: the most it can take
    std::uint16_t before = 0;   // cycles of the block before this instruction
    std::uint16_t after = 0;    // offset of the next instruction from the block's start
    std::uint8_t count = 0;     // instructions before and with this one
    std::uint8_t cycles = 0;    // of this one, prefixes included
    std::uint8_t length = 0;    // bytes; 255 stands for more
    std::uint8_t function = 0;  // high nibble
};
static_assert(sizeof(Op) == 24);

class Decoded {
public:
    static constexpr std::uint32_t first_ops = 1700, first_table = 512, most_growth = 16, most_block = 96;

    explicit Decoded(std::uint32_t memory_size);
    bool is_code(std::uint32_t offset) const { return marks_[offset >> 2] != 0; }
    bool forget_all();                                        // true
    std::uint64_t generation() const { return generation_; }  // grows when all is forgotten
    void forget(std::uint32_t offset, std::size_t count);     // of these bytes, if any is code
    // The block that begins at `offset`, decoded if it is not yet; 0 where no memory is or prefixes have no end.
    std::uint32_t block(Core::State& s, std::uint32_t offset) {
        // Two places, side by side.
        const std::size_t slot = slot_of(offset);
        if (table_[slot].offset == offset && table_[slot].block != 0) return table_[slot].block;
        const Entry& other = table_[slot ^ 1U];
        return other.block != 0 && other.offset == offset ? other.block : decode(s, offset);
    }
    const Op* op(std::uint32_t index) const { return ops_.data() + index; }
    Op* op(std::uint32_t index) { return ops_.data() + index; }
    std::size_t bytes() const;

private:
    struct Entry {
        std::uint32_t offset = 0, block = 0;
    };
    struct Free {
        void operator()(void* memory) const;
    };
    std::size_t slot_of(std::uint32_t offset) const { return (offset ^ offset >> 9 ^ offset >> 18) & mask_; }
    std::uint32_t decode(Core::State& s, std::uint32_t offset);
    void make_room(std::uint64_t instructions);
    void remember(std::uint32_t offset, std::uint32_t block);

    std::vector<Op> ops_;
    std::vector<Entry> table_;  // a power of two
    std::uint32_t used_ = 1, mask_ = first_table - 1;
    std::uint64_t generation_ = 0, filled_at_ = 0;                 // instructions executed when it was full last
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges_;  // of marks
    std::unique_ptr<std::uint8_t, Free> marks_owner_;  // a byte a word; the host gives memory for those that are touched
    std::uint8_t* marks_;
    std::uint32_t memory_size_;
};

// One instruction at `offset`: its handler, operand and cycles, without its place in a block. False: runs beyond memory.
struct Instruction {
    std::uint32_t operand = 0, length = 0;
    std::uint8_t function = 0;
};
bool read_instruction(const std::byte* memory, std::uint32_t size, std::uint32_t offset, std::uint32_t most, Instruction& into);
// Fills `op` for it and says how the block goes on.
enum class Flow : std::uint8_t { On, Ends };
Flow fill(Op& op, const Instruction& instruction, std::uint32_t after, const CoreSettings& settings, std::uint32_t& most);

}  // namespace t800_core
