// Every row of the instruction table with its cycles, in on-chip memory: arithmetic, memory and control. Rows that schedule are
// in scheduling_rows_test.cpp, those of the floating-point unit in floating_rows_test.cpp.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "row_case.hpp"

namespace t800_rows {
namespace {

using namespace t800_test;

using Set = std::function<void(BenchNode&)>;
constexpr std::uint32_t least = 0x80000000U, most = 0x7FFFFFFFU;

Set word(std::uint32_t address, std::uint32_t value) {
    return [=](BenchNode& node) { node.core.set_word(address, value); };
}
Set holds(std::uint32_t address, std::uint32_t value) {
    return [=](BenchNode& node) { EXPECT_EQ(node.core.word(address), value); };
}
Set iptr_is(std::uint32_t value) {
    return [=](BenchNode& node) { EXPECT_EQ(node.core.registers().iptr, value); };
}
Set wptr_is(std::uint32_t value) {
    return [=](BenchNode& node) { EXPECT_EQ(node.core.registers().wptr, value); };
}
Set error_is(bool value) {
    return [=](BenchNode& node) { EXPECT_EQ(node.core.registers().error, value); };
}
Set with(const std::function<void(Registers&)>& change) {
    return [=](BenchNode& node) {
        Registers r = node.core.registers();
        change(r);
        node.core.set_registers(r);
    };
}

std::vector<RowCase> direct_rows() {
    return {{"j", "", "j . + 32", 3, {}, {}, {}, {}, {}, iptr_is(0x80000220), 1},
            {"ldlp", "", "ldlp 2", 1, {5, 6, 7}, work_at + 8, 5, 6},
            {"pfix", "", "pfix 1\nldc 2", 2, {}, 0x12},
            {"ldnl", "", "ldnl 1", 2, {work_at}, 77, {}, {}, word(work_at + 4, 77)},
            {"ldc", "", "ldc 9", 1, {1, 2, 3}, 9, 1, 2},
            {"ldnlp", "", "ldnlp 3", 1, {100}, 112},
            {"nfix", "", "nfix 1\nldc 1", 2, {}, 0U - 31},
            {"ldl", "", "ldl 1", 2, {1, 2, 3}, 88, 1, 2, word(work_at + 4, 88)},
            {"adc", "", "adc 5", 1, {7}, 12, {}, {}, {}, error_is(false)},
            {"adc", "overflow", "adc 1", 1, {most}, least, {}, {}, {}, error_is(true)},
            {"call", "", "call . + 16", 7, {1, 2, 3}, 0x80000201, {}, {}, {}, wptr_is(work_at - 16)},
            {"cj", "not taken", "cj . + 16", 2, {1, 2, 3}, 2, 3, {}, {}, iptr_is(0x80000201)},
            {"cj", "taken", "cj . + 15", 4, {0, 2, 3}, 0, 2, 3, {}, iptr_is(0x8000020F)},
            {"ajw", "", "ajw 4", 1, {}, {}, {}, {}, {}, wptr_is(work_at + 16)},
            {"eqc", "equal", "eqc 4", 2, {4}, 1},
            {"eqc", "other", "eqc 4", 2, {5}, 0},
            {"stl", "", "stl 1", 1, {9, 8, 7}, 8, 7, {}, {}, holds(work_at + 4, 9)},
            {"stnl", "", "stnl 1", 2, {work_at, 8, 7}, 7, {}, {}, {}, holds(work_at + 4, 8)}};
}

std::vector<RowCase> word_rows() {
    return {{"and", "", "and", 1, {12, 10, 7}, 8, 7, {}, {}, {}, 1},
            {"or", "", "or", 1, {12, 10, 7}, 14, 7, {}, {}, {}, 1},
            {"xor", "", "xor", 1, {12, 10, 7}, 6, 7, {}, {}, {}, 1},
            {"not", "", "not", 1, {0}, ~0U, {}, {}, {}, {}, 1},
            {"shl", "n", "shl", 6, {4, 1, 7}, 16, 7, {}, {}, {}, 1},
            {"shl", "32 and more", "shl", 3, {32, 1, 7}, 0, 7, {}, {}, {}, 1},
            {"shr", "n", "shr", 6, {4, least, 7}, 0x08000000, 7, {}, {}, {}, 1},
            {"shr", "32 and more", "shr", 3, {40, least, 7}, 0, 7, {}, {}, {}, 1},
            {"add", "", "add", 1, {1, 2, 7}, 3, 7, {}, {}, error_is(false)},
            {"add", "overflow", "add", 1, {1, most, 7}, least, 7, {}, {}, error_is(true)},
            {"sub", "", "sub", 1, {1, 3, 7}, 2, 7, {}, {}, error_is(false)},
            {"sub", "overflow", "sub", 1, {1, least, 7}, most, 7, {}, {}, error_is(true)},
            {"mul", "", "mul", 38, {6, 0U - 7, 7}, 0U - 42, 7, {}, {}, error_is(false), 1},
            {"mul", "overflow", "mul", 38, {0x10000, 0x10000, 7}, 0, 7, {}, {}, error_is(true), 1},
            {"fmul", "exact", "fmul", 35, {0x40000000, 0x40000000}, 0x20000000, {}, {}, {}, error_is(false), 1},
            {"fmul", "rounds", "fmul", 40, {0x40000000, 3}, 2, {}, {}, {}, error_is(false), 1},
            {"fmul", "overflow", "fmul", 35, {least, least}, least, {}, {}, {}, error_is(true), 1},
            {"div", "", "div", 39, {2, 0U - 7, 7}, 0U - 3, 7, {}, {}, error_is(false), 1},
            {"div", "by zero", "div", 39, {0, 9, 7}, 0, 7, {}, {}, error_is(true), 1},
            {"rem", "", "rem", 37, {2, 0U - 7, 7}, ~0U, 7, 1, {}, error_is(false), 1},
            {"rem", "least by minus one", "rem", 37, {~0U, least, 7}, 0, 7, {}, {}, error_is(false), 1},
            {"gt", "", "gt", 2, {0U - 1, 3, 7}, 1, 7},
            {"diff", "", "diff", 1, {5, 3, 7}, 0U - 2, 7},
            {"sum", "", "sum", 1, {most, most, 7}, 0U - 2, 7, {}, {}, error_is(false), 1},
            {"prod", "A positive", "prod", 7, {9, 5, 7}, 45, 7},
            {"prod", "A negative", "prod", 8, {0U - 9, 5, 7}, 0U - 45, 7},
            {"ladd", "", "ladd", 2, {1, 2, 1}, 4, 2, 1, {}, error_is(false), 1},
            {"lsub", "", "lsub", 2, {1, 2, 1}, 0, 2, 1, {}, error_is(false), 1},
            {"lsum", "", "lsum", 3, {~0U, 1, 1}, 1, 1, {}, {}, {}, 1},
            {"ldiff", "", "ldiff", 3, {1, 0, 0}, ~0U, 1, {}, {}, {}, 1},
            {"lmul", "", "lmul", 33, {least, 4, 5}, 5, 2, {}, {}, {}, 1},
            {"ldiv", "", "ldiv", 35, {10, 7, 0}, 0, 7, {}, {}, error_is(false), 1},
            {"ldiv", "overflow", "ldiv", 35, {1, 0, 1}, {}, {}, {}, {}, error_is(true), 1},
            {"lshl", "below 32", "lshl", 7, {4, least, 1}, 0, 0x18, {}, {}, {}, 1},
            {"lshl", "32 to 63", "lshl", 8, {36, 1, 0}, 0, 16, {}, {}, {}, 1},
            {"lshl", "64", "lshl", 3, {64, 1, 1}, 0, 0, {}, {}, {}, 1},
            {"lshr", "below 32", "lshr", 7, {4, 16, 1}, 0x10000001, 0, {}, {}, {}, 1},
            {"lshr", "32 to 63", "lshr", 8, {36, 0, 16}, 1, 0, {}, {}, {}, 1},
            {"norm", "below 32", "norm", 9, {0, 0x08000000}, 0, least, 4, {}, {}, 1},
            {"norm", "32 to 63", "norm", 10, {0x08000000, 0}, 0, least, 36, {}, {}, 1},
            {"norm", "zero", "norm", 3, {0, 0}, 0, 0, 64, {}, {}, 1},
            {"rev", "", "rev", 1, {1, 2, 3}, 2, 1, 3},
            {"xword", "", "xword", 4, {0x80, 0xFF, 7}, ~0U, 7, {}, {}, {}, 1},
            {"cword", "fits", "cword", 5, {0x80, 0x7F, 7}, 0x7F, 7, {}, {}, error_is(false), 1},
            {"cword", "does not fit", "cword", 5, {0x80, 0x80, 7}, 0x80, 7, {}, {}, error_is(true), 1},
            {"xdble", "", "xdble", 2, {least, 5}, least, ~0U, 5, {}, {}, 1},
            {"csngl", "fits", "csngl", 3, {5, 0, 7}, 5, 7, {}, {}, error_is(false), 1},
            {"csngl", "does not fit", "csngl", 3, {least, 0, 7}, least, 7, {}, {}, error_is(true), 1},
            {"mint", "", "mint", 1, {1, 2}, least, 1, 2, {}, {}, 1},
            {"dup", "", "dup", 1, {1, 2}, 1, 1, 2, {}, {}, 1}};
}

std::vector<RowCase> memory_rows() {
    return {{"move2dinit", "", "move2dinit", 8, {2, 8, 16}, {}, {}, {}, {}, {}, 1},
            {"move2dall",
             "",
             "move2dall",
             2 * 25,
             {4, 0x80000900, 0x80000904},
             {},
             {},
             {},
             [](BenchNode& node) {
                 with([](Registers& r) { r.move_2d[1] = {8, 16, 2, 0, 0}; })(node);
                 node.core.set_word(0x80000904, 0x11223344), node.core.set_word(0x8000090C, 0x55667788);
             },
             [](BenchNode& node) {
                 EXPECT_EQ(node.core.word(0x80000900), 0x11223344U);
                 EXPECT_EQ(node.core.word(0x80000910), 0x55667788U);
             },
             1},
            {"move2dall",
             "width -1",
             "move2dall",
             0,
             {~0U, 0x80000900, 0x80000904},
             {},
             {},
             {},
             [](BenchNode& node) {
                 with([](Registers& r) { r.move_2d[1] = {8, 16, 2, 0, 0}; })(node);
                 node.core.set_word(0x80000904, 0x11223344), node.core.set_word(0x80000900, 0x55667788);
             },
             holds(0x80000900, 0x55667788),
             1},
            {"move2dnonzero",
             "",
             "move2dnonzero",
             25,
             {4, 0x80000900, 0x80000904},
             {},
             {},
             {},
             [](BenchNode& node) {
                 with([](Registers& r) { r.move_2d[1] = {8, 16, 1, 0, 0}; })(node);
                 node.core.set_word(0x80000904, 0x00220044), node.core.set_word(0x80000900, 0xAAAAAAAA);
             },
             holds(0x80000900, 0xAA22AA44),
             1},
            {"move2dzero",
             "",
             "move2dzero",
             25,
             {4, 0x80000900, 0x80000904},
             {},
             {},
             {},
             [](BenchNode& node) {
                 with([](Registers& r) { r.move_2d[1] = {8, 16, 1, 0, 0}; })(node);
                 node.core.set_word(0x80000904, 0x00220044), node.core.set_word(0x80000900, 0xAAAAAAAA);
             },
             holds(0x80000900, 0x00AA00AA),
             1},
            {"crcword", "", "crcword", 35, {least, 0, 0x04C11DB7}, {}, 0x04C11DB7, {}, {}, {}, 1},
            {"crcbyte", "", "crcbyte", 11, {0x80000000, 0, 7}, 0x80, 7, {}, {}, {}, 1},
            {"bitcnt", "", "bitcnt", 9, {0xF0, 10, 7}, 14, 7, {}, {}, {}, 1},
            {"bitrevword", "", "bitrevword", 36, {1}, least, {}, {}, {}, {}, 1},
            {"bitrevnbits", "", "bitrevnbits", 8, {4, 1, 7}, 8, 7, {}, {}, {}, 1},
            {"bsub", "", "bsub", 1, {100, 3, 7}, 103, 7},
            {"wsub", "", "wsub", 2, {100, 3, 7}, 112, 7},
            {"wsubdb", "", "wsubdb", 3, {100, 3, 7}, 124, 7, {}, {}, {}, 1},
            {"bcnt", "", "bcnt", 2, {5}, 20, {}, {}, {}, {}, 1},
            {"wcnt", "", "wcnt", 5, {0x80000007, 5}, 0xE0000001, 3, 5, {}, {}, 1},
            {"lb", "", "lb", 5, {0x80000901}, 0x22, {}, {}, word(0x80000900, 0x11223344 & 0xFFFF22FF)},
            {"sb", "", "sb", 4, {0x80000901, 0x1FF, 7}, 7, {}, {}, word(0x80000900, 0), holds(0x80000900, 0xFF00), 1},
            {"move",
             "aligned",
             "move",
             2 * 3 + 8,
             {12, 0x80000900, 0x80000A00},
             {},
             {},
             {},
             word(0x80000A08, 99),
             holds(0x80000908, 99),
             1},
            {"move",
             "part words",
             "move",
             2 * 2 + 8,
             {4, 0x80000901, 0x80000A01},
             {},
             {},
             {},
             word(0x80000A00, 0xAABBCC00),
             holds(0x80000900, 0xAABBCC00),
             1}};
}

std::vector<RowCase> control_rows() {
    return {{"ldtimer", "", "ldtimer", 2, {1, 2}, {}, 1, 2, {}, {}, 1},
            {"ret", "", "ret", 5, {1}, 1, {}, {}, word(work_at, 0x80000300), iptr_is(0x80000300), 1},
            {"ldpi", "", "ldpi", 2, {6}, 0x80000208, {}, {}, {}, {}, 1},
            {"gajw", "", "gajw", 2, {0x80000A02}, work_at, {}, {}, {}, wptr_is(0x80000A00), 1},
            {"gcall", "", "gcall", 4, {0x80000300}, 0x80000201, {}, {}, {}, iptr_is(0x80000300)},
            {"lend", "loop", "lend", 10, {2, 0x80000900}, {}, {}, {}, word(0x80000904, 3), iptr_is(0x80000200), 1},
            {"lend", "exit", "lend", 5, {2, 0x80000900}, {}, {}, {}, word(0x80000904, 1), iptr_is(0x80000202), 1},
            {"ldpri", "", "ldpri", 1, {}, 1, {}, {}, {}, {}, 1},
            {"csub0", "inside", "csub0", 2, {5, 4, 7}, 4, 7, {}, {}, error_is(false), 1},
            {"csub0", "outside", "csub0", 2, {5, 5, 7}, 5, 7, {}, {}, error_is(true), 1},
            {"ccnt1", "inside", "ccnt1", 3, {5, 5, 7}, 5, 7, {}, {}, error_is(false), 1},
            {"ccnt1", "zero", "ccnt1", 3, {5, 0, 7}, 0, 7, {}, {}, error_is(true), 1},
            {"testerr", "no error", "testerr", 2, {}, 1, {}, {}, {}, {}, 1},
            {"testerr", "error", "testerr", 3, {}, 0, {}, {}, with([](Registers& r) { r.error = true; }), error_is(false), 1},
            {"seterr", "", "seterr", 1, {}, {}, {}, {}, {}, error_is(true), 1},
            {"clrhalterr",
             "",
             "clrhalterr",
             1,
             {},
             {},
             {},
             {},
             with([](Registers& r) { r.halt_on_error = true; }),
             [](BenchNode& node) { EXPECT_FALSE(node.core.registers().halt_on_error); },
             1},
            {"sethalterr",
             "",
             "sethalterr",
             1,
             {},
             {},
             {},
             {},
             {},
             [](BenchNode& node) { EXPECT_TRUE(node.core.registers().halt_on_error); },
             1},
            {"testhalterr", "", "testhalterr", 2, {}, 1, {}, {}, with([](Registers& r) { r.halt_on_error = true; }), {}, 1},
            {"testpranal", "", "testpranal", 2, {}, 0, {}, {}, {}, {}, 1},
            {"saveh",
             "",
             "saveh",
             4,
             {0x80000900, 8},
             8,
             {},
             {},
             with([](Registers& r) { r.front[0] = 4, r.back[0] = 8; }),
             holds(0x80000904, 8),
             1},
            {"savel",
             "",
             "savel",
             4,
             {0x80000900, 8},
             8,
             {},
             {},
             with([](Registers& r) { r.front[1] = 4, r.back[1] = 8; }),
             holds(0x80000900, 4),
             1},
            {"sthf",
             "",
             "sthf",
             1,
             {5, 6},
             6,
             {},
             {},
             {},
             [](BenchNode& node) { EXPECT_EQ(node.core.registers().front[0], 5U); },
             1},
            {"sthb",
             "",
             "sthb",
             1,
             {5, 6},
             6,
             {},
             {},
             {},
             [](BenchNode& node) { EXPECT_EQ(node.core.registers().back[0], 5U); },
             1},
            {"stlf",
             "",
             "stlf",
             1,
             {5, 6},
             6,
             {},
             {},
             {},
             [](BenchNode& node) { EXPECT_EQ(node.core.registers().front[1], 5U); },
             1},
            {"stlb",
             "",
             "stlb",
             1,
             {5, 6},
             6,
             {},
             {},
             {},
             [](BenchNode& node) { EXPECT_EQ(node.core.registers().back[1], 5U); },
             1},
            {"sttimer",
             "",
             "sttimer",
             1,
             {500, 6},
             6,
             {},
             {},
             {},
             [](BenchNode& node) { EXPECT_EQ(node.core.clock(1), 500U); },
             1}};
}

// Operations for tests of the chip: their effects and costs are not published; here one cycle each (three for the unit's).
std::vector<RowCase> test_rows() {
    return {{"testlds", "", "testlds", 1, {}, 0x80000000, {}, {}, with([](Registers& r) { r.error = true; }), {}, 1},
            {"testlde", "", "testlde", 1, {}, 42, {}, {}, with([](Registers& r) { r.e = 42; }), {}, 1},
            {"testldd", "", "testldd", 1, {}, 43, {}, {}, with([](Registers& r) { r.d = 43; }), {}, 1},
            {"teststs", "", "teststs", 1, {0x80000000}, {}, {}, {}, {}, error_is(true), 1},
            {"testste",
             "",
             "testste",
             1,
             {42},
             {},
             {},
             {},
             {},
             [](BenchNode& node) { EXPECT_EQ(node.core.registers().e, 42U); },
             1},
            {"teststd",
             "",
             "teststd",
             1,
             {43},
             {},
             {},
             {},
             {},
             [](BenchNode& node) { EXPECT_EQ(node.core.registers().d, 43U); },
             1},
            {"testhardchan", "", "testhardchan", 1, {1}, 1, {}, {}, {}, {}, 1},
            {"start", "", "start", 1, {}, {}, {}, {}, {}, [](BenchNode& node) { EXPECT_TRUE(node.core.booting()); }, 2}};
}

std::vector<RowCase> all_rows() {
    std::vector<RowCase> rows;
    for (const auto& part : {direct_rows(), word_rows(), memory_rows(), control_rows(), test_rows()})
        rows.insert(rows.end(), part.begin(), part.end());
    // Operations of other transputers do nothing on a T800, and the core remembers the first.
    for (const char* other :
         {"unpacksn", "postnormsn", "roundsn", "ldinf", "cflerr", "pop", "timerdisableh", "timerdisablel", "timerenableh",
          "timerenablel", "ldmemstartval", "break", "clrj0break", "setj0break", "testj0break"}) {
        rows.push_back({other,
                        "not on a T800",
                        other,
                        1,
                        {1, 2, 3},
                        1,
                        2,
                        3,
                        {},
                        [](BenchNode& node) { EXPECT_TRUE(node.core.unknown_operation()); },
                        1});
    }
    rows.push_back({"lddevid",
                    "not on a T800, which drops A",
                    "lddevid",
                    1,
                    {1, 2, 3},
                    2,
                    3,
                    {},
                    {},
                    [](BenchNode& node) { EXPECT_FALSE(node.core.unknown_operation()); },
                    2});
    return rows;
}

class T800Row : public testing::TestWithParam<RowCase> {};

TEST_P(T800Row, HasTheCyclesAndTheEffectOfTheTable) {
    const RowCase& row = GetParam();
    BenchNode node;
    run_row(row, node);
    const Cycle start = node.core.now();
    node.core.run_until(start + 1);
    while (node.core.registers().moving != 0) node.core.run_until(node.core.now() + 1);
    EXPECT_EQ(node.core.now() - start, row.cycles + row.prefixes);
    const Registers& r = node.core.registers();
    if (row.a) {
        EXPECT_EQ(r.a, *row.a);
    }
    if (row.b) {
        EXPECT_EQ(r.b, *row.b);
    }
    if (row.c) {
        EXPECT_EQ(r.c, *row.c);
    }
    if (row.after) row.after(node);
}

INSTANTIATE_TEST_SUITE_P(Table, T800Row, testing::ValuesIn(all_rows()), [](const auto& row) { return name_of(row.param); });

}  // namespace
}  // namespace t800_rows
