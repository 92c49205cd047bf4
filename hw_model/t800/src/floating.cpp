#include <t800_core/floating.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include <float_format.hpp>

namespace t800_core::floating {
namespace {

// NaN that the unit makes, by cause: single, double (compiler writer's guide).
struct Made {
    std::uint64_t single_bits, double_bits;
};
constexpr Made zero_over_zero{0x7FC00000, 0x7FF8000000000000}, infinity_over_infinity{0x7FA00000, 0x7FF4000000000000},
    zero_times_infinity{0x7F900000, 0x7FF2000000000000}, infinity_less_infinity{0x7F880000, 0x7FF1000000000000},
    root_of_negative{0x7F840000, 0x7FF0800000000000}, narrowed_nan{0x7F820000, 0x7FF0400000000000},
    remainder_of_infinity{0x7F804000, 0x7FF0080000000000}, remainder_by_zero{0x7F802000, 0x7FF0040000000000};

template <class F>
std::uint64_t make(const Made& made, bool& error) {
    error = true;
    return F::is_double ? made.double_bits : made.single_bits;
}
template <class F>
Real real(std::uint64_t bits) {
    return {bits & F::all, F::is_double};
}
// One of the two is a NaN.
template <class F>
std::uint64_t choose_nan(std::uint64_t b, std::uint64_t a) {
    if (!is_nan<F>(b)) return a;
    if (!is_nan<F>(a)) return b;
    return (b & F::fraction_mask) > (a & F::fraction_mask) ? b : a;
}

template <class F>
std::uint64_t add_finite(std::uint64_t b, std::uint64_t a, Rounding rounding, bool& error) {
    Parts x = take_apart<F>(b), y = take_apart<F>(a);
    if (x.significand == 0 && y.significand == 0) {
        const bool negative = x.negative == y.negative ? x.negative : rounding == Rounding::Down;
        return negative ? F::sign_mask : 0;
    }
    if (x.significand == 0) return a;
    if (y.significand == 0) return b;
    if (x.exponent < y.exponent || (x.exponent == y.exponent && x.significand < y.significand)) std::swap(x, y);
    // One bit of room above, and ten below for the single number of which bits are lost.
    Parts sum{x.negative, x.exponent + 1, x.significand >> 1};
    const std::uint64_t other = shift_right_sticky(y.significand >> 1, x.exponent - y.exponent);
    sum.significand = x.negative == y.negative ? sum.significand + other : sum.significand - other;
    if (sum.significand == 0) return rounding == Rounding::Down ? F::sign_mask : 0;
    const int shift = std::countl_zero(sum.significand);
    sum.significand <<= shift;
    sum.exponent -= shift;
    return put_together<F>(sum, rounding, error);
}

template <class F>
std::uint64_t add_bits(std::uint64_t b, std::uint64_t a, Rounding rounding, bool& error) {
    if (!is_special<F>(b) && !is_special<F>(a)) return add_finite<F>(b, a, rounding, error);
    error = true;
    if (is_nan<F>(b) || is_nan<F>(a)) return choose_nan<F>(b, a);
    if (is_infinite<F>(b) && is_infinite<F>(a) && ((b ^ a) & F::sign_mask) != 0) return make<F>(infinity_less_infinity, error);
    return is_infinite<F>(b) ? b : a;
}

template <class F>
std::uint64_t multiply_bits(std::uint64_t b, std::uint64_t a, Rounding rounding, bool& error) {
    const std::uint64_t sign = (b ^ a) & F::sign_mask;
    if (is_special<F>(b) || is_special<F>(a)) {
        error = true;
        if (is_nan<F>(b) || is_nan<F>(a)) return choose_nan<F>(b, a);
        if (is_zero<F>(b) || is_zero<F>(a)) return make<F>(zero_times_infinity, error);
        return sign | F::infinity;
    }
    const Parts x = take_apart<F>(b), y = take_apart<F>(a);
    if (x.significand == 0 || y.significand == 0) return sign;
    Wide product = Wide{x.significand} * y.significand;
    Parts result{sign != 0, x.exponent + y.exponent + 1, 0};
    if ((product >> 127) == 0) product <<= 1, --result.exponent;
    result.significand = static_cast<std::uint64_t>(product >> 64) | (static_cast<std::uint64_t>(product) != 0 ? 1U : 0U);
    return put_together<F>(result, rounding, error);
}

template <class F>
std::uint64_t divide_bits(std::uint64_t b, std::uint64_t a, Rounding rounding, bool& error) {
    const std::uint64_t sign = (b ^ a) & F::sign_mask;
    if (is_special<F>(b) || is_special<F>(a)) {
        error = true;
        if (is_nan<F>(b) || is_nan<F>(a)) return choose_nan<F>(b, a);
        if (is_infinite<F>(b) && is_infinite<F>(a)) return make<F>(infinity_over_infinity, error);
        return is_infinite<F>(b) ? sign | F::infinity : sign;
    }
    const Parts x = take_apart<F>(b), y = take_apart<F>(a);
    if (y.significand == 0) {
        if (x.significand == 0) return make<F>(zero_over_zero, error);
        error = true;
        return sign | F::infinity;
    }
    if (x.significand == 0) return sign;
    Parts result{sign != 0, x.exponent - y.exponent, 0};
    // Quotient in [2^63, 2^64).
    Wide dividend = Wide{x.significand} << 63;
    if (x.significand < y.significand) dividend <<= 1, --result.exponent;
    result.significand = static_cast<std::uint64_t>(dividend / y.significand);
    if (dividend % y.significand != 0) result.significand |= 1;
    return put_together<F>(result, rounding, error);
}

// Largest whole number whose square is at most `value`; digit by digit.
std::uint64_t whole_root(Wide value, bool& exact) {
    Wide rest = value, root = 0;
    for (Wide bit = Wide{1} << 126; bit != 0; bit >>= 2) {
        if (rest >= root + bit) {
            rest -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    exact = rest == 0;
    return static_cast<std::uint64_t>(root);
}

template <class F>
std::uint64_t root_bits(std::uint64_t a, Rounding rounding, bool& error) {
    if (is_special<F>(a)) error = true;
    if (is_nan<F>(a) || is_zero<F>(a)) return a;
    if ((a & F::sign_mask) != 0) return make<F>(root_of_negative, error);
    if (is_infinite<F>(a)) return a;
    const Parts x = take_apart<F>(a);
    const bool odd = (x.exponent & 1) != 0;
    bool exact = false;
    Parts result{false, (x.exponent - (odd ? 1 : 0)) / 2, whole_root(Wide{x.significand} << (odd ? 64 : 63), exact)};
    if (!exact) result.significand |= 1;
    return put_together<F>(result, rounding, error);
}

template <class F>
std::uint64_t remainder_finite(std::uint64_t b, std::uint64_t a, std::uint32_t& steps) {
    const Parts x = take_apart<F>(b), y = take_apart<F>(a);
    const int distance = x.exponent - y.exponent;
    if (x.significand == 0 || distance < -1) return b;
    steps = distance > 54 ? static_cast<std::uint32_t>((distance - 1) / 54) : 0;
    // Both as whole numbers below 2^63 in units of 2^scale; `rest` is x less a whole multiple of y, of which `odd` is the
    // parity.
    Wide divisor = y.significand, rest = x.significand;
    int scale = y.exponent - 63;
    bool odd = false;
    if (distance < 0) {
        divisor <<= 1;
        scale = x.exponent - 63;
    } else {
        int left = distance;
        odd = (rest / divisor & 1) != 0;
        rest %= divisor;
        while (left > 0) {
            const int shift = std::min(left, 63);
            rest <<= shift;
            odd = (rest / divisor & 1) != 0;
            rest %= divisor;
            left -= shift;
        }
    }
    bool negative = x.negative;
    if (2 * rest > divisor || (2 * rest == divisor && odd)) {
        rest = divisor - rest;
        negative = !negative;
    }
    if (rest == 0) return x.negative ? F::sign_mask : 0;
    // Here rest is below 2^64: it is at most half of the divisor.
    std::uint64_t significand = static_cast<std::uint64_t>(rest);
    const int shift = std::countl_zero(significand);
    bool unused = false;
    return put_together<F>({negative, scale + 63 - shift, significand << shift}, Rounding::Nearest, unused);
}

template <class F>
std::uint64_t remainder_bits(std::uint64_t b, std::uint64_t a, bool& error, std::uint32_t& steps) {
    if (is_special<F>(b) || is_special<F>(a)) error = true;
    if (is_nan<F>(b) || is_nan<F>(a)) return choose_nan<F>(b, a);
    if (is_infinite<F>(b)) return make<F>(remainder_of_infinity, error);
    if (is_zero<F>(a)) return make<F>(remainder_by_zero, error);
    if (is_infinite<F>(a)) return b;
    return remainder_finite<F>(b, a, steps);
}

template <class F>
std::uint64_t scale_bits(std::uint64_t a, int power, Rounding rounding, bool& error) {
    if (is_special<F>(a)) {
        error = true;
        return a;
    }
    Parts parts = take_apart<F>(a);
    parts.exponent += power;
    return put_together<F>(parts, rounding, error);
}

template <class F>
std::uint64_t integer_bits(std::uint64_t a, Rounding rounding, bool& error) {
    if (is_special<F>(a)) {
        error = true;
        return a;
    }
    const Parts parts = take_apart<F>(a);
    if (parts.significand == 0 || parts.exponent >= F::fraction) return a;
    const std::uint64_t sign = parts.negative ? F::sign_mask : 0;
    // Down to units: 63 - exponent bits are lost, and all of a small number.
    const int shift = 63 - parts.exponent;
    std::uint64_t kept = shift > 63 ? 0 : parts.significand >> shift;
    const std::uint64_t lost = shift > 64 ? 1 : shift == 64 ? parts.significand : parts.significand << (64 - shift);
    if (rounds_up(kept, lost, std::uint64_t{1} << 63, parts.negative, rounding)) ++kept;
    if (kept == 0) return sign;
    const int up = std::countl_zero(kept);
    return put_together<F>({parts.negative, 63 - up, kept << up}, Rounding::Nearest, error);
}

template <class F>
std::int64_t order_of(std::uint64_t bits) {
    const auto magnitude = static_cast<std::int64_t>(bits & (F::all ^ F::sign_mask));
    return (bits & F::sign_mask) != 0 ? -magnitude : magnitude;
}

double host_double(Real value) {
    return std::bit_cast<double>(value.bits);
}
float host_single(Real value) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits));
}
// The host's result. It is the unit's as well when operands and result are finite: both round to nearest, denormals too.
template <class Operation>
bool by_host(Real b, Real a, Operation operation, Real& result) {
    if (a.is_double) {
        const double value = operation(host_double(b), host_double(a));
        result = {std::bit_cast<std::uint64_t>(value), true};
        return std::isfinite(value) && std::isfinite(host_double(b)) && std::isfinite(host_double(a));
    }
    const float value = operation(host_single(b), host_single(a));
    result = {std::bit_cast<std::uint32_t>(value), false};
    return std::isfinite(value) && std::isfinite(host_single(b)) && std::isfinite(host_single(a));
}

}  // namespace

