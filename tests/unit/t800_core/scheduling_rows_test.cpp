// Rows of the instruction table that schedule: processes, timers, channels, ALT. No other process is ready unless a row says
// so, so the node is idle after an instruction that waits.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "row_case.hpp"

namespace t800_scheduling_rows {
namespace {

using namespace t800_test;

using Set = std::function<void(BenchNode&)>;
constexpr std::uint32_t channel = 0x80000900U, other_work = 0x80000B00U, other_code = 0x80000300U, text = 0x80000A00U;
constexpr std::uint32_t state_at = work_at - 12, set_at = work_at - 16, time_at = work_at - 20;
constexpr std::uint32_t is_enabling = 0x80000001U, is_waiting = 0x80000002U, is_ready = 0x80000003U, no_time = 0x80000002U,
                        a_time = 0x80000001U;
constexpr std::uint32_t none = 0xFFFFFFFFU;

Set words(std::vector<std::pair<std::uint32_t, std::uint32_t>> values) {
    return [values](BenchNode& node) {
        for (const auto& [address, value] : values) node.core.set_word(address, value);
    };
}
Set holds(std::vector<std::pair<std::uint32_t, std::uint32_t>> values) {
    return [values](BenchNode& node) {
        for (const auto& [address, value] : values) EXPECT_EQ(node.core.word(address), value) << std::hex << address;
    };
}
Set both(const Set& one, const Set& two) {
    return [one, two](BenchNode& node) { one(node), two(node); };
}
void idle(BenchNode& node) {
    EXPECT_FALSE(node.core.registers().running);
}
void goes_on(BenchNode& node) {
    EXPECT_TRUE(node.core.registers().running);
}
Set clocks(std::uint32_t value) {
    return [value](BenchNode& node) {
        Registers r = node.core.registers();
        r.clock_start = {value, value}, r.clock_from = node.core.now(), r.clocks_run = true;
        node.core.set_registers(r);
    };
}
// The partner waits at the channel with its data at `text`.
Set partner(std::uint32_t data = text) {
    return words({{channel, other_work | 1U}, {other_work - 4, other_code}, {other_work - 12, data}});
}
Set queued(std::uint32_t work) {
    return [work](BenchNode& node) { EXPECT_EQ(node.core.registers().front[1], work); };
}

std::vector<RowCase> process_rows() {
    return {{"startp",
             "",
             "startp",
             12,
             {other_work, 16},
             {},
             {},
             {},
             {},
             both(holds({{other_work - 4, 0x80000211}}), queued(other_work))},
            {"endp",
             "others run",
             "endp",
             13,
             {channel},
             {},
             {},
             {},
             words({{channel + 4, 2}}),
             both(holds({{channel + 4, 1}}), idle)},
            {"endp",
             "last",
             "endp",
             13,
             {channel},
             {},
             {},
             {},
             words({{channel, other_code}, {channel + 4, 1}}),
             [](BenchNode& node) {
                 EXPECT_EQ(node.core.registers().iptr, other_code);
                 EXPECT_EQ(node.core.registers().wptr, channel);
             }},
            {"runp", "", "runp", 10, {other_work | 1U}, {}, {}, {}, {}, queued(other_work), 1},
            {"stopp", "", "stopp", 11, {}, {}, {}, {}, {}, both(holds({{work_at - 4, 0x80000202}}), idle), 1},
            {"stoperr", "no error", "stoperr", 2, {}, {}, {}, {}, {}, goes_on, 1},
            {"stoperr",
             "error",
             "stoperr",
             11,
             {},
             {},
             {},
             {},
             [](BenchNode& node) {
                 Registers r = node.core.registers();
                 r.error = true;
                 node.core.set_registers(r);
             },
             idle,
             1}};
}

std::vector<RowCase> channel_rows() {
    return {{"in",
             "waits",
             "in",
             20,
             {8, channel, text},
             {},
             {},
             {},
             words({{channel, 0x80000000}}),
             both(idle, holds({{channel, work_at | 1U}, {state_at, text}}))},
            {"in",
             "partner ready",
             "in",
             2 * 2 + 19,
             {8, channel, text + 64},
             {},
             {},
             {},
             both(partner(), words({{text + 4, 7}})),
             both(holds({{text + 68, 7}, {channel, 0x80000000}}), queued(other_work))},
            {"in", "link", "in", 20, {8, 0x80000014, text}, {}, {}, {}, {}, both(idle, holds({{0x80000014, work_at | 1U}}))},
            {"out",
             "waits",
             "out",
             20,
             {8, channel, text},
             {},
             {},
             {},
             words({{channel, 0x80000000}}),
             both(idle, holds({{channel, work_at | 1U}, {state_at, text}}))},
            {"out",
             "partner ready",
             "out",
             2 * 2 + 19,
             {8, channel, text + 64},
             {},
             {},
             {},
             both(partner(), words({{text + 68, 7}})),
             both(holds({{text + 4, 7}}), queued(other_work))},
            {"out",
             "partner in ALT",
             "out",
             20,
             {8, channel, text},
             {},
             {},
             {},
             partner(is_waiting),
             [](BenchNode& node) {
                 EXPECT_EQ(node.core.word(other_work - 12), is_ready);
                 EXPECT_EQ(node.core.registers().wptr, other_work);
             }},
            {"out", "link", "out", 20, {8, 0x80000004, text}, {}, {}, {}, {}, both(idle, holds({{0x80000004, work_at | 1U}}))},
            {"outword",
             "waits",
             "outword",
             23,
             {77, channel},
             {},
             {},
             {},
             words({{channel, 0x80000000}}),
             both(idle, holds({{work_at, 77}, {state_at, work_at}}))},
            {"outword",
             "partner ready",
             "outword",
             23,
             {77, channel},
             {},
             {},
             {},
             partner(),
             both(holds({{text, 77}}), queued(other_work))},
            {"outbyte",
             "partner ready",
             "outbyte",
             23,
             {77, channel},
             {},
             {},
             {},
             partner(),
             both(holds({{text, 77}}), queued(other_work))},
            {"resetch", "", "resetch", 3, {channel}, 5, {}, {}, words({{channel, 5}}), holds({{channel, 0x80000000}}), 1},
            {"resetch",
             "link",
             "resetch",
             3,
             {0x80000010},
             5,
             {},
             {},
             words({{0x80000010, 5}}),
             [](BenchNode& node) { EXPECT_EQ(node.resets, 1); },
             1}};
}

std::vector<RowCase> timer_rows() {
    return {{"tin", "past", "tin", 4, {99}, {}, {}, {}, clocks(100), goes_on, 1},
            {"tin",
             "future",
             "tin",
             30,
             {100},
             {},
             {},
             {},
             clocks(100),
             both(idle, holds({{time_at, 101}, {0x80000028, work_at}, {set_at, 0x80000000}})),
             1},
            {"talt", "", "talt", 4, {}, {}, {}, {}, {}, holds({{state_at, is_enabling}, {set_at, no_time}}), 1},
            {"taltwt",
             "time past",
             "taltwt",
             15,
             {},
             {},
             {},
             {},
             both(clocks(100), words({{state_at, is_enabling}, {set_at, a_time}, {time_at, 99}})),
             both(goes_on, holds({{work_at, none}, {state_at, is_ready}})),
             1},
            {"taltwt",
             "time future",
             "taltwt",
             48,
             {},
             {},
             {},
             {},
             both(clocks(100), words({{state_at, is_enabling}, {set_at, a_time}, {time_at, 200}})),
             both(idle, holds({{state_at, is_waiting}, {0x80000028, work_at}})),
             1},
            {"taltwt", "no time", "taltwt", 17, {}, {}, {}, {}, words({{state_at, is_enabling}, {set_at, no_time}}), idle, 1},
            {"enbt",
             "first",
             "enbt",
             8,
             {1, 50, 9},
             1,
             9,
             {},
             words({{set_at, no_time}}),
             holds({{set_at, a_time}, {time_at, 50}}),
             1},
            {"enbt",
             "earlier",
             "enbt",
             8,
             {1, 50, 9},
             1,
             9,
             {},
             words({{set_at, a_time}, {time_at, 60}}),
             holds({{time_at, 50}}),
             1},
            {"dist",
             "past",
             "dist",
             23,
             {6, 1, 99},
             1,
             {},
             {},
             both(clocks(100), words({{work_at, none}, {set_at, a_time}})),
             holds({{work_at, 6}}),
             1},
            {"dist",
             "future",
             "dist",
             23,
             {6, 1, 100},
             0,
             {},
             {},
             both(clocks(100), words({{work_at, none}, {set_at, 0x80000000}, {0x80000028, work_at}})),
             holds({{work_at, none}, {0x80000028, 0x80000000}}),
             1}};
}

std::vector<RowCase> alternative_rows() {
    return {
        {"alt", "", "alt", 2, {}, {}, {}, {}, {}, holds({{state_at, is_enabling}}), 1},
        {"altwt",
         "ready",
         "altwt",
         5,
         {},
         {},
         {},
         {},
         words({{state_at, is_ready}}),
         both(goes_on, holds({{work_at, none}})),
         1},
        {"altwt",
         "none ready",
         "altwt",
         17,
         {},
         {},
         {},
         {},
         words({{state_at, is_enabling}}),
         both(idle, holds({{state_at, is_waiting}})),
         1},
        {"altend",
         "",
         "altend",
         4,
         {},
         {},
         {},
         {},
         words({{work_at, 16}}),
         [](BenchNode& node) { EXPECT_EQ(node.core.registers().iptr, 0x80000212U); },
         1},
        {"enbs", "", "enbs", 3, {1, 2}, 1, 2, {}, words({{state_at, is_enabling}}), holds({{state_at, is_ready}}), 1},
        {"enbs", "false", "enbs", 3, {0, 2}, 0, 2, {}, words({{state_at, is_enabling}}), holds({{state_at, is_enabling}}), 1},
        {"enbc",
         "not ready",
         "enbc",
         5,
         {1, channel, 9},
         1,
         9,
         {},
         words({{channel, 0x80000000}}),
         holds({{channel, work_at | 1U}}),
         1},
        {"enbc",
         "ready",
         "enbc",
         7,
         {1, channel, 9},
         1,
         9,
         {},
         partner(),
         holds({{state_at, is_ready}, {channel, other_work | 1U}}),
         1},
        {"enbc", "link not ready", "enbc", 5, {1, 0x80000010, 9}, 1, 9, {}, {}, holds({{0x80000010, work_at | 1U}}), 1},
        {"enbc",
         "link ready",
         "enbc",
         7,
         {1, 0x80000010, 9},
         1,
         9,
         {},
         [](BenchNode& node) { node.send(0, {1}); },
         holds({{state_at, is_ready}}),
         1},
        {"diss", "chosen", "diss", 4, {6, 1, 9}, 1, 9, {}, words({{work_at, none}}), holds({{work_at, 6}}), 1},
        {"diss", "too late", "diss", 4, {6, 1, 9}, 0, 9, {}, words({{work_at, 3}}), holds({{work_at, 3}}), 1},
        {"disc",
         "ready",
         "disc",
         8,
         {6, 1, channel},
         1,
         {},
         {},
         both(partner(), words({{work_at, none}})),
         holds({{work_at, 6}}),
         1},
        {"disc",
         "not ready",
         "disc",
         8,
         {6, 1, channel},
         0,
         {},
         {},
         words({{work_at, none}, {channel, work_at | 1U}}),
         holds({{channel, 0x80000000}}),
         1}};
}

std::vector<RowCase> all_rows() {
    std::vector<RowCase> rows;
    for (const auto& part : {process_rows(), channel_rows(), timer_rows(), alternative_rows()})
        rows.insert(rows.end(), part.begin(), part.end());
    return rows;
}

class T800SchedulingRow : public testing::TestWithParam<RowCase> {};

TEST_P(T800SchedulingRow, HasTheCyclesAndTheEffectOfTheTable) {
    const RowCase& row = GetParam();
    CoreSettings settings;
    settings.start_extra = 0;
    BenchNode node(65536, settings);
    run_row(row, node);
    const Cycle start = node.core.now();
    const Stop::Reason reason = node.core.run_until(start + 1).reason;
    if (reason == Stop::Reason::Port) node.core.run_until(node.core.now());  // enbc and disc ask a link when it returns
    const bool ends_idle = reason == Stop::Reason::Idle;
    EXPECT_FALSE(ends_idle && node.core.registers().running);
    while (node.core.registers().moving != 0) node.core.run_until(node.core.now() + 1);
    EXPECT_EQ(node.core.now() - start, row.cycles + row.prefixes);
    const Registers& r = node.core.registers();
    if (row.a) {
        EXPECT_EQ(r.a, *row.a);
    }
    if (row.b) {
        EXPECT_EQ(r.b, *row.b);
    }
    if (row.after) row.after(node);
}

INSTANTIATE_TEST_SUITE_P(Table, T800SchedulingRow, testing::ValuesIn(all_rows()),
                         [](const auto& row) { return name_of(row.param); });

}  // namespace
}  // namespace t800_scheduling_rows
