// Long arithmetic, division, CRC and bits. What registers hold that the manual calls undefined follows what real parts were
// seen to leave there (docs/model/t800_core.md, Undefined registers).
#include <bit>
#include <cstdint>

#include <handlers.hpp>

namespace t800_core {
namespace {

std::uint64_t pair(Word high, Word low) {
    return std::uint64_t{high} << 32 | low;
}
Word reversed(Word word) {
    Word result = 0;
    for (int bit = 0; bit < 32; ++bit) result |= (word >> bit & 1U) << (31 - bit);
    return result;
}
// Shifts the top bits of `data` into the remainder `crc`.
Word crc_of(Word data, Word crc, Word generator, int bits) {
    for (int bit = 0; bit < bits; ++bit) {
        const bool out = (crc >> 31) != 0;
        crc = crc << 1 | data >> 31;
        data <<= 1;
        if (out) crc ^= generator;
    }
    return crc;
}
Word magnitude(Word word) {
    return static_cast<Signed>(word) < 0 ? 0U - word : word;
}

}  // namespace

T800_HANDLER(op_ladd) {
    const std::int64_t sum = std::int64_t{static_cast<Signed>(b)} + static_cast<Signed>(a) + (c & 1U);
    a = static_cast<Word>(sum);
    if (sum != static_cast<Signed>(a)) [[unlikely]]
        T800_TAIL return error_set(s, op, a, b, c, w);
    T800_NEXT;
}
T800_HANDLER(op_lsub) {
    const std::int64_t difference = std::int64_t{static_cast<Signed>(b)} - static_cast<Signed>(a) - (c & 1U);
    a = static_cast<Word>(difference);
    if (difference != static_cast<Signed>(a)) [[unlikely]]
        T800_TAIL return error_set(s, op, a, b, c, w);
    T800_NEXT;
}
T800_HANDLER(op_lsum) {
    const std::uint64_t sum = std::uint64_t{b} + a + (c & 1U);
    a = static_cast<Word>(sum), b = static_cast<Word>(sum >> 32);
    T800_NEXT;
}
T800_HANDLER(op_ldiff) {
    const std::uint64_t difference = std::uint64_t{b} - a - (c & 1U);
    a = static_cast<Word>(difference), b = static_cast<Word>(difference >> 32) & 1U;
    T800_NEXT;
}
T800_HANDLER(op_lmul) {
    const std::uint64_t product = std::uint64_t{b} * a + c;
    a = static_cast<Word>(product), b = static_cast<Word>(product >> 32), c = b;
    T800_NEXT;
}
T800_HANDLER(op_ldiv) {
    if (c >= a) [[unlikely]]
        T800_TAIL return error_set(s, op, a, b, c, w);
    const std::uint64_t value = pair(c, b);
    b = static_cast<Word>(value % a), a = static_cast<Word>(value / a), c = b;
    T800_NEXT;
}
T800_HANDLER(op_lshl) {
    const std::uint64_t value = a < 64 ? pair(c, b) << a : 0;
    s.base += a < 32 ? a : a < 64 ? a - 31 : 0;
    a = static_cast<Word>(value), b = static_cast<Word>(value >> 32), c = b;
    T800_NEXT;
}
T800_HANDLER(op_lshr) {
    const std::uint64_t value = a < 64 ? pair(c, b) >> a : 0;
    s.base += a < 32 ? a : a < 64 ? a - 31 : 0;
    a = static_cast<Word>(value), b = static_cast<Word>(value >> 32), c = b;
    T800_NEXT;
}
T800_HANDLER(op_norm) {
    const std::uint64_t value = pair(b, a);
    c = static_cast<Word>(std::countl_zero(value));
    const std::uint64_t shifted = c < 64 ? value << c : 0;
    s.base += c < 32 ? c + 2 : c < 64 ? c - 29 : 0;
    a = static_cast<Word>(shifted), b = static_cast<Word>(shifted >> 32);
    T800_NEXT;
}
T800_HANDLER(op_div) {
    const Word divisor = a, value = b;
    b = c;
    if (divisor == 0 || (value == min_int && divisor == ~0U)) [[unlikely]]
        T800_TAIL return error_set(s, op, a, b, c, w);
    const Signed quotient = static_cast<Signed>(value) / static_cast<Signed>(divisor);
    c = magnitude(value) - (magnitude(static_cast<Word>(quotient)) | 1U) * magnitude(divisor);
    a = static_cast<Word>(quotient);
    T800_NEXT;
}
T800_HANDLER(op_rem) {
    const Word divisor = a, value = b;
    b = c;
    if (divisor == 0) [[unlikely]]
        T800_TAIL return error_set(s, op, a, b, c, w);
    a = divisor == ~0U ? 0 : static_cast<Word>(static_cast<Signed>(value) % static_cast<Signed>(divisor));
    c = magnitude(a);
    T800_NEXT;
}
// Fractions of 1.31 bits, rounded to nearest, to even on a tie.
T800_HANDLER(op_fmul) {
    const std::int64_t product = std::int64_t{static_cast<Signed>(b)} * static_cast<Signed>(a);
    b = c;
    const std::int64_t low = product & 0x7FFFFFFF;
    std::int64_t result = product >> 31;
    if (low > 0x40000000 || (low == 0x40000000 && (result & 1) != 0)) ++result;
    if (low != 0) s.base += 5;
    a = static_cast<Word>(result);
    if (result > 0x7FFFFFFF) [[unlikely]]
        T800_TAIL return error_set(s, op, a, b, c, w);
    T800_NEXT;
}
T800_HANDLER(op_crcword) {
    a = crc_of(a, b, c, 32), b = c;
    T800_NEXT;
}
T800_HANDLER(op_crcbyte) {
    a = crc_of(a, b, c, 8), b = c;
    T800_NEXT;
}
T800_HANDLER(op_bitcnt) {
    s.base += static_cast<Word>(a == 0 ? 0 : std::bit_width(a) - 1);
    a = b + static_cast<Word>(std::popcount(a)), b = c;
    T800_NEXT;
}
T800_HANDLER(op_bitrevword) {
    a = reversed(a);
    T800_NEXT;
}
T800_HANDLER(op_bitrevnbits) {
    s.base += a < 64 ? a : 64;
    if (a == 0 || a >= 64) {
        a = 0;
    } else {
        a = a <= 32 ? reversed(b) >> (32 - a) : reversed(b) << (a - 32);
    }
    b = c;
    T800_NEXT;
}

}  // namespace t800_core