// Dispatches by length.
#define T800_BY_LENGTH(function, ...) \
    (a.is_double ? real<Double>(function<Double>(__VA_ARGS__)) : real<Single>(function<Single>(__VA_ARGS__)))

Real add(Real b, Real a, Rounding rounding, bool& error) {
    Real result;
    if (rounding == Rounding::Nearest && by_host(
                                             b, a, [](auto x, auto y) { return x + y; }, result))
        return result;
    return T800_BY_LENGTH(add_bits, b.bits, a.bits, rounding, error);
}
Real subtract(Real b, Real a, Rounding rounding, bool& error) {
    Real result;
    if (rounding == Rounding::Nearest && by_host(
                                             b, a, [](auto x, auto y) { return x - y; }, result))
        return result;
    // A NaN keeps its sign.
    if (!is_nan(a)) a.bits ^= a.is_double ? Double::sign_mask : Single::sign_mask;
    return T800_BY_LENGTH(add_bits, b.bits, a.bits, rounding, error);
}
Real multiply(Real b, Real a, Rounding rounding, bool& error) {
    Real result;
    if (rounding == Rounding::Nearest && by_host(
                                             b, a, [](auto x, auto y) { return x * y; }, result))
        return result;
    return T800_BY_LENGTH(multiply_bits, b.bits, a.bits, rounding, error);
}
Real divide(Real b, Real a, Rounding rounding, bool& error) {
    Real result;
    const bool by_zero = a.is_double ? is_zero<Double>(a.bits) : is_zero<Single>(a.bits);
    if (!by_zero && rounding == Rounding::Nearest &&
        by_host(
            b, a, [](auto x, auto y) { return x / y; }, result))
        return result;
    return T800_BY_LENGTH(divide_bits, b.bits, a.bits, rounding, error);
}
Real remainder(Real b, Real a, bool& error, std::uint32_t& steps) {
    return T800_BY_LENGTH(remainder_bits, b.bits, a.bits, error, steps);
}
Real square_root(Real a, Rounding rounding, bool& error) {
    return T800_BY_LENGTH(root_bits, a.bits, rounding, error);
}
Real scale(Real a, int power, Rounding rounding, bool& error) {
    return T800_BY_LENGTH(scale_bits, a.bits, power, rounding, error);
}
Real absolute(Real a, bool& error) {
    if (!is_finite(a)) error = true;
    a.bits &= ~(a.is_double ? Double::sign_mask : Single::sign_mask);
    return a;
}
Real to_integer(Real a, Rounding rounding, bool& error) {
    return T800_BY_LENGTH(integer_bits, a.bits, rounding, error);
}

