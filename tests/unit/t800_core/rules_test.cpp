// Rules of the floating-point unit for operands that are no numbers: which NaN, which sign, which error.
#include <cstdint>

#include <gtest/gtest.h>

#include <t800_core/floating.hpp>

namespace t800_rules {
namespace {

using namespace t800_core;
using Binary = Real (*)(Real, Real, Rounding, bool&);

struct Rule {
    const char* what;
    Binary operation;
    std::uint64_t b, a, result;
    bool error;
};

Real rest(Real b, Real a, Rounding, bool& error) {
    std::uint32_t steps = 0;
    return floating::remainder(b, a, error, steps);
}
Real root(Real, Real a, Rounding rounding, bool& error) {
    return floating::square_root(a, rounding, error);
}

constexpr std::uint64_t one = 0x3F800000, zero = 0, minus_zero = 0x80000000, infinity = 0x7F800000, minus_infinity = 0xFF800000;
constexpr std::uint64_t small_nan = 0x7F800001, large_nan = 0xFFFFFFFF;
constexpr std::uint64_t d_one = 0x3FF0000000000000, d_zero = 0, d_infinity = 0x7FF0000000000000,
                        d_minus_infinity = 0xFFF0000000000000;

constexpr Rule singles[] = {
    {"0 / 0", floating::divide, zero, zero, 0x7FC00000, true},
    {"inf / inf", floating::divide, infinity, minus_infinity, 0x7FA00000, true},
    {"0 * inf", floating::multiply, zero, infinity, 0x7F900000, true},
    {"inf + -inf", floating::add, infinity, minus_infinity, 0x7F880000, true},
    {"inf - inf", floating::subtract, infinity, infinity, 0x7F880000, true},
    {"inf + inf", floating::add, infinity, infinity, infinity, true},
    {"inf - -inf", floating::subtract, infinity, minus_infinity, infinity, true},
    {"root of a negative", root, zero, 0xBF800000, 0x7F840000, true},
    {"root of -0", root, zero, minus_zero, minus_zero, false},
    {"root of inf", root, zero, infinity, infinity, true},
    {"inf REM 1", rest, infinity, one, 0x7F804000, true},
    {"1 REM 0", rest, one, zero, 0x7F802000, true},
    {"1 REM inf", rest, one, infinity, one, true},
    {"1 / 0", floating::divide, one, zero, infinity, true},
    {"1 / -0", floating::divide, one, minus_zero, minus_infinity, true},
    {"1 / inf", floating::divide, one, infinity, zero, true},
    {"one NaN", floating::add, one, small_nan, small_nan, true},
    {"one NaN, first", floating::multiply, small_nan, one, small_nan, true},
    {"two NaN: the larger fraction", floating::divide, small_nan, large_nan, large_nan, true},
    {"two NaN, the other way", floating::subtract, large_nan, small_nan, large_nan, true},
    {"0 + -0", floating::add, zero, minus_zero, zero, false},
    {"-0 + -0", floating::add, minus_zero, minus_zero, minus_zero, false},
};
constexpr Rule doubles[] = {
    {"0 / 0", floating::divide, d_zero, d_zero, 0x7FF8000000000000, true},
    {"inf / inf", floating::divide, d_infinity, d_infinity, 0x7FF4000000000000, true},
    {"0 * inf", floating::multiply, d_zero, d_infinity, 0x7FF2000000000000, true},
    {"inf + -inf", floating::add, d_infinity, d_minus_infinity, 0x7FF1000000000000, true},
    {"root of a negative", root, d_zero, 0xBFF0000000000000, 0x7FF0800000000000, true},
    {"inf REM 1", rest, d_infinity, d_one, 0x7FF0080000000000, true},
    {"1 REM 0", rest, d_one, d_zero, 0x7FF0040000000000, true},
};

template <std::size_t count>
void check(const Rule (&rules)[count], bool is_double) {
    for (const Rule& rule : rules) {
        bool error = false;
        EXPECT_EQ(rule.operation({rule.b, is_double}, {rule.a, is_double}, Rounding::Nearest, error).bits, rule.result)
            << rule.what;
        EXPECT_EQ(error, rule.error) << rule.what;
    }
}

TEST(T800FloatingRules, NanInfinityAndZeroFollowTheManual) {
    check(singles, false);
    check(doubles, true);
}

TEST(T800FloatingRules, ADifferenceOfEqualsIsMinusZeroOnlyDownwards) {
    bool error = false;
    for (const Rounding rounding : {Rounding::Nearest, Rounding::Zero, Rounding::Up}) {
        EXPECT_EQ(floating::subtract({one, false}, {one, false}, rounding, error).bits, zero);
    }
    EXPECT_EQ(floating::subtract({one, false}, {one, false}, Rounding::Down, error).bits, minus_zero);
}

TEST(T800FloatingRules, ConversionsOfNan) {
    bool error = false;
    EXPECT_EQ(floating::narrow({0x7FF8000000000000, true}, Rounding::Nearest, error).bits, 0x7F820000U);
    EXPECT_TRUE(error);
    error = false;
    EXPECT_EQ(floating::widen({small_nan, false}, error).bits, 0x7FF0000020000000U);
    EXPECT_TRUE(error);
}

TEST(T800FloatingRules, ComparisonsAreATotalOrderWithOneZero) {
    bool error = false;
    EXPECT_TRUE(floating::equal({zero, false}, {minus_zero, false}, error));
    EXPECT_TRUE(floating::greater({one, false}, {minus_zero, false}, error));
    EXPECT_FALSE(error);
    EXPECT_TRUE(floating::greater({small_nan, false}, {infinity, false}, error));
    EXPECT_TRUE(error);
}

TEST(T800FloatingRules, LowWordsAreTheIntegerPartModuloTwoToThe32) {
    EXPECT_EQ(floating::low_word({0x41F0000000100000, true}), 1U);           // 2^32 + 1
    EXPECT_EQ(floating::low_word({0xC000000000000000, true}), 0xFFFFFFFEU);  // -2
    EXPECT_EQ(floating::low_word({0x7FF0000000000000, true}), 0U);
    EXPECT_EQ(floating::low_word({0x3FE0000000000000, true}), 0U);  // 0.5
}

}  // namespace
}  // namespace t800_rules
