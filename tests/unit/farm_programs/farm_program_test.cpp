// A program runs as processes that share nothing, in C and in C++.
#include <array>
#include <cstdlib>
#include <cstring>

#include <gmock/gmock.h>

#include "host_environment.hpp"

namespace {

using farm_programs::CallResult;
using farm_programs::FarmProcess;
using farm_programs::FarmProgram;
using farm_programs::Function;
using test_support::HostEnvironment;
using testing::HasSubstr;
using trek_kernel::Bytes;
using vocabulary::NodeId;

std::string module_of(const char* name) {
    return std::string(MAGICWIRE_TEST_PROGRAMS "/") + name + ".so";
}

Bytes word(const char* text) {
    Bytes bytes(16);
    std::memcpy(bytes.data(), text, std::strlen(text));
    return bytes;
}

std::string text_of(const CallResult& result) {
    return reinterpret_cast<const char*>(result.made.at(0).data());
}

class InCxx : public testing::Test {
protected:
    FarmProgram loaded{module_of("library"), {}};
    HostEnvironment master{0}, worker{1};

    CallResult compute(FarmProcess& process, HostEnvironment& where, const char* text) {
        const Bytes task = word(text);
        return process.run({.function = Function::Compute, .body = task}, where);
    }
};

}  // namespace

TEST_F(InCxx, WorksWithContainersStreamsAndExceptions) {
    FarmProcess& process = loaded.create_process(NodeId(1));
    EXPECT_EQ(text_of(compute(process, worker, "word0")), "0dorw");
    EXPECT_EQ(text_of(compute(process, worker, "word1")), " 1acdghortuw");
    EXPECT_THAT(worker.printed, HasSubstr("0dorw 4 "));
    EXPECT_TRUE(worker.diagnoses.empty());
}

TEST_F(InCxx, StaticObjectsAreTheProcessOwn) {
    FarmProcess &one = loaded.create_process(NodeId(1)), &other = loaded.create_process(NodeId(2));
    HostEnvironment elsewhere(2);
    compute(one, worker, "word0");
    compute(one, worker, "word0");
    compute(other, elsewhere, "word0");
    EXPECT_THAT(worker.printed, HasSubstr("0dorw 5 "));
    EXPECT_THAT(elsewhere.printed, HasSubstr("0dorw 4 ")) << "three by the constructor, one pushed";
}

TEST_F(InCxx, TheMastersProcessesBeginWithWhatInitMasterLeft) {
    FarmProcess& init = loaded.create_process(NodeId(0));
    init.run({.function = Function::InitMaster}, master);
    FarmProcess &generator = loaded.create_process(NodeId(0), &init), &receiver = loaded.create_process(NodeId(0), &init);
    generator.run({.function = Function::DataGenerator}, master);
    master.results.assign(3, word("done"));
    master.input = "first\nsecond\n";
    receiver.run({.function = Function::ResultReceiver}, master);
    EXPECT_EQ(master.printed,
              "generator has 4 numbers\nreceiver has 4 numbers\n0: done\n1: done\n2: done\nread first\nread second\n")
        << "what the generator pushed is not the receiver's";
    EXPECT_EQ(master.tasks.size(), 3U);
    ASSERT_EQ(master.files.size(), 1U);
    EXPECT_EQ(master.files[0].first, "numbers.txt");
}

TEST_F(InCxx, AnExceptionThatNobodyCatchesEndsTheProcess) {
    FarmProcess& process = loaded.create_process(NodeId(1));
    EXPECT_THROW(compute(process, worker, "throw"), trek_kernel::ProcessEnds);
    EXPECT_THAT(worker.said(), HasSubstr("throws std::runtime_error: nobody catches this, and it is never caught"));
    EXPECT_THAT(worker.said(), HasSubstr("library.cpp:"));
}

TEST_F(InCxx, AnExceptionInHandlingAndVariablesOfTheThreadAreTheProcessOwn) {
    HostEnvironment elsewhere(2);
    FarmProcess &one = loaded.create_process(NodeId(1)), &other = loaded.create_process(NodeId(2));
    worker.meanwhile = [&] { compute(other, elsewhere, "looks"); };
    compute(one, worker, "handles");
    EXPECT_THAT(elsewhere.printed, HasSubstr("handling: none, counted 1\n"));
    compute(one, worker, "looks");
    EXPECT_THAT(worker.printed, HasSubstr("handling: none, counted 2\n"));
}

TEST_F(InCxx, TheRandomDeviceGivesTheSameInEveryRun) {
    HostEnvironment elsewhere(2);
    compute(loaded.create_process(NodeId(1)), worker, "device");
    compute(loaded.create_process(NodeId(2)), elsewhere, "device");
    EXPECT_EQ(worker.printed, elsewhere.printed);
}

