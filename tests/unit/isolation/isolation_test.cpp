// Calls of a small program, done again from traces written by hand.
#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <isolation/isolation_report.hpp>
#include <vocabulary/errors.hpp>

#include "farm_trace.hpp"

namespace {

using isolation::Bytes;
using isolation::Certainty;
using isolation::End;
using isolation::Isolated;
using isolation::Request;
using isolation::UserProcess;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::FarmTrace;
using tmon_streams::SessionEnd;

struct Numbers {  // as in sums.c
    int calls, count, values[8];
};
Numbers numbers(const Bytes& message) {
    Numbers found{};
    EXPECT_EQ(message.size(), sizeof found);
    std::memcpy(&found, message.data(), std::min(message.size(), sizeof found));
    return found;
}

farm_spec::FarmSpec three_workers() {
    farm_spec::FarmSpec spec;
    spec.nodes = 4;
    spec.tasks = 5;
    spec.degree = 2;
    spec.depth = 5;
    return spec;
}

// Two whole tasks, and a third that the leaves have.
FarmTrace half_done() {
    FarmTrace farm(three_workers());
    farm.finish_tasks(0, 1).down(2, 0, 1).split_to_leaves(2, 0, 1);
    for (auto& records : farm.records())
        for (auto& event : records) event.bytes = sizeof(Numbers);
    return farm;
}

Isolated done(const FarmTrace& farm, Request request, const std::string& program = "sums",
              std::initializer_list<std::uint16_t> open = {}) {
    const tmon_streams::Trace trace = farm.trace(SessionEnd::StoodStill, open);
    const tmon_stories::Stories stories(trace, farm.spec());
    const tmon_stories::FarmActs acts(stories);
    request.most_cycles = 100'000'000;
    return isolation::isolate(acts, stories, std::string(MAGICWIRE_TEST_PROGRAMS) + "/" + program + ".so",
                              farm_programs::CostSource::Explicit, request);
}
std::string refused(const FarmTrace& farm, const Request& request) {
    try {
        done(farm, request);
    } catch (const vocabulary::RequestError& error) {
        return error.what();
    }
    return "it was done";
}

TEST(Isolation, MakesTheTask) {
    const Isolated call = done(half_done(), {.process = UserProcess::Generate, .task = 3});
    EXPECT_EQ(call.end, End::MadeTask);
    ASSERT_EQ(call.output.size(), 1u);
    EXPECT_EQ(numbers(call.output[0]).calls, 4);
    EXPECT_EQ(numbers(call.output[0]).values[0], 30);
    EXPECT_EQ(call.state_claim.certainty, Certainty::Certain);
}

TEST(Isolation, SplitsAsTheDigitsSay) {
    const Isolated call = done(half_done(), {.process = UserProcess::Compute, .task = 1, .subtask = 0x10});
    EXPECT_EQ(call.node, 3);
    ASSERT_EQ(call.input.size(), 1u);
    EXPECT_EQ(numbers(call.input[0]).calls, 2) << "the second call of split_fn() on n1";
    EXPECT_EQ(numbers(call.input[0]).values[0], 14);
    ASSERT_EQ(call.output.size(), 1u);
    EXPECT_EQ(numbers(call.output[0]).calls, 2);
    EXPECT_EQ(numbers(call.output[0]).values[0], 14 + 15 + 16 + 17);
    EXPECT_EQ(call.input_claim.certainty, Certainty::Certain);
    EXPECT_EQ(call.state_claim.certainty, Certainty::Certain);
}

TEST(Isolation, ComputesThePartsOfAJoin) {
    const Isolated call = done(half_done(), {.process = UserProcess::Join, .task = 1});
    EXPECT_EQ(call.node, 1);
    ASSERT_EQ(call.input.size(), 2u);
    EXPECT_EQ(numbers(call.input[1]).values[0], 62);
    EXPECT_THAT(call.earlier, ElementsAre(tmon_stories::Act{0, 0}));
    EXPECT_EQ(numbers(call.output.at(0)).values[0], 108);
    EXPECT_EQ(numbers(call.output.at(0)).calls, 2);
}

TEST(Isolation, LeavesOutTheEarlierCalls) {
    const Isolated call = done(half_done(), {.process = UserProcess::Join, .task = 1, .alone = true});
    EXPECT_THAT(call.earlier, IsEmpty());
    EXPECT_EQ(numbers(call.output.at(0)).calls, 1);
    EXPECT_EQ(numbers(call.input.at(0)).calls, 2) << "only its own process is new";
}

TEST(Isolation, TellsWhereTheFunctionStops) {
    const Isolated call = done(half_done(), {.process = UserProcess::Compute, .task = 2, .subtask = 0}, "sums", {2});
    EXPECT_EQ(call.node, 2);
    EXPECT_EQ(call.end, End::Stopped);
    ASSERT_EQ(call.diagnoses.all().size(), 1u);
    EXPECT_THAT(call.diagnoses.all()[0].where, HasSubstr("sums.c:"));
    EXPECT_EQ(call.state_claim.certainty, Certainty::Certain) << "n1 has all that n2 can have been given";
    EXPECT_THAT(isolation::isolated_text(call, three_workers(), {}), HasSubstr("calls abort()"));
}

TEST(Isolation, GivesTheResultsThatCame) {
    const Isolated call = done(half_done(), {.process = UserProcess::PostProcess, .task = 1});
    EXPECT_EQ(call.end, End::AsksForOther);
    EXPECT_EQ(call.taken, 2u);
    EXPECT_EQ(numbers(call.input.at(0)).values[0], 28);
    const Isolated last = done(half_done(), {.process = UserProcess::PostProcess, .task = 4});
    EXPECT_EQ(last.end, End::AsksForMore);
    EXPECT_EQ(last.taken, 2u);
}

TEST(Isolation, IsContradictedByALength) {
    FarmTrace farm = half_done();
    for (auto& event : farm.records()[3]) event.bytes = 7;
    const Isolated call = done(farm, {.process = UserProcess::Compute, .task = 1, .subtask = 0x10});
    EXPECT_EQ(call.input_claim.certainty, Certainty::Unknown);
    EXPECT_THAT(call.input_claim.contradictions, ElementsAre("the task had 7 bytes in the run, and has 40 here"));
}

TEST(Isolation, DoubtsMemoryThatBothProcessesOfTheManagerHave) {
    const Isolated call = done(half_done(), {.process = UserProcess::Generate, .task = 3}, "shared_sums");
    EXPECT_EQ(call.state_claim.certainty, Certainty::Likely);
    EXPECT_THAT(call.state_claim.depends_on, ElementsAre(HasSubstr("share what init_master() allocated")));
}

TEST(Isolation, NeedsACallThatTheRecordsShow) {
    EXPECT_THAT(refused(half_done(), {.process = UserProcess::Compute, .task = 3}), HasSubstr("no record shows comp_fn()"));
    EXPECT_THAT(refused(half_done(), {.process = UserProcess::Compute, .task = 5}), HasSubstr("there is no task 5"));
    EXPECT_THAT(refused(half_done(), {.process = UserProcess::Compute, .task = 1, .subtask = 0x10, .node = 2}),
                "it was done");  // both leaves can have either part
    EXPECT_THAT(refused(half_done(), {.process = UserProcess::Split, .task = 1, .node = 3}), HasSubstr("cannot be on node 3"));
}

TEST(Isolation, HandsOutWhatTheRunHasKept) {
    using farm_programs::Function;
    using farm_programs::Reading;
    FarmTrace farm = half_done();
    const auto keep = [&farm](Reading what, std::uint64_t value) {
        farm.raw({.task = farm_programs::reading_number(Function::Compute, what),
                  .subtask = static_cast<std::uint32_t>(value),
                  .bytes = static_cast<std::uint32_t>(value >> 32),
                  .node = 2,
                  .kind = trace_record::EventKind::User});
    };
    keep(Reading::Clock, 0x123456789AULL);
    keep(Reading::InputLength, 9);
    keep(Reading::InputBytes, 0x6867666564636261ULL);
    keep(Reading::InputBytes, 0x69);
    tmon_streams::Trace trace = farm.trace(SessionEnd::StoodStill);
    std::array<std::byte, 16> room{};
    isolation::ReadingsOfProcess kept = isolation::Readings(trace).of(2, Function::Compute);
    EXPECT_EQ(kept.input(room), std::nullopt) << "the clock comes first";
    EXPECT_EQ(kept.clock(), 0x123456789AULL);
    EXPECT_EQ(kept.input(room), 9u);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(room.data()), 9), "abcdefghi");
    EXPECT_EQ(kept.clock(), std::nullopt);
    EXPECT_FALSE(kept.lossy());
    EXPECT_EQ(isolation::Readings(trace).of(2, Function::Split).clock(), std::nullopt);
    trace.streams[2].losses.push_back({.node = 2, .first_seq = 0, .last_seq = 0});
    EXPECT_TRUE(isolation::Readings(trace).of(2, Function::Compute).lossy());
}

TEST(Isolation, HasATextAndJson) {
    const Isolated call = done(half_done(), {.process = UserProcess::Join, .task = 1});
    const std::string text = isolation::isolated_text(call, three_workers(), {.dump = true});
    EXPECT_THAT(text, HasSubstr("join_fn() of part 0000 of task 1 on n1, without the machine\n"));
    EXPECT_THAT(text, HasSubstr("000000  02 00 00 00"));
    const auto json = isolation::isolated_json(call, three_workers(), {});
    EXPECT_EQ(json["schema"], "magicwire.isolate/1");
    EXPECT_EQ(json["input"].size(), 2u);
    EXPECT_EQ(json["input_xxh3"], isolation::digest(call.input));
}

}  // namespace
