#include <ground_truth/truth.hpp>

#include <gmock/gmock.h>

#include <array>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace {

using ground_truth::Truth;
using trek_kernel::BugStruck;
using trek_kernel::Moment;
using trek_kernel::TaskMoved;
using trek_kernel::TaskStep;
using trek_kernel::UserProcess;
using vocabulary::NodeId;
using vocabulary::SimTime;

TaskMoved sent(std::uint16_t node, std::uint16_t to, std::uint32_t task) {
    return {.node = NodeId(node), .peer = NodeId(to), .sent = true, .result = false, .task = task, .subtask = 0, .bytes = 64};
}
TaskStep computes(std::uint16_t node, std::uint32_t task) {
    return {.node = NodeId(node), .process = UserProcess::Compute, .moment = Moment::Begin, .task = task, .subtask = 0};
}

// Tells a truth one act after the other, each call a microsecond later.
class Told {
public:
    explicit Told(bool keep = true) : truth(keep) {}
    Told& operator()(const TaskMoved& what) {
        truth.on_moved(what, later());
        return *this;
    }
    Told& operator()(const TaskStep& what) {
        truth.on_step(what, later());
        return *this;
    }
    Told& operator()(const BugStruck& what) {
        truth.on_bug(what, later());
        return *this;
    }
    std::string hash() const { return truth.run_hash(); }

    SimTime time;
    Truth truth;

private:
    SimTime later() { return time += SimTime::us(1); }
};

}  // namespace

TEST(Truth, HashesEqualStreamsEqually) {
    Told a, b;
    for (std::uint32_t i = 0; i < 1000; ++i) {  // more than fit into one block of the hash
        a(sent(0, 1, i))(computes(1, i));
        b(sent(0, 1, i))(computes(1, i));
    }
    EXPECT_EQ(a.hash(), b.hash());
    EXPECT_THAT(a.hash(), testing::MatchesRegex("[0-9a-f]{16}"));
}

TEST(Truth, KeepsTheInputsOfFunctionsWhenAsked) {
    const std::vector<std::byte> one(3, std::byte{1}), two(5, std::byte{2});
    const std::array<std::span<const std::byte>, 2> parts = {one, two};
    const trek_kernel::FunctionInput task{NodeId(2), UserProcess::Compute, 7, 0x10, std::span(parts).first(1)};
    const trek_kernel::FunctionInput join{NodeId(1), UserProcess::Join, 7, 0, parts};
    Told without, with;
    with.truth.keep_inputs();
    for (Told* told : {&without, &with}) {
        told->truth.on_input(task, {});
        told->truth.on_input(join, {});
        told->truth.on_result({.task = 7, .subtask = 0, .content = one}, {});
    }
    EXPECT_TRUE(without.truth.inputs().empty());
    const auto& inputs = with.truth.inputs();
    ASSERT_EQ(inputs.size(), 3u);
    EXPECT_EQ(inputs[0].node, 2);
    EXPECT_EQ(inputs[0].subtask, 0x10u);
    EXPECT_EQ(inputs[1].bytes, 8u);
    EXPECT_EQ(inputs[2].process, UserProcess::PostProcess);
    EXPECT_EQ(inputs[2].xxh3, inputs[0].xxh3) << "one message is hashed as it is";
    EXPECT_NE(inputs[1].xxh3, inputs[0].xxh3);
    EXPECT_EQ(with.hash(), without.hash());
    EXPECT_EQ(with.truth.inputs_left_out(), 0u);
}

TEST(Truth, HashesTheOrder) {
    Told a, b;
    a(sent(0, 1, 1))(sent(0, 1, 2));
    b(sent(0, 1, 2))(sent(0, 1, 1));
    EXPECT_NE(a.hash(), b.hash());
}

