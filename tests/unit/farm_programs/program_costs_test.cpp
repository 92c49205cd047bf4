// The charge for a computation, by each of the three sources.
#include <user_programs/program_costs.hpp>

#include <gmock/gmock.h>

#include <user_programs/block_costs.hpp>
#include <vocabulary/source_position.hpp>

#include "host_environment.hpp"

namespace {

using farm_programs::FarmProgram;
using farm_programs::Function;
using testing::HasSubstr;
using user_programs::CostSource;
using user_programs::TaskTimes;

std::string error_of(const std::string& text) {
    try {
        TaskTimes::parse(text, "x.costs");
        return "nothing was thrown";
    } catch (const vocabulary::InputError& error) {
        return error.what();
    }
}

// compute_fn() of divide.c for 100 numbers: 100 additions and 3 ms.
std::int64_t charged(const user_programs::ProgramCosts& costs, std::uint32_t task = 0) {
    FarmProgram loaded(MAGICWIRE_TEST_PROGRAMS "/divide.so", costs);
    test_support::HostEnvironment here(1);
    const std::int32_t part[2] = {0, 100};
    loaded.create_process(vocabulary::NodeId(1))
        .run({.function = Function::Compute, .task = {task, 0}, .body = std::as_bytes(std::span(part))}, here);
    EXPECT_EQ(loaded.charged(Function::Compute).cycles.count(), here.sum());
    EXPECT_EQ(loaded.charged(Function::Compute).calls, 1U);
    return here.sum();
}

}  // namespace

TEST(ProgramCosts, ExplicitChargesWhatTheProgramSays) {
    user_programs::ProgramCosts costs{.source = CostSource::Explicit};
    costs.operations[0] = 6;
    costs.memory_percent = 200;
    EXPECT_EQ(charged(costs), 3000 * 20 + 100 * 6 * 2);
}

TEST(ProgramCosts, EstimatedChargesTheBlocksAndNotWhatTheProgramSays) {
    const std::int64_t estimated = charged({.source = CostSource::Estimated});
    EXPECT_GT(estimated, 100 * 10);
    EXPECT_LT(estimated, 100 * 100);
}

TEST(ProgramCosts, FixedChargesTheTasksTime) {
    user_programs::ProgramCosts costs{.source = CostSource::Fixed};
    costs.times = TaskTimes::parse("# two tasks\n7 12.5ms\n* 3ms\n", "x.costs");
    EXPECT_EQ(charged(costs, 7), 12'500 * 20);
    EXPECT_EQ(charged(costs, 8), 3'000 * 20);
}

TEST(ProgramCosts, AFunctionThatChargesNothingIsCounted) {
    FarmProgram loaded(MAGICWIRE_TEST_PROGRAMS "/wrong.so", {});
    test_support::HostEnvironment here(1);
    const std::int32_t nothing_wrong = 1000;
    loaded.create_process(vocabulary::NodeId(1))
        .run({.function = Function::Compute, .body = std::as_bytes(std::span(&nothing_wrong, 1))}, here);
    EXPECT_EQ(loaded.charged(Function::Compute).silent_calls, 1U);
}

TEST(TaskTimes, SayWhereALineIsWrong) {
    EXPECT_THAT(error_of("1 2ms 3\n"),
                HasSubstr("x.costs:1:1: a line is a task's number and its time; write for instance '7 12.5ms'"));
    EXPECT_THAT(error_of("one 2ms\n"),
                HasSubstr("x.costs:1:1: 'one' is no number of a task; write a number, or * for all other tasks"));
    EXPECT_THAT(error_of("1 2ms\n 1 3ms\n"), HasSubstr("x.costs:2:2: task 1 has a time already; remove one of the lines"));
    EXPECT_THAT(error_of("* 2ms\n* 3ms\n"), HasSubstr("x.costs:2:1: the time of all other tasks is given twice"));
    EXPECT_THAT(error_of("1 9999999999s\n"), HasSubstr("x.costs:1:3: "));
    EXPECT_THAT(error_of("1 soon\n"), HasSubstr("x.costs:1:3: "));
    EXPECT_THAT(error_of("# nothing\n"), HasSubstr("x.costs: gives no task a time; write for instance '* 3ms'"));
}

TEST(BlockCosts, ABlockIsWhatFollowsItsCounter) {
    const auto blocks = user_programs::block_costs_of(
        "0000000000001000 <f>:\n"
        "    1000:\tpush   %rbp\n"
        "    1001:\tcall   2000 <__sanitizer_cov_trace_pc>\n"
        "    1006:\tret\n"
        "    1007:\tcall   2000 <__sanitizer_cov_trace_pc>\n"
        "    100c:\tidiv   %ecx\n"
        "    100e:\tjmp    1006 <f+0x6>\n"
        "    1010:\tnop\n");
    ASSERT_EQ(blocks.size(), 2U);
    EXPECT_EQ(blocks[0].offset, 0x1006U);
    EXPECT_EQ(blocks[0].cycles, user_programs::instruction_cycles("push   %rbp") + user_programs::instruction_cycles("ret"));
    EXPECT_EQ(blocks[1].offset, 0x100cU);
    EXPECT_GT(blocks[1].cycles, 39);
}

TEST(BlockCosts, WithoutTheirTableNothingCanBeEstimated) {
    try {
        user_programs::read_block_costs("no/such.so", true);
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("program no/such.so has no table of its blocks' costs (no/such.blocks is missing or of "
                              "another build), so nothing can be estimated; build the program again"));
    }
    EXPECT_TRUE(user_programs::read_block_costs("no/such.so", false).empty());
}
