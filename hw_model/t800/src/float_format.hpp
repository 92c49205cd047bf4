// One format of floating-point numbers: taking apart and putting together.
#pragma once

#include <bit>
#include <cstdint>

#include <t800_core/registers.hpp>

namespace t800_core::floating {

__extension__ using Wide = unsigned __int128;

template <int fraction_bits, int exponent_bits>
struct Format {
    static constexpr int fraction = fraction_bits, bias = (1 << (exponent_bits - 1)) - 1,
                         most_exponent = (1 << exponent_bits) - 1;
    static constexpr int sign_bit = fraction_bits + exponent_bits;
    static constexpr std::uint64_t hidden = std::uint64_t{1} << fraction_bits, fraction_mask = hidden - 1;
    static constexpr std::uint64_t infinity = std::uint64_t{most_exponent} << fraction_bits;
    static constexpr std::uint64_t sign_mask = std::uint64_t{1} << sign_bit, all = sign_mask | (sign_mask - 1);
    static constexpr bool is_double = fraction_bits == 52;
};
using Single = Format<23, 8>;
using Double = Format<52, 11>;

// value = significand / 2^63 * 2^exponent; the top bit of the significand is set, but for zero.
struct Parts {
    bool negative = false;
    int exponent = 0;
    std::uint64_t significand = 0;
};

template <class F>
bool is_special(std::uint64_t bits) {
    return (bits & F::infinity) == F::infinity;
}
template <class F>
bool is_nan(std::uint64_t bits) {
    return is_special<F>(bits) && (bits & F::fraction_mask) != 0;
}
template <class F>
bool is_infinite(std::uint64_t bits) {
    return is_special<F>(bits) && (bits & F::fraction_mask) == 0;
}
template <class F>
bool is_zero(std::uint64_t bits) {
    return (bits & (F::all ^ F::sign_mask)) == 0;
}

// The number is finite.
template <class F>
Parts take_apart(std::uint64_t bits) {
    Parts parts{(bits & F::sign_mask) != 0, static_cast<int>(bits >> F::fraction & F::most_exponent) - F::bias,
                bits & F::fraction_mask};
    if (parts.exponent == -F::bias) {
        parts.exponent = 1 - F::bias;
    } else {
        parts.significand |= F::hidden;
    }
    if (parts.significand == 0) return parts;
    const int shift = std::countl_zero(parts.significand);
    parts.significand <<= shift;
    parts.exponent += 63 - F::fraction - shift;
    return parts;
}

inline std::uint64_t shift_right_sticky(std::uint64_t value, int shift) {
    if (shift <= 0) return value;
    if (shift > 63) return value != 0 ? 1 : 0;
    return value >> shift | ((value << (64 - shift)) != 0 ? 1U : 0U);
}

inline bool rounds_up(std::uint64_t kept, std::uint64_t lost, std::uint64_t half, bool negative, Rounding rounding) {
    switch (rounding) {
        case Rounding::Nearest:
            return lost > half || (lost == half && (kept & 1) != 0);
        case Rounding::Up:
            return !negative && lost != 0;
        case Rounding::Down:
            return negative && lost != 0;
        case Rounding::Zero:
            return false;
    }
    return false;
}

// Rounds and puts together. The significand's lowest bit may stand for any lower ones (sticky).
template <class F>
std::uint64_t put_together(Parts parts, Rounding rounding, bool& error) {
    const std::uint64_t sign = parts.negative ? F::sign_mask : 0;
    if (parts.significand == 0) return sign;
    static constexpr int shift = 63 - F::fraction;
    static constexpr std::uint64_t lost_mask = (std::uint64_t{1} << shift) - 1, half = std::uint64_t{1} << (shift - 1);
    const bool tiny = parts.exponent < 1 - F::bias;
    if (tiny) parts.significand = shift_right_sticky(parts.significand, 1 - F::bias - parts.exponent);
    std::uint64_t kept = parts.significand >> shift;
    if (rounds_up(kept, parts.significand & lost_mask, half, parts.negative, rounding)) ++kept;
    // A carry out of the fraction raises the exponent by itself.
    const std::uint64_t magnitude =
        tiny ? kept : (static_cast<std::uint64_t>(std::int64_t{parts.exponent} + F::bias - 1) << F::fraction) + kept;
    if (parts.exponent <= F::bias && magnitude < F::infinity) return sign | magnitude;
    error = true;
    const bool to_infinity = rounding == Rounding::Nearest || (rounding == Rounding::Up && !parts.negative) ||
                             (rounding == Rounding::Down && parts.negative);
    return sign | (to_infinity ? F::infinity : F::infinity - 1);
}

}  // namespace t800_core::floating
