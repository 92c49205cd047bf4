// Rows of the instruction table for the floating-point unit. Cycles are until the unit is free again; fpnan behind
// the instruction waits for that.
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "row_case.hpp"

namespace t800_floating_rows {
namespace {

using namespace t800_test;

constexpr std::uint32_t data = 0x80000900U, result_at = 0x80000980U;

Real single_real(float value) {
    return {std::bit_cast<std::uint32_t>(value), false};
}
Real double_real(double value) {
    return {std::bit_cast<std::uint64_t>(value), true};
}

struct FloatingCase {
    std::string row, state, code;
    std::uint64_t unit, cpu;  // cycles until the unit is free, and until the CPU is
    std::vector<Real> stack{};
    Real fa{};
    std::array<std::uint32_t, 2> in{};
    std::optional<std::uint32_t> a{};
    std::vector<std::uint32_t> words{};
    bool error = false;
    std::uint64_t prefixes = 1;
};
std::ostream& operator<<(std::ostream& out, const FloatingCase& row) {
    return out << row.row << " " << row.state;
}

const Real one = double_real(1), two = double_real(2), three = double_real(3), one_s = single_real(1), two_s = single_real(2),
           three_s = single_real(3);

std::vector<FloatingCase> load_rows() {
    const std::uint32_t two_bits = std::bit_cast<std::uint32_t>(2.0F);
    const std::vector<std::uint32_t> two_words{0, 0x40000000};
    return {{"fpldnlsn", "", "fpldnlsn", 2, 2, {one}, two_s, {data}, {}, {two_bits}},
            {"fpldnldb", "", "fpldnldb", 3, 3, {one}, two, {data}, {}, two_words},
            {"fpldnlsni", "", "fpldnlsni", 4, 4, {}, two_s, {data - 8, 2}, {}, {two_bits}},
            {"fpldnldbi", "", "fpldnldbi", 6, 6, {}, two, {data - 16, 2}, {}, two_words},
            {"fpldzerosn", "", "fpldzerosn", 2, 2, {}, {0, false}},
            {"fpldzerodb", "", "fpldzerodb", 2, 2, {}, {0, true}},
            {"fpldnladdsn", "", "fpldnladdsn", 8, 2, {one_s}, three_s, {data}, {}, {two_bits}},
            {"fpldnladddb", "", "fpldnladddb", 9, 3, {one}, three, {data}, {}, two_words},
            {"fpldnlmulsn", "", "fpldnlmulsn", 13, 2, {one_s}, two_s, {data}, {}, {two_bits}},
            {"fpldnlmuldb", "", "fpldnlmuldb", 21, 3, {one}, two, {data}, {}, two_words},
            {"fpi32tor32", "", "fpi32tor32", 8, 3, {}, two_s, {data}, {}, {2}},
            {"fpi32tor64", "", "fpi32tor64", 8, 3, {}, double_real(-1), {data}, {}, {0xFFFFFFFF}},
            {"fpb32tor64", "", "fpb32tor64", 8, 3, {}, double_real(4294967295.0), {data}, {}, {0xFFFFFFFF}}};
}
std::vector<FloatingCase> arithmetic_rows() {
    return {{"fpadd", "single", "fpadd", 6, 1, {one_s, two_s}, three_s},
            {"fpadd", "double", "fpadd", 6, 1, {one, two}, three},
            {"fpsub", "single", "fpsub", 6, 1, {one_s, three_s}, two_s},
            {"fpsub", "double", "fpsub", 6, 1, {one, three}, two},
            {"fpmul", "single", "fpmul", 11, 1, {one_s, three_s}, three_s},
            {"fpmul", "double", "fpmul", 18, 1, {one, three}, three},
            {"fpdiv", "single", "fpdiv", 16, 1, {two_s, two_s}, one_s},
            {"fpdiv", "double", "fpdiv", 31, 1, {two, two}, one},
            {"fpdiv", "by zero", "fpdiv", 31, 1, {double_real(0), two}, {0x7FF0000000000000, true}, {}, {}, {}, true},
            {"fpremfirst", "", "fpremfirst", 36, 36, {two, three}, double_real(-1), {}, 1},
            {"fpremstep", "", "fpremstep", 32, 32, {two}, two, {}, 0},
            {"fprtoi32", "", "fprtoi32", 7, 1, {double_real(2.5)}, two},
            {"fprtoi32", "outside", "fprtoi32", 7, 1, {double_real(2147483648.0)}, double_real(2147483648.0), {}, {}, {}, true},
            {"fpint", "", "fpint", 5, 1, {double_real(2.5)}, two}};
}
std::vector<FloatingCase> look_rows() {
    const Real nan{0x7FF8000000000000, true};
    return {{"fprev", "", "fprev", 1, 1, {one, two}, two},
            {"fpdup", "", "fpdup", 1, 1, {one}, one},
            {"fpchkerror", "", "fpchkerror", 1, 1, {one}, one},
            {"fptesterror", "", "fptesterror", 2, 2, {one}, one, {}, 1},
            {"fpgt", "", "fpgt", 4, 4, {one, two, three}, three, {}, 1},
            {"fpeq", "", "fpeq", 3, 3, {one, two, three}, three, {}, 0},
            {"fpeq", "NaN", "fpeq", 3, 3, {nan, nan, three}, three, {}, 1, {}, true},
            {"fpordered", "", "fpordered", 3, 3, {one, nan}, one, {}, 0},
            {"fpnan", "", "fpnan", 2, 2, {nan}, nan, {}, 1},
            {"fpnotfinite", "", "fpnotfinite", 2, 2, {nan}, nan, {}, 1}};
}
// ldc NUMBER; fpentry: the CPU pays one cycle each (and a prefix of fpentry); the unit starts when fpentry is over.
std::vector<FloatingCase> entry_rows() {
    const auto entry = [](std::string name, std::uint64_t cycles, Real from, Real to, bool error = false) {
        return FloatingCase{name, "", name, cycles + 2, 2, {from}, to, {}, {}, {}, error};
    };
    std::vector<FloatingCase> rows{entry("fpusqrtfirst", 27, two, two),
                                   entry("fpusqrtstep", 42, two, two),
                                   entry("fpusqrtlast", 8, double_real(4), two),
                                   entry("fpurp", 1, one, one),
                                   entry("fpurm", 1, one, one),
                                   entry("fpurz", 1, one, one),
                                   entry("fpurn", 1, one, one),
                                   entry("fpur32tor64", 3, two_s, two),
                                   entry("fpur64tor32", 6, two, two_s),
                                   entry("fpuexpdec32", 6, double_real(4294967296.0), one),
                                   entry("fpuexpinc32", 6, one, double_real(4294967296.0)),
                                   entry("fpuabs", 2, double_real(-2), two),
                                   entry("fpunoround", 2, double_real(2.0000000001), two_s),
                                   entry("fpuchki32", 3, double_real(3e9), double_real(3e9), true),
                                   entry("fpuchki64", 3, double_real(1e19), double_real(1e19), true),
                                   entry("fpudivby2", 6, two, one),
                                   entry("fpumulby2", 6, one, two),
                                   entry("fpuseterror", 1, one, one, true),
                                   entry("fpuclearerror", 1, one, one)};
    for (FloatingCase& row : rows) {
        if (row.row == "fpurn" || row.row == "fpuseterror" || row.row == "fpuclearerror" || row.row == "fpudivby2" ||
            row.row == "fpumulby2")
            row.prefixes = 2;
    }
    return rows;
}
std::vector<FloatingCase> all_rows() {
    std::vector<FloatingCase> rows;
    for (const auto& part : {load_rows(), arithmetic_rows(), look_rows(), entry_rows()})
        rows.insert(rows.end(), part.begin(), part.end());
    return rows;
}

void prepare(const FloatingCase& row, BenchNode& node) {
    run_row({row.row, row.state, row.code + "\n fpnan", 0, {row.in[0], row.in[1], 0}}, node);
    Registers r = node.core.registers();
    for (std::size_t i = 0; i < row.stack.size(); ++i) r.floating[1].stack[i] = row.stack[i];
    node.core.set_registers(r);
    for (std::size_t i = 0; i < row.words.size(); ++i)
        node.core.set_word(data + static_cast<std::uint32_t>(4 * i), row.words[i]);
}
// Steps until the instruction behind the row's would be next.
void step_over(BenchNode& node, std::uint32_t end) {
    while (node.core.registers().iptr != end) node.core.run_until(node.core.now() + 1);
}

class T800FloatingRow : public testing::TestWithParam<FloatingCase> {};

TEST_P(T800FloatingRow, HasTheCyclesAndTheEffectOfTheTable) {
    const FloatingCase& row = GetParam();
    BenchNode node;
    prepare(row, node);
    const auto length = static_cast<std::uint32_t>(t800_assembly::assemble(row.code + "\n.space 4", "row.s").code.size() - 4);
    const Cycle start = node.core.now();
    step_over(node, code_at + length);
    EXPECT_EQ(node.core.now() - start, row.cpu + row.prefixes);
    const FloatingState& unit = node.core.registers().floating[1];
    EXPECT_EQ(unit.stack[0].bits, row.fa.bits);
    EXPECT_EQ(unit.stack[0].is_double, row.fa.is_double);
    EXPECT_EQ(unit.error, row.error);
    if (row.a) {
        EXPECT_EQ(node.core.registers().a, *row.a);
    }
    // fpnan: two cycles and a prefix, and it begins when the unit is free.
    step_over(node, code_at + length + 2);
    EXPECT_EQ(node.core.now() - start, std::max(row.unit + row.prefixes, row.cpu + row.prefixes + 1) + 2);
}

std::string floating_name(const testing::TestParamInfo<FloatingCase>& row) {
    return name_of({row.param.row, row.param.state, "", 0});
}
INSTANTIATE_TEST_SUITE_P(Table, T800FloatingRow, testing::ValuesIn(all_rows()), floating_name);

TEST(T800FloatingStores, PutTheResultIntoMemory) {
    for (const auto& [code, cycles, low] : {std::tuple{"fpstnlsn", 2U, std::bit_cast<std::uint32_t>(2.0F)},
                                            std::tuple{"fpstnldb", 3U, 0U}, std::tuple{"fpstnli32", 4U, 2U}}) {
        BenchNode node;
        const bool is_single = std::string(code) == "fpstnlsn";
        prepare({code, "", code, 0, 0, {is_single ? two_s : two, one}, {}, {result_at, 0}}, node);
        const Cycle start = node.core.now();
        node.core.run_until(start + 1);
        EXPECT_EQ(node.core.now() - start, cycles + 1) << code;
        EXPECT_EQ(node.core.word(result_at), low) << code;
        EXPECT_EQ(node.core.registers().floating[1].stack[0], one) << code;
    }
}

TEST(T800FloatingTestOperations, StoreAndLoadTheUnit) {
    BenchNode node;
    prepare({"fpsttest", "", "ldc result\n fpsttest\n .set result, 0x80000980", 0, 0, {three}}, node);
    step_over(node, node.core.registers().iptr);
    node.core.run_until(node.core.now() + 14);
    EXPECT_EQ(node.core.word(result_at + 4), static_cast<std::uint32_t>(three.bits >> 32));
    BenchNode other;
    prepare({"fpldtest", "", "fpldtest", 0, 0, {one}, {}, {data, 0}, {}, {0, 0x40080000, 1}}, other);
    other.core.run_until(other.core.now() + 1);
    EXPECT_EQ(other.core.registers().floating[1].stack[0], three);
}

}  // namespace
}  // namespace t800_floating_rows