TEST_F(InCxx, NewSaysWhenTheNodeHasNoMemory) {
    FarmProcess& process = loaded.create_process(NodeId(1));
    EXPECT_THROW(compute(process, worker, "memory"), trek_kernel::ProcessEnds);
    EXPECT_THAT(worker.said(), HasSubstr("asks new for 100000000 bytes, and the node has not so much memory left"));
}

TEST_F(InCxx, RecordsEventsOfItsOwnAndSwitchesClasses) {
    compute(loaded.create_process(NodeId(1)), worker, "events");
    EXPECT_THAT(worker.events, testing::ElementsAre(std::pair(7U, static_cast<std::uint64_t>(-5))));
    EXPECT_THAT(worker.switched, testing::ElementsAre(std::pair("message+user", true), std::pair("tsk", false)));
    EXPECT_THAT(worker.said(), HasSubstr("calls trek_monitor() with 'tsk', which names no class of events; give task, message, "
                                         "process, usage or user, several with '+' between, or all"));
}

TEST_F(InCxx, RandomNumbersAreTheProcessOwn) {
    HostEnvironment elsewhere(2);
    compute(loaded.create_process(NodeId(1)), worker, "word0");
    compute(loaded.create_process(NodeId(2)), elsewhere, "word0");
    EXPECT_EQ(worker.printed, elsewhere.printed);
}

TEST(FarmProgram, SaysWhatAModuleLacks) {
    try {
        const FarmProgram loaded("no/such.so", {});
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& found) {
        EXPECT_THAT(found.what(), HasSubstr("program no/such.so cannot be loaded: "));
    }
}

TEST(FarmProgram, AStaticConstructorThatGoesWrongIsAnError) {
    const std::array cases = {
        std::pair("constructor_writes_null", "fails at constructor.cpp:14: it writes address 0x0, near the null pointer; "),
        std::pair("constructor_exits", "fails at constructor.cpp:15: it calls exit(3); "),
        std::pair("constructor_throws",
                  "fails at constructor.cpp:16: it throws std::runtime_error: no, and it is never caught; "),
        std::pair("constructor_endless", "does not end at constructor.cpp:17; ")};
    for (const auto& [name, how] : cases) {
        try {
            const FarmProgram loaded(module_of(name), {});
            ADD_FAILURE() << "nothing was thrown for " << name;
        } catch (const std::runtime_error& found) {
            EXPECT_THAT(found.what(), HasSubstr(std::string("cannot be loaded: a constructor of its static objects ") + how));
        }
    }
}

TEST(FarmProgram, ADestructorOfTheProgramNeverRuns) {
    const auto run = [] {
        FarmProgram kept(module_of("constructor_good"), {});  // unloaded by the end of the process, too
        HostEnvironment here(1);
        { FarmProgram other(module_of("divide"), {}); }
        const Bytes task = word("x");
        kept.create_process(NodeId(1)).run({.function = Function::Compute, .body = task}, here);
    };
    run();
    EXPECT_EXIT((run(), new FarmProgram(module_of("constructor_good"), {}), std::exit(0)), testing::ExitedWithCode(0), "");
}

TEST(FarmProgram, KnowsWhichFunctionsThereAre) {
    const FarmProgram divides(module_of("divide"), {}), farms(module_of("library"), {});
    EXPECT_TRUE(divides.has(Function::Split));
    EXPECT_FALSE(divides.has(Function::InitMaster));
    EXPECT_FALSE(farms.has(Function::Join));
}

TEST(FarmProgram, SplitsAndJoins) {
    FarmProgram loaded(module_of("divide"), {});
    HostEnvironment here(1);
    const std::int32_t part[2] = {0, 100};
    const CallResult parts = loaded.create_process(NodeId(1)).run(
        {.function = Function::Split, .body = std::as_bytes(std::span(part)), .degree = 4}, here);
    ASSERT_EQ(parts.made.size(), 4U);
    std::vector<Bytes> sums;
    FarmProcess& worker = loaded.create_process(NodeId(1));
    for (const Bytes& one : parts.made)
        sums.push_back(worker.run({.function = Function::Compute, .body = one}, here).made.at(0));
    const CallResult whole =
        loaded.create_process(NodeId(1)).run({.function = Function::Join, .parts = sums, .degree = 4}, here);
    long sum = 0;
    std::memcpy(&sum, whole.made.at(0).data(), sizeof sum);
    EXPECT_EQ(sum, 4950);
}

TEST(FarmProgramDeathTest, HasMemoryForTheNodesOfTheLargestMachine) {
    FarmProgram loaded(module_of("divide"), {});
    EXPECT_DEATH(loaded.create_process(NodeId(16384)), "user_memory.node");
}

TEST(FarmProgramDeathTest, HasStacksForSixteenProcessesOfANode) {
    FarmProgram loaded(module_of("divide"), {});
    for (int i = 0; i < 16; ++i) loaded.create_process(NodeId(1));
    EXPECT_DEATH(loaded.create_process(NodeId(1)), "user_memory.stacks");
}
