// The faults of a user's program are told to its author, by text and line; none of them harms Magicwire.
#include <cstring>

#include <gmock/gmock.h>

#include "host_environment.hpp"

namespace {

using farm_programs::CallResult;
using farm_programs::FarmProgram;
using farm_programs::Function;
using test_support::HostEnvironment;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;
using user_programs::CostSource;
using user_programs::ProgramCosts;

std::string program(const char* name) {
    return std::string(MAGICWIRE_TEST_PROGRAMS "/") + name + ".so";
}

// In the order of wrong.c.
enum Wrong : std::int32_t {
    NullPointer,
    WildPointer,
    ForeignMemory,
    Divide,
    Overflow,
    Endless,
    FreedTwice,
    NeverAllocated,
    Overrun,
    Exits,
    Fails,
    HeapPointer,
    DeadStack,
    Huge,
    Twice,
    WrongPlace,
    OpensFile,
    NoAddress,
    CallsData,
    InLibrary,
    Keep,
    Recursion,
    NoMemory,
    GlobalPointer,
    UnfinishedLine,
    Grows,
    BesideGlobals
};
struct Task {
    std::int32_t wrong;
    std::uint64_t address = 0;
};

struct Outcome {
    std::string said;
    bool ended = false;
    CallResult result;
};

// compute_fn() of wrong.c on node 2, for task 5.
class WrongProgram {
public:
    explicit WrongProgram(std::int64_t watchdog = 50'000'000)
        : loaded(program("wrong"), ProgramCosts{.source = CostSource::Explicit, .watchdog_cycles = watchdog}),
          worker(loaded.create_process(vocabulary::NodeId(2))) {}

    Outcome run(Wrong wrong, std::uint64_t address = 0) {
        const Task task{wrong, address};
        HostEnvironment here(2);
        Outcome outcome;
        try {
            outcome.result =
                worker.run({.function = Function::Compute, .task = {5, 0}, .body = std::as_bytes(std::span(&task, 1))}, here);
        } catch (const trek_kernel::ProcessEnds&) {
            outcome.ended = true;
        }
        outcome.said = here.said();
        return outcome;
    }
    FarmProgram loaded;
    farm_programs::FarmProcess& worker;
};

std::string said(Wrong wrong) {
    return WrongProgram().run(wrong).said;
}

}  // namespace

TEST(Diagnosis, OfANullPointerNamesLineTaskAndNode) {
    EXPECT_THAT(said(NullPointer),
                AllOf(ContainsRegex("^wrong\\.c:[0-9]+: compute_fn\\(\\) of task 5 on n2 writes address 0x0, near the "
                                    "null pointer; the node has stopped; "),
                      HasSubstr("look for a pointer that was never set")));
}

TEST(Diagnosis, OfAWildPointerNamesTheAddress) {
    EXPECT_THAT(said(WildPointer), HasSubstr("reads address 0x123456789000, which is not allocated to anything"));
}

TEST(Diagnosis, OfAnAddressThatNoMachineHasSaysSo) {
    EXPECT_THAT(said(NoAddress), HasSubstr("reads through a pointer that is not a valid address"));
}

TEST(Diagnosis, OfAnotherNodesMemoryNamesThatNode) {
    WrongProgram wrong;
    HostEnvironment master(0);
    farm_programs::FarmProcess& generator = wrong.loaded.create_process(vocabulary::NodeId(0));
    generator.run({.function = Function::DataGenerator}, master);
    std::uint64_t address = 0;
    std::memcpy(&address, master.tasks.at(0).data(), sizeof address);
    EXPECT_THAT(wrong.run(ForeignMemory, address).said, AllOf(HasSubstr("reads memory of n0: address 0x"),
                                                              HasSubstr("is on its heap"), HasSubstr("nodes share no memory")));
}

TEST(Diagnosis, OfAPointerInATaskNamesByteNodeAndHeap) {
    WrongProgram wrong;
    HostEnvironment master(0);
    wrong.loaded.create_process(vocabulary::NodeId(0)).run({.function = Function::DataGenerator}, master);
    EXPECT_THAT(master.said(),
                AllOf(ContainsRegex("wrong\\.c:[0-9]+: data_generator\\(\\) on n0 calls do_task\\(\\) with bytes that hold"),
                      HasSubstr("at byte 0 of 8 is an address of n0's heap")));
}

