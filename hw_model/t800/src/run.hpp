// How handlers go on. With optimisation each calls the next as its last act, which compilers make a jump: the chain has no loop
// and no dispatch table. Without it (sanitizers, debug builds) each returns to Core::run_until(), which calls the next.
#pragma once

#include <cstdint>

#include <state.hpp>

namespace t800_core {

using Word = std::uint32_t;
using Signed = std::int32_t;
using State = Core::State;

#if defined(__clang__) && defined(__OPTIMIZE__)
#define T800_TAIL [[clang::musttail]]
#else
#define T800_TAIL
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define T800_SANITIZED 1
#endif
#endif
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(T800_SANITIZED)
#define T800_CHAINED 1
#else
#define T800_CHAINED 0
#endif

inline void keep(State& s, const Op* next, Word a, Word b, Word c, Word w) {
    s.next_op = next;
    s.r.a = a, s.r.b = b, s.r.c = c;
    s.r.wptr = w + min_int;
}

#define T800_HANDLER(name)                                                                                                \
    void name([[maybe_unused]] State& s, [[maybe_unused]] const Op* op, [[maybe_unused]] Word a, [[maybe_unused]] Word b, \
              [[maybe_unused]] Word c, [[maybe_unused]] Word w)
#if T800_CHAINED
#define T800_GO(target)                                \
    do {                                               \
        const Op* go_ = (target);                      \
        T800_TAIL return go_->run(s, go_, a, b, c, w); \
    } while (false)
#else
#define T800_GO(target) return keep(s, (target), a, b, c, w)
#endif
#define T800_NEXT T800_GO(op + 1)

// Time after the instruction, with what it cost beside the table.
inline Cycle time_after(const State& s, const Op* op) {
    return s.base + op->before + op->cycles;
}

// Leave the chain: registers into `r`, the program at `offset`.
inline void leave(State& s, const Op* op, Word offset, Word a, Word b, Word c, Word w) {
    keep(s, nullptr, a, b, c, w);
    s.now = time_after(s, op);
    s.instructions += op->count;
    s.r.iptr = offset + min_int;
}

// Go to a block: `link` is known, or found.
#define T800_ENTER(offset_, link_)   \
    do {                             \
        s.base = time_after(s, op);  \
        s.instructions += op->count; \
        s.block_start = (offset_);   \
        T800_GO(s.code.op(link_));   \
    } while (false)

T800_HANDLER(enter);      // head of a block
T800_HANDLER(run_on);     // end of a block that goes on
T800_HANDLER(stop_step);  // end of a step
T800_HANDLER(changed);    // the block's code was written over

}  // namespace t800_core