bool greater(Real b, Real a, bool& error) {
    if (!is_finite(b) || !is_finite(a)) error = true;
    return a.is_double ? order_of<Double>(b.bits) > order_of<Double>(a.bits)
                       : order_of<Single>(b.bits) > order_of<Single>(a.bits);
}
bool equal(Real b, Real a, bool& error) {
    if (!is_finite(b) || !is_finite(a)) error = true;
    return a.is_double ? order_of<Double>(b.bits) == order_of<Double>(a.bits)
                       : order_of<Single>(b.bits) == order_of<Single>(a.bits);
}
bool is_nan(Real a) {
    return a.is_double ? is_nan<Double>(a.bits) : is_nan<Single>(a.bits);
}
bool is_finite(Real a) {
    return a.is_double ? !is_special<Double>(a.bits) : !is_special<Single>(a.bits);
}

Real widen(Real a, bool& error) {
    if (a.is_double) return a;
    if (is_special<Single>(a.bits)) {
        error = true;
        const std::uint64_t sign = (a.bits & Single::sign_mask) << 32;
        return {sign | Double::infinity | ((a.bits & Single::fraction_mask) << 29), true};
    }
    return {put_together<Double>(take_apart<Single>(a.bits), Rounding::Nearest, error), true};
}
Real narrow(Real a, Rounding rounding, bool& error) {
    if (!a.is_double) return a;
    if (is_nan<Double>(a.bits)) return {make<Single>(narrowed_nan, error), false};
    if (is_infinite<Double>(a.bits)) {
        error = true;
        return {(a.bits >> 32 & Single::sign_mask) | Single::infinity, false};
    }
    return {put_together<Single>(take_apart<Double>(a.bits), rounding, error), false};
}
Real narrow_unrounded(Real a) {
    if (!a.is_double) return a;
    const std::uint64_t sign = a.bits >> 32 & Single::sign_mask;
    if (is_special<Double>(a.bits)) return {sign | Single::infinity | ((a.bits & Double::fraction_mask) >> 29), false};
    bool unused = false;
    return {put_together<Single>(take_apart<Double>(a.bits), Rounding::Zero, unused), false};
}
Real from_int32(std::int32_t value, bool is_double, Rounding rounding) {
    if (value == 0) return {0, is_double};
    const bool negative = value < 0;
    const std::uint64_t magnitude =
        negative ? static_cast<std::uint64_t>(-std::int64_t{value}) : static_cast<std::uint64_t>(value);
    const int shift = std::countl_zero(magnitude);
    const Parts parts{negative, 63 - shift, magnitude << shift};
    bool unused = false;
    return is_double ? Real{put_together<Double>(parts, rounding, unused), true}
                     : Real{put_together<Single>(parts, rounding, unused), false};
}
Real from_uint32(std::uint32_t value) {
    return {std::bit_cast<std::uint64_t>(static_cast<double>(value)), true};
}
std::uint32_t low_word(Real a) {
    if (!is_finite(a)) return 0;
    const Parts parts = a.is_double ? take_apart<Double>(a.bits) : take_apart<Single>(a.bits);
    if (parts.significand == 0 || parts.exponent < 0 || parts.exponent > 63 + 31) return 0;
    const std::uint64_t whole =
        parts.exponent <= 63 ? parts.significand >> (63 - parts.exponent) : parts.significand << (parts.exponent - 63);
    const auto word = static_cast<std::uint32_t>(whole);
    return parts.negative ? 0U - word : word;
}
bool in_int32(Real a) {
    bool unused = false;
    const double value = is_finite(a) ? host_double(widen(a, unused)) : INFINITY;
    return value >= -2147483648.0 && value <= 2147483647.0;
}
bool in_int64(Real a) {
    bool unused = false;
    const double value = is_finite(a) ? host_double(widen(a, unused)) : INFINITY;
    return value >= -9223372036854775808.0 && value < 9223372036854775808.0;
}

}  // namespace t800_core::floating
