#include <bit>
#include <cstdint>

#include <handlers.hpp>

namespace t800_core {

T800_HANDLER(op_ldlp) {
    c = b, b = a, a = w + op->operand + min_int;
    T800_NEXT;
}
T800_HANDLER(op_ldc) {
    c = b, b = a, a = op->operand;
    T800_NEXT;
}
T800_HANDLER(op_ldnlp) {
    a += op->operand;
    T800_NEXT;
}
T800_HANDLER(op_ldl) {
    c = b, b = a, a = s.load(w + op->operand);
    T800_NEXT;
}
T800_HANDLER(op_ldnl) {
    a = s.load((a + op->operand - min_int) & ~3U);
    T800_NEXT;
}
T800_HANDLER(op_ajw) {
    w += op->operand;
    T800_NEXT;
}
T800_HANDLER(op_eqc) {
    a = a == op->operand ? 1 : 0;
    T800_NEXT;
}
T800_HANDLER(op_stl) {
    const bool code = s.store(w + op->operand, a);
    a = b, b = c;
    if (code) [[unlikely]]
        T800_TAIL return changed(s, op, a, b, c, w);
    T800_NEXT;
}
T800_HANDLER(op_stnl) {
    const bool code = s.store((a + op->operand - min_int) & ~3U, b);
    a = c, b = c;
    if (code) [[unlikely]]
        T800_TAIL return changed(s, op, a, b, c, w);
    T800_NEXT;
}
T800_HANDLER(op_adc) {
    Signed sum;
    const bool over = __builtin_add_overflow(static_cast<Signed>(a), static_cast<Signed>(op->operand), &sum);
    a = static_cast<Word>(sum);
    if (over) [[unlikely]]
        T800_TAIL return error_set(s, op, a, b, c, w);
    T800_NEXT;
}
T800_HANDLER(op_add) {
    Signed sum;
    const bool over = __builtin_add_overflow(static_cast<Signed>(b), static_cast<Signed>(a), &sum);
    a = static_cast<Word>(sum), b = c;
    if (over) [[unlikely]]
        T800_TAIL return error_set(s, op, a, b, c, w);
    T800_NEXT;
}
T800_HANDLER(op_sub) {
    Signed difference;
    const bool over = __builtin_sub_overflow(static_cast<Signed>(b), static_cast<Signed>(a), &difference);
    a = static_cast<Word>(difference), b = c;
    if (over) [[unlikely]]
        T800_TAIL return error_set(s, op, a, b, c, w);
    T800_NEXT;
}
T800_HANDLER(op_mul) {
    Signed product;
    const bool over = __builtin_mul_overflow(static_cast<Signed>(b), static_cast<Signed>(a), &product);
    a = static_cast<Word>(product), b = c;
    if (over) [[unlikely]]
        T800_TAIL return error_set(s, op, a, b, c, w);
    T800_NEXT;
}
// A shift of the multiplier to its top bit: the cost grows with it.
T800_HANDLER(op_prod) {
    const bool negative = static_cast<Signed>(a) < 0;
    const Word size = negative ? 0U - a : a;
    s.base += static_cast<Word>(size == 0 ? 0 : std::bit_width(size) - 1) + (negative ? 1 : 0);
    a = b * a, b = c;
    T800_NEXT;
}
T800_HANDLER(op_rev) {
    const Word old = a;
    a = b, b = old;
    T800_NEXT;
}
T800_HANDLER(op_bsub) {
    a += b, b = c;
    T800_NEXT;
}
T800_HANDLER(op_wsub) {
    a += 4 * b, b = c;
    T800_NEXT;
}
T800_HANDLER(op_wsubdb) {
    a += 8 * b, b = c;
    T800_NEXT;
}
T800_HANDLER(op_diff) {
    a = b - a, b = c;
    T800_NEXT;
}
T800_HANDLER(op_sum) {
    a += b, b = c;
    T800_NEXT;
}
T800_HANDLER(op_gt) {
    a = static_cast<Signed>(b) > static_cast<Signed>(a) ? 1 : 0, b = c;
    T800_NEXT;
}
T800_HANDLER(op_not) {
    a = ~a;
    T800_NEXT;
}
T800_HANDLER(op_xor) {
    a ^= b, b = c;
    T800_NEXT;
}
T800_HANDLER(op_and) {
    a &= b, b = c;
    T800_NEXT;
}
T800_HANDLER(op_or) {
    a |= b, b = c;
    T800_NEXT;
}
T800_HANDLER(op_bcnt) {
    a *= 4;
    T800_NEXT;
}
T800_HANDLER(op_wcnt) {
    c = b, b = a & 3U, a = static_cast<Word>(static_cast<Signed>(a) >> 2);
    T800_NEXT;
}
T800_HANDLER(op_mint) {
    c = b, b = a, a = min_int;
    T800_NEXT;
}
T800_HANDLER(op_dup) {
    c = b, b = a;
    T800_NEXT;
}
T800_HANDLER(op_ldpri) {
    c = b, b = a, a = s.r.priority;
    T800_NEXT;
}
T800_HANDLER(op_ldpi) {
    a += s.block_start + op->after + min_int;
    T800_NEXT;
}
T800_HANDLER(op_xdble) {
    c = b, b = static_cast<Signed>(a) < 0 ? ~0U : 0U;
    T800_NEXT;
}
T800_HANDLER(op_gajw) {
    const Word old = w + min_int;
    w = (a - min_int) & ~3U, a = old;
    T800_NEXT;
}
T800_HANDLER(op_shl) {
    s.base += a < 32 ? a : 1;
    a = a < 32 ? b << a : 0, b = c;
    T800_NEXT;
}
T800_HANDLER(op_shr) {
    s.base += a < 32 ? a : 1;
    a = a < 32 ? b >> a : 0, b = c;
    T800_NEXT;
}
// The part-word's sign bit is the one bit of A.
T800_HANDLER(op_xword) {
    a = b >= a ? b - 2 * a : b, b = c;
    T800_NEXT;
}
T800_HANDLER(op_lb) {
    const Word offset = a - min_int;
    if (offset >= on_chip_bytes) {
        if (offset >= s.size) [[unlikely]]
            s.stray(offset);
        else
            s.base += s.extra;
    }
    a = s.get_byte(a);
    T800_NEXT;
}
T800_HANDLER(op_sb) {
    const Word offset = a - min_int;
    const Word value = b;
    a = c, b = c;
    if (offset >= on_chip_bytes) {
        if (offset >= s.size) [[unlikely]] {
            s.stray(offset);
            T800_NEXT;
        }
        s.base += s.extra;
    }
    s.mem[offset] = static_cast<std::byte>(value);
    if (s.code.is_code(offset)) [[unlikely]] {
        s.code.forget_all();
        T800_TAIL return changed(s, op, a, b, c, w);
    }
    T800_NEXT;
}

// Checks.
T800_HANDLER(op_seterr) {
    T800_TAIL return error_set(s, op, a, b, c, w);
}
T800_HANDLER(op_csub0) {
    const bool bad = b >= a;
    a = b, b = c;
    if (bad) [[unlikely]]
        T800_TAIL return error_set(s, op, a, b, c, w);
    T800_NEXT;
}
T800_HANDLER(op_ccnt1) {
    const bool bad = b == 0 || b > a;
    a = b, b = c;
    if (bad) [[unlikely]]
        T800_TAIL return error_set(s, op, a, b, c, w);
    T800_NEXT;
}
T800_HANDLER(op_csngl) {
    const bool bad = b != (static_cast<Signed>(a) < 0 ? ~0U : 0U);
    b = c;
    if (bad) [[unlikely]]
        T800_TAIL return error_set(s, op, a, b, c, w);
    T800_NEXT;
}
T800_HANDLER(op_cword) {
    const bool bad = static_cast<Signed>(b) >= static_cast<Signed>(a) || static_cast<Signed>(b) < static_cast<Signed>(0U - a);
    a = b, b = c;
    if (bad) [[unlikely]]
        T800_TAIL return error_set(s, op, a, b, c, w);
    T800_NEXT;
}
T800_HANDLER(op_testerr) {
    c = b, b = a, a = s.r.error ? 0 : 1;
    if (s.r.error) s.base += 1;
    s.r.error = false;
    T800_NEXT;
}
T800_HANDLER(op_ldtimer) {
    c = b, b = a, a = s.clock(s.r.priority, time_after(s, op));
    T800_NEXT;
}
// A T800 has no lddevid and drops A; a T414 leaves the registers. Programs told the two apart by it.
T800_HANDLER(op_lddevid) {
    a = b, b = c;
    T800_NEXT;
}
T800_HANDLER(op_nothing) {
    Stray& unknown = s.unknown ? *s.unknown : s.unknown.emplace(Stray{op->operand, s.block_start + op->after + min_int, 0});
    ++unknown.count;
    T800_NEXT;
}

}  // namespace t800_core