TEST(Truth, HashesEveryField) {
    const auto hash_of = [](const TaskMoved& what) { return Told()(what).hash(); };
    const TaskMoved plain = sent(0, 1, 1);
    const std::string hash = hash_of(plain);
    const auto changed = [&](auto change) {
        TaskMoved other = plain;
        change(other);
        return hash_of(other);
    };
    EXPECT_NE(changed([](TaskMoved& m) { m.node = NodeId(2); }), hash);
    EXPECT_NE(changed([](TaskMoved& m) { m.peer = NodeId(2); }), hash);
    EXPECT_NE(changed([](TaskMoved& m) { m.sent = false; }), hash);
    EXPECT_NE(changed([](TaskMoved& m) { m.result = true; }), hash);
    EXPECT_NE(changed([](TaskMoved& m) { m.task = 2; }), hash);
    EXPECT_NE(changed([](TaskMoved& m) { m.subtask = 1; }), hash);
    EXPECT_NE(changed([](TaskMoved& m) { m.bytes = 65; }), hash);
    EXPECT_EQ(changed([](TaskMoved&) {}), hash);
}

TEST(Truth, HashesTheTimeToThePicosecond) {
    Told a, b;
    b.time += SimTime::ps(1);
    EXPECT_NE(a(sent(0, 1, 1)).hash(), b(sent(0, 1, 1)).hash());
}

TEST(Truth, HashesStepsAndBugsToo) {
    const std::string nothing = Told().hash();
    const std::string begun = Told()(computes(1, 1)).hash();
    TaskStep end = computes(1, 1);
    end.moment = Moment::End;
    const std::string ended = Told()(end).hash();
    const std::string struck =
        Told()(BugStruck{.node = NodeId(1), .process = UserProcess::Compute, .task = 1, .subtask = 0, .bug = 4}).hash();
    EXPECT_EQ(std::set<std::string>({nothing, begun, ended, struck}).size(), 4U);
}

TEST(Truth, GivesTheSameHashWhenAskedTwiceAndGoesOn) {
    Told a, b;
    a(sent(0, 1, 1));
    EXPECT_EQ(a.hash(), a.hash());
    a(sent(0, 1, 2));
    b(sent(0, 1, 1))(sent(0, 1, 2));
    EXPECT_EQ(a.hash(), b.hash());
}

TEST(Truth, HashesTheSameWithoutKeepingTheEvents) {
    Told kept(true), counted(false);
    for (std::uint32_t i = 0; i < 500; ++i) {
        kept(sent(0, 1, i))(computes(1, i));
        counted(sent(0, 1, i))(computes(1, i));
    }
    EXPECT_EQ(kept.hash(), counted.hash());
    EXPECT_EQ(kept.truth.events().size(), 500U);
    EXPECT_EQ(counted.truth.events().size(), 0U);
    EXPECT_EQ(counted.truth.moved(), 500U);
}

TEST(Truth, NumbersTheEventsOfEachNode) {
    Told told;
    told(sent(0, 1, 1))(sent(3, 4, 1))(sent(0, 1, 2));
    const std::vector<trace_record::Event> events(told.truth.events().begin(), told.truth.events().end());
    ASSERT_EQ(events.size(), 3U);
    EXPECT_EQ(events[1].seq, 0U);
    EXPECT_EQ(events[2].seq, 1U);
    EXPECT_EQ(events[2].time_us, 3U);
}

TEST(Truth, CountsResultsThatReachTheManager) {
    Told told;
    const TaskMoved result{
        .node = NodeId(0), .peer = NodeId(1), .sent = false, .result = true, .task = 1, .subtask = 0, .bytes = 64};
    TaskMoved elsewhere = result;
    elsewhere.node = NodeId(1);
    told(result)(elsewhere)(sent(0, 1, 2));
    EXPECT_EQ(told.truth.results_at_manager(), 1U);
    EXPECT_EQ(told.truth.first_event(), SimTime::us(1));
    EXPECT_EQ(told.truth.last_activity(), SimTime::us(3));
}