TEST(Diagnosis, OfAPointerInAResultNamesTheByte) {
    const Outcome outcome = WrongProgram().run(HeapPointer);
    EXPECT_THAT(outcome.said,
                HasSubstr("calls return_result() with bytes that hold a pointer: at byte 8 of 16 is an address of n2's heap"));
    EXPECT_FALSE(outcome.ended) << "the bytes are sent: that they mean nothing elsewhere is the receiver's trouble";
}

TEST(Diagnosis, OfAPointerToAGlobalInAResult) {
    EXPECT_THAT(said(GlobalPointer), HasSubstr("at byte 0 of 8 is an address of a global variable"));
}

TEST(Diagnosis, OfADivisionByZero) {
    EXPECT_THAT(said(Divide), HasSubstr("divides an integer by zero"));
}

TEST(Diagnosis, OfAStackThatIsUsedUp) {
    EXPECT_THAT(said(Overflow), AllOf(StartsWith("wrong.c:"), HasSubstr("has used up its stack of 6080 kbytes"),
                                      HasSubstr("a recursion that does not end")));
}

TEST(Diagnosis, ARecursionOfThousandsFits) {
    const Outcome outcome = WrongProgram().run(Recursion);
    EXPECT_EQ(outcome.said, "");
    EXPECT_EQ(outcome.result.made.size(), 1U);
}

TEST(Diagnosis, OfALoopThatChargesNothingComesFromTheWatchdog) {
    const Outcome outcome = WrongProgram().run(Endless);
    EXPECT_TRUE(outcome.ended);
    EXPECT_THAT(outcome.said, AllOf(StartsWith("wrong.c:"), HasSubstr("runs endlessly without charging any modelled time"),
                                    HasSubstr("its process has ended")));
}

TEST(Diagnosis, OfFreeingTwice) {
    EXPECT_THAT(said(FreedTwice), ContainsRegex("wrong\\.c:[0-9]+: .* frees a block of memory that it has freed before"));
}

TEST(Diagnosis, OfFreeingWhatWasNeverAllocated) {
    EXPECT_THAT(said(NeverAllocated), HasSubstr("frees an address that was never allocated"));
}

TEST(Diagnosis, OfWritingBehindABlock) {
    EXPECT_THAT(said(Overrun), HasSubstr("frees a block of 24 bytes after writing past its end"));
}

TEST(Diagnosis, OfAnExit) {
    EXPECT_THAT(said(Exits), HasSubstr("calls exit(3); its process has ended; return from the function instead"));
}

TEST(Diagnosis, OfAFailedAssertionQuotesIt) {
    EXPECT_THAT(said(Fails), HasSubstr("finds its assertion 'zero == 1' false in compute_fn()"));
}

TEST(Diagnosis, OfALocalVariableOfAFunctionThatHasReturned) {
    EXPECT_THAT(said(DeadStack), HasSubstr("calls return_result() with a local variable of a function that has returned"));
}

TEST(Diagnosis, OfASizeThatCannotBeMeant) {
    EXPECT_THAT(said(Huge), HasSubstr("calls return_result() with 4294967295 bytes, more than a node holds"));
}

TEST(Diagnosis, OfTwoResults) {
    EXPECT_THAT(said(Twice),
                HasSubstr("calls return_result(), which is for compute_fn() and join_fn() once; this is the second time"));
}

TEST(Diagnosis, OfACallInTheWrongFunction) {
    EXPECT_THAT(said(WrongPlace), HasSubstr("calls do_task(), which is for data_generator(); "));
}

TEST(Diagnosis, OfAFileSaysWhatANodeHasInstead) {
    const Outcome outcome = WrongProgram().run(OpensFile);
    EXPECT_THAT(outcome.said,
                HasSubstr("calls fopen(), which a node does not have; a node has no files; trek_save() writes one"));
    EXPECT_EQ(outcome.result.made.size(), 1U) << "fopen() fails, and the program goes on";
}

TEST(Diagnosis, OfACallThroughAPointerToData) {
    EXPECT_THAT(said(CallsData), HasSubstr("calls "));
}

TEST(Diagnosis, InALibraryFunctionNamesTheUsersLine) {
    EXPECT_THAT(said(InLibrary), AllOf(StartsWith("wrong.c:"), HasSubstr("reads address 0x30, near the null pointer")));
}

