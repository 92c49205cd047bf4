// Where blocks begin and end: jumps, calls, loops.
#include <cstdint>

#include <handlers.hpp>

namespace t800_core {
namespace {

// Cycles to fill the instruction buffer from external memory; those from memory on the chip are in the table.
void refill(State& s, Word offset) {
    if (offset >= on_chip_bytes) s.base += s.extra;
}
// The block at `offset`, remembered in `op`. 0: there is no code.
Word found(State& s, const Op* op, Word offset) {
    const bool in_step = op >= s.step.data() && op < s.step.data() + s.step.size();
    const std::uint64_t generation = s.code.generation();
    const Word block = s.code.block(s, offset);  // may forget all, `op` too
    if (!in_step && block != 0 && generation == s.code.generation()) const_cast<Op*>(op)->link = block;
    return block;
}
void nowhere(State& s, Word offset, Word a, Word b, Word c, Word w) {
    keep(s, nullptr, a, b, c, w);
    s.now = s.base;
    s.r.iptr = offset + min_int;
}

}  // namespace

// Ends the block at a target that this instruction always has, or at one that it found.
#define T800_JUMP(offset_)                                                      \
    do {                                                                        \
        const Word offset_of_ = (offset_);                                      \
        s.base = time_after(s, op);                                             \
        s.instructions += op->count;                                            \
        const Word link_ = op->link != 0 ? op->link : found(s, op, offset_of_); \
        s.block_start = offset_of_;                                             \
        if (link_ == 0) [[unlikely]]                                            \
            return nowhere(s, offset_of_, a, b, c, w);                          \
        T800_GO(s.code.op(link_));                                              \
    } while (false)
#define T800_JUMP_ANYWHERE(offset_)                     \
    do {                                                \
        const Word offset_of_ = (offset_);              \
        s.base = time_after(s, op);                     \
        s.instructions += op->count;                    \
        const Word link_ = s.code.block(s, offset_of_); \
        s.block_start = offset_of_;                     \
        if (link_ == 0) [[unlikely]]                    \
            return nowhere(s, offset_of_, a, b, c, w);  \
        T800_GO(s.code.op(link_));                      \
    } while (false)

T800_HANDLER(enter) {
    if (s.base + op->link > s.fast_limit) [[unlikely]] {
        keep(s, nullptr, a, b, c, w);
        s.now = s.base;
        s.r.iptr = s.block_start + min_int;
        return;
    }
    T800_NEXT;
}
T800_HANDLER(run_on) {
    T800_JUMP(op->operand);
}
T800_HANDLER(stop_step) {
    keep(s, nullptr, a, b, c, w);
    s.now = s.base + op->before;
    s.instructions += 1;
    s.r.iptr = op->operand + min_int;
}
T800_HANDLER(changed) {
    leave(s, op, s.block_start + op->after, a, b, c, w);
}

T800_HANDLER(error_set) {
    s.r.error = true;
    if (s.r.halt_on_error) [[unlikely]] {
        s.halted = true;
        leave(s, op, s.block_start + op->after, a, b, c, w);
        return;
    }
    T800_NEXT;
}

T800_HANDLER(op_j) {
    if (time_after(s, op) >= s.slice_at) [[unlikely]] {
        leave(s, op, op->operand, a, b, c, w);
        s.give_way();
        return;
    }
    T800_JUMP(op->operand);
}
T800_HANDLER(op_cj) {
    if (a == 0) {
        s.base += 2;
        refill(s, op->operand);
        T800_JUMP(op->operand);
    }
    a = b, b = c;
    T800_NEXT;
}
T800_HANDLER(op_call) {
    w -= 16;
    const Word back = s.block_start + op->after + min_int;
    bool code = s.store(w, back);
    code |= s.store(w + 4, a);
    code |= s.store(w + 8, b);
    code |= s.store(w + 12, c);
    a = back;
    if (code) [[unlikely]]
        return leave(s, op, op->operand, a, b, c, w);
    T800_JUMP(op->operand);
}
T800_HANDLER(op_ret) {
    const Word offset = s.load(w) - min_int;
    w += 16;
    refill(s, offset);
    T800_JUMP_ANYWHERE(offset);
}
T800_HANDLER(op_gcall) {
    const Word offset = a - min_int;
    a = s.block_start + op->after + min_int;
    refill(s, offset);
    T800_JUMP_ANYWHERE(offset);
}
T800_HANDLER(op_altend) {
    const Word offset = s.block_start + op->after + s.load(w);
    refill(s, offset);
    T800_JUMP_ANYWHERE(offset);
}
// B addresses index and count, A is the way back.
T800_HANDLER(op_lend) {
    const Word block = (b - min_int) & ~3U;
    const Word left = s.load(block + 4) - 1;
    bool code = s.store(block + 4, left);
    Word offset = s.block_start + op->after;
    if (static_cast<Signed>(left) > 0) {
        code |= s.store(block, s.load(block) + 1);
        offset -= a;
        s.base += 5;
        refill(s, offset);
    }
    if (code || time_after(s, op) >= s.slice_at) [[unlikely]] {
        leave(s, op, offset, a, b, c, w);
        if (s.now >= s.slice_at) s.give_way();
        return;
    }
    T800_JUMP_ANYWHERE(offset);
}

}  // namespace t800_core
