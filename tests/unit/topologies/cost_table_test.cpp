#include "input_error_text.hpp"

#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include <topologies/cost_table.hpp>

using topologies::CostTable;
using topologies::Provenance;

namespace {

constexpr const char* t800_file = MAGICWIRE_SOURCE_DIR "/topologies/costs/t800.yaml";

CostTable t800() {
    return CostTable::read(t800_file);
}

std::string row_error(const std::string& row) {
    return input_error_text([&] { CostTable::parse("version: 1\ncosts:\n  some.price: " + row + "\n", "c.yaml"); });
}

std::string set_error(const std::string& name, double value) {
    return input_error_text([&] { t800().set(name, value, "--set"); });
}

}  // namespace

TEST(CostTable, EveryRowOfTheT800HasAUnitAndASource) {
    const CostTable table = t800();
    EXPECT_GT(table.rows().size(), 40u);
    for (const auto& row : table.rows()) {
        EXPECT_FALSE(row.unit.empty()) << row.name;
        EXPECT_FALSE(row.source.empty()) << row.name;
        EXPECT_GE(row.value, 0) << row.name;
    }
}

TEST(CostTable, OfTheT800IsCarriedInTheProgramAsTheFileHasIt) {
    std::ifstream file(t800_file);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(topologies::t800_costs(), text);
    EXPECT_EQ(CostTable::t800().names(), t800().names());
}

TEST(CostTable, KeepsTheOrderOfTheFile) {
    const CostTable table = t800();
    EXPECT_EQ(table.rows().front().name, "processor.preempt_latency");
    EXPECT_EQ(table.names().front(), "processor.preempt_latency");
    EXPECT_EQ(table.names().size(), table.rows().size());
}

TEST(CostTable, GivesAValueInItsUnit) {
    const CostTable table = t800();
    EXPECT_DOUBLE_EQ(table.get("processor.preempt_latency", "cycles"), 19);
    EXPECT_DOUBLE_EQ(table.get("switch.pass", "bits"), 1.75);
    EXPECT_TRUE(table.has("switch.pass"));
    EXPECT_FALSE(table.has("switch"));
}

TEST(CostTable, KnowsWhereEachValueComesFrom) {
    const std::string text =
        "version: 1\ncosts:\n"
        "  a: {value: 1, unit: us, provenance: V, source: s}\n"
        "  b: {value: 1, unit: us, provenance: R, source: s}\n"
        "  c: {value: 1, unit: us, provenance: D, source: s}\n"
        "  d: {value: 1, unit: us, provenance: A, source: s}\n";
    const CostTable table = CostTable::parse(text, "c.yaml");
    const auto& rows = table.rows();
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[0].provenance, Provenance::Seen);
    EXPECT_EQ(rows[1].provenance, Provenance::Recalled);
    EXPECT_EQ(rows[2].provenance, Provenance::Derived);
    EXPECT_EQ(rows[3].provenance, Provenance::Assumed);
}

TEST(CostTableDeathTest, AskingForAnotherUnitOrAnUnknownNameIsABrokenContract) {
    const CostTable table = t800();
    EXPECT_DEATH(table.get("switch.pass", "us"), "cost_table.unit");
    EXPECT_DEATH(table.get("switch.fly", "us"), "cost_table.name");
}

TEST(CostTable, SaysOfEachRowWhetherItIsPaidInCyclesOrInTime) {
    using topologies::PaidIn;
    const CostTable table = t800();
    const auto paid_in = [&](const std::string& name) {
        for (const auto& row : table.rows()) {
            if (row.name == name) return row.paid_in;
        }
        return PaidIn::Neither;
    };
    for (const char* name : {"processor.start_process", "link.setup", "kernel.rendezvous", "kernel.copy", "trek.execute",
                             "monitor.probe", "program.operation.load"})
        EXPECT_EQ(paid_in(name), PaidIn::Cycles) << name;
    for (const char* name : {"processor.timeslice", "processor.low_timer_tick", "link.data_packet", "switch.pass",
                             "switch.internal", "host.operation", "trek.silence", "monitor.manager_period"})
        EXPECT_EQ(paid_in(name), PaidIn::Time) << name;
    EXPECT_EQ(paid_in("kernel.most_packet"), PaidIn::Neither);
    EXPECT_EQ(table.work("kernel.rendezvous"), vocabulary::SimTime::us(60));
    EXPECT_EQ(table.time("processor.timeslice"), vocabulary::SimTime::us(1024));
}

TEST(CostTable, ATableWithoutTheKeyIsPaidAsTheProgramPays) {
    const CostTable table = CostTable::parse(
        "version: 1\ncosts:\n"
        "  kernel.rendezvous: {value: 30, unit: us, provenance: A, source: s}\n"
        "  processor.timeslice: {value: 30, unit: us, provenance: A, source: s}\n",
        "c.yaml");
    EXPECT_EQ(table.work("kernel.rendezvous"), vocabulary::SimTime::us(30));
    EXPECT_EQ(table.time("processor.timeslice"), vocabulary::SimTime::us(30));
}

