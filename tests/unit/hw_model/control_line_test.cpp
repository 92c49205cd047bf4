// The host's control connections, the configuration controllers along them, and the programming of switches over them.
#include <hw_model/control_line.hpp>

#include <gmock/gmock.h>

#include <hw_model/switch_program.hpp>

#include "switch_bench.hpp"

using hw_model::ControlLine;
using hw_model::LinkSwitch;
using hw_model::ProgrammedSwitches;
using hw_model::SwitchProgram;
using hw_test::SimTime;
using hw_test::SwitchBench;
using hw_test::WayNo;
using testing::ElementsAre;

namespace {

// Round prices: a byte 1 us, a controller's look 10 us, the host 100 us, 4 bytes of header.
constexpr hw_model::ControlTiming timing{.byte = SimTime::us(1),
                                         .forward = SimTime::us(10),
                                         .host = SimTime::us(100),
                                         .time_out = SimTime::ms(1),
                                         .header_bytes = 4};

class Line {
public:
    explicit Line(std::size_t switches) {
        std::vector<LinkSwitch*> along;
        for (std::size_t i = 0; i < switches; ++i) {
            all.push_back(std::make_unique<LinkSwitch>(("x" + std::to_string(i)).c_str(), 0,
                                                       hw_model::SwitchTiming{{}, SimTime::ns(500)}, timeline));
            along.push_back(all.back().get());
        }
        line = std::make_unique<ControlLine>(along, 0, timing, timeline);
    }
    void send(std::size_t position, std::vector<std::uint8_t> bytes, std::size_t replies = 0) {
        line->send(position, std::move(bytes), replies, [this](std::span<const std::uint8_t> got) {
            answered.push_back(timeline.now());
            answers.emplace_back(got.begin(), got.end());
        });
    }
    void run() {
        while (timeline.run_next_instant()) {
        }
    }
    hw_model::Timeline timeline;
    std::vector<std::unique_ptr<LinkSwitch>> all;
    std::unique_ptr<ControlLine> line;
    std::vector<SimTime> answered;
    std::vector<std::vector<int>> answers;
};

}  // namespace

TEST(ControlLine, TakesARequestToTheFirstControllerAndTheAnswerBack) {
    Line bench(2);
    bench.send(0, {1, 4, 5, 3});
    bench.run();
    EXPECT_EQ(bench.all[0]->partner(WayNo(4)), WayNo(5));
    // Host 100, 4 + 4 bytes, look 10, 4 configuration bytes; answer of 4 bytes, host 100.
    EXPECT_THAT(bench.answered, ElementsAre(SimTime::us(100 + 8 + 10 + 4 + 4 + 100)));
    EXPECT_THAT(bench.answers, ElementsAre(testing::IsEmpty()));
}

TEST(ControlLine, StoresAndForwardsAtEveryControllerOnTheWay) {
    Line bench(6);
    bench.send(5, {1, 4, 5, 3});
    bench.run();
    EXPECT_EQ(bench.all[5]->partner(WayNo(4)), WayNo(5));
    EXPECT_FALSE(bench.all[4]->partner(WayNo(4)));
    EXPECT_THAT(bench.answered, ElementsAre(SimTime::us(100 + 3 * (8 + 10) + 4 + 3 * 4 + 2 * 10 + 100)));
}

TEST(ControlLine, BringsRepliesBack) {
    Line bench(1);
    bench.send(0, {1, 4, 5, 3, 2, 4, 2, 9}, 2);
    bench.run();
    EXPECT_THAT(bench.answers, ElementsAre(ElementsAre(0x85, 0)));
    // The last reply begins half a microsecond after the last byte and takes a byte time.
    EXPECT_THAT(bench.answered, ElementsAre(SimTime::us(100 + 12 + 10 + 8 + 1 + 6 + 100) + SimTime::ns(500)));
}

TEST(ControlLine, AnswersWithWhatCameWhenASwitchDoesNotReply) {
    Line bench(1);
    bench.send(0, {2, 4, 2, 99}, 2);  // there is no output 99
    bench.run();
    EXPECT_THAT(bench.answers, ElementsAre(ElementsAre(0)));
    EXPECT_GT(bench.answered.at(0), SimTime::ms(1));
}

TEST(ControlLine, ServesTheTwoSwitchesOfAControllerOneAfterTheOther) {
    Line bench(2);
    bench.send(0, {2, 99}, 1);  // holds the controller up until its time-out
    bench.send(1, {1, 4, 5, 3});
    bench.run();
    ASSERT_EQ(bench.answered.size(), 2u);
    EXPECT_LT(bench.answered[0], bench.answered[1]);
    EXPECT_EQ(bench.all[1]->partner(WayNo(4)), WayNo(5));
}

TEST(ControlLine, TakesTimeOfTheHostForEachRequest) {
    Line bench(1);
    for (int i = 0; i < 3; ++i) bench.send(0, {3});
    bench.run();
    EXPECT_EQ(bench.answered[1] - bench.answered[0], SimTime::us(100));
    EXPECT_EQ(bench.answered[2] - bench.answered[1], SimTime::us(100));
}

TEST(SwitchMessages, SetUpIsResetConnectionsEnd) {
    EXPECT_THAT(hw_model::set_up_messages({{WayNo(0), WayNo(9)}, {WayNo(3), WayNo(4)}}), ElementsAre(4, 1, 0, 9, 1, 3, 4, 3));
}

