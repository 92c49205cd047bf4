// The floating-point unit beside MPFR, with the formats' exponents and denormals: every rounding, both lengths, and the error
// flag. Random operands lie where things happen. T800_CASES sets the number of operations (scripts/t800_campaign: 10^8).
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <mpfr.h>

#include <t800_core/floating.hpp>

namespace {

using namespace t800_core;

struct Length {
    int fraction, exponent;
    mpfr_exp_t least, most;
    std::uint64_t mask() const { return fraction == 52 ? ~std::uint64_t{0} : 0xFFFFFFFFU; }
};
constexpr Length single_length{23, 8, -148, 128}, double_length{52, 11, -1073, 1024};

mpfr_rnd_t mode(Rounding rounding) {
    switch (rounding) {
        case Rounding::Nearest:
            return MPFR_RNDN;
        case Rounding::Zero:
            return MPFR_RNDZ;
        case Rounding::Up:
            return MPFR_RNDU;
        case Rounding::Down:
            return MPFR_RNDD;
    }
    return MPFR_RNDN;
}

double value_of(Real real) {
    if (real.is_double) return std::bit_cast<double>(real.bits);
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(real.bits)));
}
Real real_of(double value, bool is_double) {
    if (is_double) return {std::bit_cast<std::uint64_t>(value), true};
    return {std::bit_cast<std::uint32_t>(static_cast<float>(value)), false};
}

class Number {
public:
    explicit Number(const Length& length) { mpfr_init2(raw, length.fraction + 1); }
    ~Number() { mpfr_clear(raw); }
    Number(const Number&) = delete;
    Number& operator=(const Number&) = delete;
    mpfr_t raw;
};

class Operands {
public:
    explicit Operands(std::uint64_t seed) : random_(seed) {}
    std::uint64_t raw() { return random_(); }
    // Finite; exponents near those of `beside`, at the ends, or anywhere.
    Real real(const Length& length, std::uint64_t beside) {
        const std::uint64_t most = (std::uint64_t{1} << length.exponent) - 1;
        std::uint64_t exponent = random_() % most;
        switch (random_() % 8) {
            case 0:
                exponent = 0;
                break;
            case 1:
                exponent = 1 + random_() % 3;
                break;
            case 2:
                exponent = most - 1 - random_() % 3;
                break;
            case 3:
            case 4:
                exponent = ((beside >> length.fraction & most) + random_() % 60 + most - 30) % most;
                break;
            case 5:
                exponent = most / 2 + random_() % 70 - 5;
                break;
            default:
                break;
        }
        std::uint64_t fraction = random_();
        switch (random_() % 6) {
            case 0:
                fraction = 0;
                break;
            case 1:
                fraction = ~std::uint64_t{0};
                break;
            case 2:
                fraction = std::uint64_t{1} << (random_() % 52);
                break;
            case 3:
                fraction = ~std::uint64_t{0} << (random_() % 52);
                break;
            default:
                break;
        }
        exponent %= most;
        fraction &= (std::uint64_t{1} << length.fraction) - 1;
        return {
            ((random_() & 1) << (length.fraction + length.exponent) | exponent << length.fraction | fraction) & length.mask(),
            length.fraction == 52};
    }

private:
    std::mt19937_64 random_;
};

struct Expected {
    Real result;
    bool error = false;
};
using Work = int (*)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

// In the format `length`, from operands that may have another.
Expected by_mpfr(const Length& length, Work work, Real b, Real a, Rounding rounding) {
    Number x(double_length), y(double_length), z(length);
    mpfr_set_emin(-1073), mpfr_set_emax(1024);
    mpfr_set_d(x.raw, value_of(b), MPFR_RNDN), mpfr_set_d(y.raw, value_of(a), MPFR_RNDN);
    mpfr_set_emin(length.least), mpfr_set_emax(length.most);
    mpfr_clear_flags();
    int ternary = work(z.raw, x.raw, y.raw, mode(rounding));
    ternary = mpfr_check_range(z.raw, ternary, mode(rounding));
    mpfr_subnormalize(z.raw, ternary, mode(rounding));
    const bool error = mpfr_overflow_p() != 0 || mpfr_divby0_p() != 0 || mpfr_nanflag_p() != 0;
    return {real_of(mpfr_get_d(z.raw, MPFR_RNDN), length.fraction == 52), error};
}