TEST(CostTable, RefusesATableThatWouldPayOtherwise) {
    EXPECT_EQ(
        input_error_text([] {
            CostTable::parse(
                "version: 1\ncosts:\n  kernel.rendezvous: {value: 1, unit: us, paid_in: time, provenance: A, source: s}\n",
                "c.yaml");
        }),
        "c.yaml:3:52: 'kernel.rendezvous' is paid in cycles, since the program charges it so; write 'paid_in: cycles' or "
        "leave it out");
    EXPECT_EQ(row_error("{value: 1, unit: cycles, paid_in: cycles, provenance: A, source: s}"),
              "c.yaml:3:49: 'paid_in' belongs to costs in ns, us, ms or MB/s, and 'some.price' is in cycles; leave it out");
}

TEST(CostTableDeathTest, AskingForWorkAsTimeIsABrokenContract) {
    const CostTable table = t800();
    EXPECT_DEATH(table.time("kernel.rendezvous"), "cost_table.paid_in");
    EXPECT_DEATH(table.work("processor.timeslice"), "cost_table.paid_in");
}

TEST(CostTable, SetChangesOneValue) {
    CostTable table = t800();
    table.set("kernel.rendezvous", 30, "--set");
    EXPECT_DOUBLE_EQ(table.get("kernel.rendezvous", "us"), 30);
}

TEST(CostTable, SetRefusesAnUnknownNameWithTheNearest) {
    EXPECT_EQ(set_error("kernel.rendevous", 1), "--set: unknown cost 'kernel.rendevous', did you mean 'kernel.rendezvous'?");
    EXPECT_EQ(set_error("price", 1), "--set: unknown cost 'price'; 'magicwire costs' prints the names");
}

TEST(CostTable, SetRefusesNegativeAndInfiniteValues) {
    EXPECT_EQ(set_error("switch.pass", -1), "--set: cost 'switch.pass' cannot be -1; costs start at 0, write 0 or more bits");
    EXPECT_EQ(set_error("switch.pass", std::numeric_limits<double>::infinity()),
              "--set: cost 'switch.pass' cannot be inf; costs start at 0, write 0 or more bits");
}

TEST(CostTable, RefusesRowsThatAreNotComplete) {
    EXPECT_EQ(row_error("{value: 1, unit: us, provenance: V}"),
              "c.yaml:3:15: key 'source' is missing in 'some.price'; add 'source: ...'");
    EXPECT_EQ(row_error("{unit: us, provenance: V, source: s}"),
              "c.yaml:3:15: key 'value' is missing in 'some.price'; add 'value: ...'");
    EXPECT_EQ(row_error("{value: 1, unit: us, provenance: V, source: ''}"),
              "c.yaml:3:59: 'source' is empty; name the document and its section, or say why the value was assumed");
}

TEST(CostTable, RefusesRowsThatSayMoreOrElse) {
    EXPECT_EQ(row_error("{value: 1, units: us, provenance: V, source: s}"),
              "c.yaml:3:26: unknown key 'units', did you mean 'unit'?");
    EXPECT_EQ(row_error("{value: 1, unit: us, provenance: X, source: s}"),
              "c.yaml:3:48: 'provenance' is 'X'; write V (seen), R (recalled), D (derived) or A (assumed)");
    EXPECT_EQ(row_error("{value: 1, unit: cycels, provenance: V, source: s}"),
              "c.yaml:3:32: 'unit' is 'cycels', did you mean 'cycles'?");
    EXPECT_EQ(row_error("{value: -1, unit: us, provenance: V, source: s}"),
              "c.yaml:3:23: 'value' is '-1', but costs start at 0; write 0 or more");
    EXPECT_EQ(row_error("{value: 1us, unit: us, provenance: V, source: s}"),
              "c.yaml:3:23: 'value' is '1us', but must be a number; write one such as 12.5");
}

TEST(CostTable, RefusesAnotherUnitThanTheProgramCharges) {
    const std::string table = "version: 1\ncosts:\n  link.setup: {value: 1, unit: us, provenance: A, source: s}\n";
    EXPECT_EQ(input_error_text([&] { CostTable::parse(table, "c.yaml"); }),
              "c.yaml:3:32: 'link.setup' is charged in cycles; write 'unit: cycles' and convert the value");
}

TEST(CostTable, AFileThatLacksARowIsRefused) {
    const auto file = std::filesystem::temp_directory_path() / fmt::format("magicwire_cost_table_test.{}.yaml", getpid());
    std::ofstream(file) << "version: 1\ncosts:\n  link.setup: {value: 1, unit: cycles, provenance: A, source: s}\n";
    const std::string error = input_error_text([&] { CostTable::read(file); });
    std::filesystem::remove(file);
    EXPECT_THAT(error, testing::HasSubstr(":3:3: 'processor."));
    EXPECT_THAT(error, testing::HasSubstr("' is missing, but the program charges it; add its row, or change a copy of "));
}

TEST(CostTable, RefusesAnotherVersionOrShape) {
    EXPECT_EQ(input_error_text([] { CostTable::parse("version: 2\ncosts: {}\n", "c.yaml"); }),
              "c.yaml:1:10: this program reads version 1 of the cost table, not '2'; write 'version: 1'");
    EXPECT_EQ(input_error_text([] { CostTable::parse("version: 1\ncost: {}\n", "c.yaml"); }),
              "c.yaml:2:1: unknown key 'cost', did you mean 'costs'?");
    EXPECT_EQ(input_error_text([] { CostTable::read("none.yaml"); }),
              "none.yaml: cannot be read: No such file or directory; check the path");
}