TEST(SwitchMessages, AChangeNamesOnlyWhatDiffersFirstWhatGoes) {
    EXPECT_THAT(
        hw_model::change_messages({{WayNo(0), WayNo(9)}, {WayNo(3), WayNo(4)}}, {{WayNo(9), WayNo(0)}, {WayNo(3), WayNo(5)}}),
        ElementsAre(6, 3, 4, 1, 3, 5, 3));
    EXPECT_THAT(hw_model::change_messages({{WayNo(3), WayNo(4)}}, {}), ElementsAre(6, 3, 4));
    EXPECT_TRUE(hw_model::change_messages({{WayNo(3), WayNo(4)}}, {{WayNo(4), WayNo(3)}}).empty());
}

TEST(SwitchMessages, DifferencesNameSwitchOutputAndInput) {
    std::vector<std::uint8_t> replies(32, 0);
    replies[7] = 0x84;
    replies[9] = 0;
    replies[1] = 0x82;
    EXPECT_THAT(hw_model::differences("x3", LinkSwitch::Revision::B, {{WayNo(7), WayNo(9)}}, replies),
                ElementsAre("x3 output 1 is connected to input 2, and should be low",
                            "x3 output 7 is connected to input 4, not 9", "x3 output 9 is low, not connected to input 7"));
    EXPECT_THAT(hw_model::differences("x3", LinkSwitch::Revision::A, {{WayNo(7), WayNo(9)}}, replies),
                ElementsAre("x3 output 7 is connected to input 4, not 9", "x3 output 9 is connected to input 0, not 7"));
    replies.resize(3);
    EXPECT_THAT(hw_model::differences("x3", LinkSwitch::Revision::B, {{WayNo(1), WayNo(2)}}, replies),
                ElementsAre("x3 output 2 is low, not connected to input 1", "x3 answered 3 of 32 enquiries"));
}

namespace {

std::optional<ProgrammedSwitches> program(SwitchBench& bench, const hw_model::Connections& connections) {
    std::optional<ProgrammedSwitches> result;
    SwitchProgram host(bench.machine);
    host.set_up({{hw_test::SwitchId(0), connections}}, [&](const ProgrammedSwitches& done) { result = done; });
    bench.machine.run_until(bench.machine.timeline().now() + SimTime::ms(5));
    return result;
}

}  // namespace

TEST(SwitchProgram, SetsAMachinesSwitchAndFindsNoDifference) {
    SwitchBench bench(hw_test::costs(), false);
    const auto result = program(bench, {{WayNo(3), WayNo(29)}});
    ASSERT_TRUE(result);
    EXPECT_THAT(result->differences, testing::IsEmpty());
    EXPECT_EQ(result->bytes, 5u + 64u);
    EXPECT_GT(result->ended - result->began, SimTime::us(40)) << "host.operation at both ends alone";
    EXPECT_EQ(bench.which().partner(WayNo(29)), WayNo(3));
}

TEST(SwitchProgram, FindsAFaultySwitch) {
    SwitchBench bench(hw_test::costs(), false);
    bench.which().stick(WayNo(29), std::optional(WayNo(4)));
    const auto result = program(bench, {{WayNo(3), WayNo(29)}});
    ASSERT_TRUE(result);
    EXPECT_THAT(result->differences, ElementsAre("x0 output 29 is connected to input 4, not 3"));
}

TEST(SwitchProgram, LeavesASwitchWithoutDifferenceAlone) {
    SwitchBench bench(hw_test::costs(), false);
    bool done = false;
    SwitchProgram host(bench.machine);
    const std::vector<hw_model::SwitchSetting> same = {{hw_test::SwitchId(0), {{WayNo(3), WayNo(29)}}}};
    host.change(same, same, [&](const ProgrammedSwitches& result) { done = result.bytes == 0; });
    EXPECT_TRUE(done);
    EXPECT_TRUE(bench.machine.timeline().empty());
}

TEST(ControlLineDeathTest, ARequestToASwitchThatIsNotThereIsABrokenContract) {
    Line bench(1);
    EXPECT_DEATH(bench.send(1, {3}), "control_line.send.position");
}

TEST(ControlLineDeathTest, ARequestWithoutBytesOrWithTooManyIsABrokenContract) {
    Line bench(1);
    constexpr std::size_t too_many = ControlLine::most_bytes + 1;
    EXPECT_DEATH(bench.send(0, {}), "control_line.send.length");
    EXPECT_DEATH(bench.send(0, std::vector<std::uint8_t>(too_many)), "control_line.send.length");
    EXPECT_DEATH(bench.send(0, {3}, too_many), "control_line.send.length");
}

TEST(SwitchProgramDeathTest, ASecondJobAtATimeIsABrokenContract) {
    SwitchBench bench(hw_test::costs(), false);
    const auto nothing = [](const ProgrammedSwitches&) {};
    SwitchProgram host(bench.machine);
    host.set_up({{hw_test::SwitchId(0), {}}}, nothing);
    EXPECT_DEATH(host.set_up({}, nothing), "switch_program.busy");
}

TEST(SwitchProgramDeathTest, AChangeToFewerSwitchesIsABrokenContract) {
    SwitchBench bench(hw_test::costs(), false);
    const auto nothing = [](const ProgrammedSwitches&) {};
    SwitchProgram host(bench.machine);
    EXPECT_DEATH(host.change({{hw_test::SwitchId(0), {}}}, {}, nothing), "switch_program.change.pairs");
}