int add_work(mpfr_t z, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rounding) {
    return mpfr_add(z, x, y, rounding);
}
int subtract_work(mpfr_t z, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rounding) {
    return mpfr_sub(z, x, y, rounding);
}
int multiply_work(mpfr_t z, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rounding) {
    return mpfr_mul(z, x, y, rounding);
}
int divide_work(mpfr_t z, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rounding) {
    return mpfr_div(z, x, y, rounding);
}
int remainder_work(mpfr_t z, const mpfr_t x, const mpfr_t y, mpfr_rnd_t) {
    return mpfr_remainder(z, x, y, MPFR_RNDN);
}
int root_work(mpfr_t z, const mpfr_t, const mpfr_t y, mpfr_rnd_t rounding) {
    return mpfr_sqrt(z, y, rounding);
}
int integer_work(mpfr_t z, const mpfr_t, const mpfr_t y, mpfr_rnd_t rounding) {
    return mpfr_rint(z, y, rounding), 0;
}
int same_work(mpfr_t z, const mpfr_t, const mpfr_t y, mpfr_rnd_t rounding) {
    return mpfr_set(z, y, rounding);
}
template <int power>
int scale_work(mpfr_t z, const mpfr_t, const mpfr_t y, mpfr_rnd_t rounding) {
    return mpfr_mul_2si(z, y, power, rounding);
}

Real remainder_core(Real b, Real a, Rounding, bool& error) {
    std::uint32_t steps = 0;
    return floating::remainder(b, a, error, steps);
}
template <Real (*unary)(Real, Rounding, bool&)>
Real alone(Real, Real a, Rounding rounding, bool& error) {
    return unary(a, rounding, error);
}
template <int power>
Real scale_core(Real, Real a, Rounding rounding, bool& error) {
    return floating::scale(a, power, rounding, error);
}
Real widen_core(Real, Real a, Rounding, bool& error) {
    return floating::widen(a, error);
}

struct Row {
    const char* name;
    Real (*core)(Real, Real, Rounding, bool&);
    Work work;
    int convert = 0;  // 1: real32 to real64, 2: back
};
constexpr Row rows[] = {{"fpadd", floating::add, add_work},
                        {"fpsub", floating::subtract, subtract_work},
                        {"fpmul", floating::multiply, multiply_work},
                        {"fpdiv", floating::divide, divide_work},
                        {"fprem", remainder_core, remainder_work},
                        {"fpusqrt", alone<floating::square_root>, root_work},
                        {"fpint", alone<floating::to_integer>, integer_work},
                        {"fpuexpinc32", scale_core<32>, scale_work<32>},
                        {"fpuexpdec32", scale_core<-32>, scale_work<-32>},
                        {"fpumulby2", scale_core<1>, scale_work<1>},
                        {"fpudivby2", scale_core<-1>, scale_work<-1>},
                        {"fpur32tor64", widen_core, same_work, 1},
                        {"fpur64tor32", alone<floating::narrow>, same_work, 2}};

std::string told(const Row& row, Real b, Real a, Rounding rounding, Real got, bool error, const Expected& expected) {
    char text[300];
    std::snprintf(text, sizeof text, "%s mode %d: %llx %llx gives %llx error %d, MPFR %llx error %d", row.name,
                  static_cast<int>(rounding), static_cast<unsigned long long>(b.bits), static_cast<unsigned long long>(a.bits),
                  static_cast<unsigned long long>(got.bits), error, static_cast<unsigned long long>(expected.result.bits),
                  expected.error);
    return text;
}

std::string compare(const Row& row, Operands& operands) {
    const bool is_double = row.convert == 0 ? (operands.raw() & 1) != 0 : row.convert == 2;
    const Length& from = is_double ? double_length : single_length;
    const Length& to = row.convert == 0 ? from : row.convert == 1 ? double_length : single_length;
    const Real b = operands.real(from, operands.raw()), a = operands.real(from, b.bits);
    const auto rounding = static_cast<Rounding>(operands.raw() & 3);
    bool error = false;
    const Real got = row.core(b, a, rounding, error);
    const Expected expected = by_mpfr(to, row.work, b, a, rounding);
    if (error != expected.error) return told(row, b, a, rounding, got, error, expected);
    if (floating::is_nan(expected.result)) return {};  // which one: rules_test.cpp
    return got == expected.result ? "" : told(row, b, a, rounding, got, error, expected);
}

TEST(T800Floating, EveryOperationEqualsMpfrInAllRoundingsAndBothLengths) {
    const char* wanted = std::getenv("T800_CASES");
    const std::uint64_t count = wanted == nullptr ? 400'000 : std::strtoull(wanted, nullptr, 10);
    Operands operands(1);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string text = compare(rows[i % std::size(rows)], operands);
        ASSERT_EQ(text, "") << "operation " << i;
    }
}

TEST(T800Floating, IntegersBecomeRealsAsMpfrRoundsThem) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 100'000; ++i) {
        const auto value = static_cast<std::int32_t>(random() >> (32 + random() % 32));
        const auto rounding = static_cast<Rounding>(random() & 3);
        for (const bool is_double : {false, true}) {
            Number z(is_double ? double_length : single_length);
            mpfr_set_emin(-1073), mpfr_set_emax(1024);
            mpfr_set_si(z.raw, value, mode(rounding));
            ASSERT_EQ(floating::from_int32(value, is_double, rounding).bits,
                      real_of(mpfr_get_d(z.raw, MPFR_RNDN), is_double).bits)
                << value;
        }
    }
}

}  // namespace