TEST(Diagnosis, LetsTheProcessBeCalledAgain) {
    WrongProgram wrong;
    EXPECT_TRUE(wrong.run(NullPointer).ended);
    EXPECT_TRUE(wrong.run(Exits).ended);
    EXPECT_EQ(wrong.run(Keep).result.made.size(), 1U);
}

TEST(Diagnosis, OfTwoNodesThatFaultAtTheSameTimeIsEachNodesOwn) {
    FarmProgram loaded(program("wrong"), ProgramCosts{.source = CostSource::Estimated});
    const Task by_null{NullPointer}, by_zero{Divide};
    HostEnvironment one(1), other(2);
    const auto run = [&](HostEnvironment& where, const Task& task) {
        EXPECT_THROW(loaded.create_process(where.node())
                         .run({.function = Function::Compute, .body = std::as_bytes(std::span(&task, 1))}, where),
                     trek_kernel::ProcessEnds);
    };
    one.meanwhile = [&] { run(other, by_zero); };  // the first's computation is charged after its fault
    run(one, by_null);
    EXPECT_THAT(one.said(), HasSubstr("on n1 writes address 0x0"));
    EXPECT_THAT(other.said(), HasSubstr("on n2 divides an integer by zero"));
}

TEST(Diagnosis, ANodeThatStopsDoesNotWaitForTheAnswerOfAPrint) {
    WrongProgram wrong;
    const Task task{UnfinishedLine};
    HostEnvironment here(2);
    EXPECT_THROW(wrong.worker.run({.function = Function::Compute, .body = std::as_bytes(std::span(&task, 1))}, here),
                 trek_kernel::ProcessEnds);
    EXPECT_EQ(here.printed, "whole\n");
    EXPECT_EQ(wrong.run(Keep).result.made.size(), 1U);
}

TEST(Memory, ABlockThatGrowsALittleAgainAndAgainUsesLittleMore) {
    const Outcome outcome = WrongProgram().run(Grows);
    std::uint32_t grown = 0;
    std::memcpy(&grown, outcome.result.made.at(0).data(), sizeof grown);
    EXPECT_EQ(grown, 80'000U);
    EXPECT_EQ(outcome.said, "");
}

TEST(Memory, TasksOfManySizesFindRoom) {
    WrongProgram wrong;
    HostEnvironment here(2);
    for (std::size_t bytes = 16; bytes < 100'000; bytes += 16) {
        const std::vector<std::byte> task(bytes, std::byte{Keep});
        wrong.worker.run({.function = Function::Compute, .body = task}, here);
    }
    EXPECT_EQ(here.said(), "");
}

TEST(Memory, ATaskForWhichThereIsNoRoomEndsItsProcessOnly) {
    WrongProgram wrong;
    HostEnvironment here(2);
    const std::vector<std::byte> task(std::size_t{100} << 20);
    EXPECT_THROW(wrong.worker.run({.function = Function::Compute, .body = task}, here), trek_kernel::ProcessEnds);
    EXPECT_THAT(here.said(), HasSubstr("on n2 is given a message of 104857600 bytes, and the node has no room for it beside"));
    EXPECT_EQ(wrong.run(Keep).result.made.size(), 1U);
}

TEST(Memory, WhatAProgramWritesBesideItsGlobalsHarmsItsOwnProcessOnly) {
    WrongProgram wrong;
    const Outcome outcome = wrong.run(BesideGlobals);
    EXPECT_THAT(outcome.said, HasSubstr("writes outside its global variables; look for an index out of range"));
    HostEnvironment here(3);
    const std::vector<std::byte> task(16, std::byte{Keep});
    farm_programs::FarmProcess& other = wrong.loaded.create_process(here.node());
    EXPECT_EQ(other.run({.function = Function::Compute, .body = task}, here).made.size(), 1U);
    EXPECT_EQ(here.said(), "");
}

TEST(Memory, RunsOutWithTheNodes) {
    const Outcome outcome = WrongProgram().run(NoMemory);
    std::int32_t blocks = 0;
    std::memcpy(&blocks, outcome.result.made.at(0).data(), sizeof blocks);
    EXPECT_EQ(blocks, ((1 << 20) - 32) / 1008) << "1 MiB less the block of 24, each with 8 bytes for its size";
}
