// Arithmetic of the T800's floating-point unit, bit for bit (data sheet; docs/model/t800_core.md). It is IEEE 754 in two
// lengths with denormals and four roundings, and has the T800's own rules for NaN.
//
// `error` is set by an invalid operation, a division by zero, an overflow, and an operand that is infinite or NaN. Nothing here
// clears it. Underflow and inexact results are no errors. Binary operations take FB first. Both operands have
// one length; the length of `a` counts if code mixes them. The host's own arithmetic is used where it cannot differ: finite
// operands and results, rounded to nearest.
#pragma once

#include <cstdint>

#include <t800_core/registers.hpp>

namespace t800_core::floating {

Real add(Real b, Real a, Rounding rounding, bool& error);
Real subtract(Real b, Real a, Rounding rounding, bool& error);
Real multiply(Real b, Real a, Rounding rounding, bool& error);
Real divide(Real b, Real a, Rounding rounding, bool& error);
// b REM a: b less the nearest multiple of a, always exact. `steps`: 32-cycle steps beside the first.
Real remainder(Real b, Real a, bool& error, std::uint32_t& steps);
Real square_root(Real a, Rounding rounding, bool& error);
Real scale(Real a, int power, Rounding rounding, bool& error);  // a * 2^power
Real absolute(Real a, bool& error);
Real to_integer(Real a, Rounding rounding, bool& error);  // a floating integer

bool greater(Real b, Real a, bool& error);  // bits as a total order, +0 = -0
bool equal(Real b, Real a, bool& error);
bool is_nan(Real a);
bool is_finite(Real a);

Real widen(Real a, bool& error);                      // real32 to real64
Real narrow(Real a, Rounding rounding, bool& error);  // real64 to real32
Real narrow_unrounded(Real a);                        // the fraction is cut
Real from_int32(std::int32_t value, bool is_double, Rounding rounding);
Real from_uint32(std::uint32_t value);  // real64
std::uint32_t low_word(Real a);         // of the integer part, modulo 2^32; 0 for infinity and NaN
bool in_int32(Real a);
bool in_int64(Real a);

}  // namespace t800_core::floating
