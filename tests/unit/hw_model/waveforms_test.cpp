#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <hw_model/waveforms.hpp>

#include "hw_bench.hpp"

using hw_model::Machine;
using hw_model::Watch;
using hw_model::Waveforms;
using hw_test::NodeId;
using hw_test::Priority;
using hw_test::SimTime;
using testing::ElementsAre;
using testing::HasSubstr;
using topologies::parse_watches;

namespace {

std::string message(const std::string& list) {
    try {
        parse_watches(list, topologies::chain(2, true), "--watch");
    } catch (const vocabulary::InputError& error) {
        return error.what();
    }
    return {};
}

class Folder {
public:
    Folder() : path_(std::filesystem::temp_directory_path() / ("waveforms_test." + std::to_string(::getpid()))) {
        std::filesystem::create_directory(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    std::string file(const char* name) const { return (path_ / name).string(); }
    bool empty() const { return std::filesystem::is_empty(path_); }

private:
    std::filesystem::path path_;
};

std::string text_of(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

hw_model::MachineOptions lockstep() {
    hw_model::MachineOptions options;
    options.lockstep = true;
    return options;
}

}  // namespace

TEST(Watches, NameLinksWaysOfSwitchesAndSignalsOfNodes) {
    EXPECT_THAT(parse_watches("n0.1,host.0,x0.1,n1.busy,n1.error,n0.event,n0.ack,n0.halted", topologies::chain(2, true), "w"),
                ElementsAre(Watch{Watch::Kind::Link, 0, 1}, Watch{Watch::Kind::Link, 2, 0}, Watch{Watch::Kind::Way, 0, 1},
                            Watch{Watch::Kind::Busy, 1, 0}, Watch{Watch::Kind::Error, 1, 0}, Watch{Watch::Kind::Event, 0, 0},
                            Watch{Watch::Kind::Ack, 0, 0}, Watch{Watch::Kind::Halted, 0, 0}));
}

TEST(Watches, SayTheNearestNameAndTheColumn) {
    EXPECT_THAT(message("n0.1,n1.bussy"),
                HasSubstr("--watch:1:6: this machine has no signal 'n1.bussy', did you mean 'n1.busy'?"));
    EXPECT_THAT(message("n9.1"), HasSubstr("--watch:1:1: this machine has no signal 'n9.1'"));
    EXPECT_THAT(message("x0.32"), HasSubstr("this machine has no signal 'x0.32'"));
    EXPECT_THAT(message("n0.1,"), HasSubstr("--watch:1:6: this machine has no signal ''"));
}

TEST(Watches, AreWired) {
    EXPECT_THAT(message("n0.1,n0.3"), HasSubstr("--watch:1:6: nothing is wired to 'n0.3', so it never changes"));
    EXPECT_THAT(message("x0.5"), HasSubstr("--watch:1:1: nothing is wired to 'x0.5'"));
    EXPECT_THAT(message("host.2"), HasSubstr("--watch:1:1: nothing is wired to 'host.2'"));
}

TEST(Watches, AreThereOnce) {
    EXPECT_THAT(message("n0.1,n0.busy,n0.1"), HasSubstr("--watch:1:14: 'n0.1' is given twice; leave one out"));
}

TEST(Waveforms, ShowPrioritiesAndPinsAtExactTimes) {
    Folder folder;
    const auto description = topologies::chain(2);
    Machine machine("machine", description, hw_test::costs(), 1, lockstep());
    auto& node = machine.node(NodeId(0));
    hw_model::Fiber* self = nullptr;
    hw_model::Fiber low(Priority::Low, node.arena, [&] { self->use(vocabulary::Cycles(984)); });
    self = &low;
    hw_test::Script script(machine.timeline());
    script.at(SimTime::ps(10'000'007), [&] { node.processor.start(low); });
    script.at(SimTime::ps(20'000'001), [&] { node.set_error(); });
    Waveforms waveforms(machine, description, parse_watches("n0.busy,n0.error,n0.halted", description, "w"),
                        folder.file("a.vcd"));
    machine.run_until(SimTime::us(100));
    waveforms.finish();
    const std::string text = text_of(folder.file("a.vcd"));
    EXPECT_THAT(text, HasSubstr("#10000007\nb1 "));
    EXPECT_THAT(text, HasSubstr("#20000001\n"));
    EXPECT_THAT(text, HasSubstr("#60000007\nb0 "));  // 1000 cycles with the start
    EXPECT_THAT(text, testing::EndsWith("#100000000\n"));
    EXPECT_THAT(text, HasSubstr("1 ps"));
    EXPECT_FALSE(std::filesystem::exists(folder.file("a.vcd.part.vcd")));
}

TEST(Waveforms, HaveNoDate) {
    Folder folder;
    const auto description = topologies::chain(2);
    Machine machine("machine", description, hw_test::costs(), 1, lockstep());
    Waveforms waveforms(machine, description, parse_watches("n0.busy", description, "w"), folder.file("a.vcd"));
    machine.run_until(SimTime::us(1));
    waveforms.finish();
    const std::string text = text_of(folder.file("a.vcd"));
    const std::size_t begin = text.find("$date") + 5;
    EXPECT_EQ(text.substr(begin, text.find("$end") - begin).find_first_not_of(" \n"), std::string::npos);
}

TEST(Waveforms, LeaveNoFileWhenTheRunWasNotFinished) {
    Folder folder;
    const auto description = topologies::chain(2);
    Machine machine("machine", description, hw_test::costs(), 1, lockstep());
    {
        Waveforms waveforms(machine, description, parse_watches("n0.busy", description, "w"), folder.file("a.vcd"));
        machine.run_until(SimTime::us(1));
    }
    EXPECT_TRUE(folder.empty());
}

TEST(Waveforms, SayThatTheFileCannotBeWritten) {
    const auto description = topologies::chain(2);
    Machine machine("machine", description, hw_test::costs(), 1, lockstep());
    try {
        Waveforms waveforms(machine, description, {}, "/nowhere/a.vcd");
        FAIL();
    } catch (const vocabulary::InputError& error) {
        EXPECT_STREQ(error.what(), "/nowhere/a.vcd: cannot be written; check that its folder exists and the disk is not full");
    }
}

namespace {

class WaveformsOfALink : public testing::TestWithParam<hw_model::LinkLevel> {};

}  // namespace

TEST_P(WaveformsOfALink, ShowWhoseBytesAreOnItThroughASwitch) {
    Folder folder;
    const auto description = topologies::chain(2, true);
    hw_model::MachineOptions options = lockstep();
    options.links = GetParam();
    Machine machine("machine", description, hw_test::costs(), 1, options);
    hw_test::Witness witness(machine.timeline());
    machine.node(NodeId(1)).processor.start(witness);
    std::vector<std::byte> content(100), room(100);
    hw_model::LinkMessage sent;
    sent.account = vocabulary::Account(3);
    sent.body = content;
    sent.wire_bytes = 100;
    hw_model::LinkReceive request;
    request.body = room;
    request.receiver = &witness;
    machine.connect_switches();
    const auto path = machine.network().neighbour(NodeId(1), hw_test::LinkNo(0));
    ASSERT_TRUE(path.has_value());
    ASSERT_EQ(path->node, NodeId(0));
    hw_test::Script script(machine.timeline());
    script.at(SimTime::us(10), [&] {
        machine.node(NodeId(1)).link(hw_test::LinkNo(0))->receive(request, hw_model::Channel::Datalink);
        machine.node(NodeId(0)).link(path->link)->send(sent);
    });
    const std::string name = "n0." + std::to_string(path->link.value());
    Waveforms waveforms(machine, description, parse_watches(name + ",n1.0", description, "w"), folder.file("a.vcd"));
    machine.run_until(SimTime::ms(1));
    waveforms.finish();
    ASSERT_TRUE(request.received);
    const std::string text = text_of(folder.file("a.vcd"));
    EXPECT_THAT(text, HasSubstr("link" + std::to_string(path->link.value()) + "_out"));
    EXPECT_THAT(text, HasSubstr("link0_in"));
    // Both ends show the monitor (3) at the same time, and nothing else ever.
    std::size_t changes = 0;
    for (std::size_t at = text.find("\nb11 "); at != std::string::npos; at = text.find("\nb11 ", at + 1)) ++changes;
    EXPECT_EQ(changes, 2u);
    EXPECT_EQ(text.find("\nb10 "), std::string::npos);
}
INSTANTIATE_TEST_SUITE_P(Levels, WaveformsOfALink, testing::Values(hw_model::LinkLevel::Message, hw_model::LinkLevel::Byte));

TEST(Waveforms, ShowWhatFollowsAPartOfTheRunThatEndedIdle) {
    Folder folder;
    const auto description = topologies::chain(2);
    Machine machine("machine", description, hw_test::costs(), 1, lockstep());
    auto& node = machine.node(NodeId(0));
    hw_test::Script script(machine.timeline());
    script.at(SimTime::us(10), [] {});
    Waveforms waveforms(machine, description, parse_watches("n0.error", description, "w"), folder.file("a.vcd"));
    machine.run_until(SimTime::us(500));
    // The Timeline is still at 10 us, and requests count from there.
    script.at(machine.timeline().now() + SimTime::us(20), [&] { node.set_error(); });
    script.at(machine.timeline().now() + SimTime::us(25), [&] { node.clear_error(); });
    machine.run_until(SimTime::us(600));
    waveforms.finish();
    const std::string text = text_of(folder.file("a.vcd"));
    EXPECT_THAT(text, HasSubstr("#30000000\n"));
    EXPECT_THAT(text, HasSubstr("#35000000\n"));
    EXPECT_THAT(text, testing::EndsWith("#600000000\n"));
}

TEST(Waveforms, ShowWhatHappensAtTheVeryEndOfAPartOfTheRun) {
    Folder folder;
    const auto description = topologies::chain(2);
    Machine machine("machine", description, hw_test::costs(), 1, lockstep());
    auto& node = machine.node(NodeId(0));
    hw_test::Script script(machine.timeline());
    script.at(SimTime::us(100), [&] { node.set_error(); });
    script.at(SimTime::us(200), [&] { node.clear_error(); });
    script.at(SimTime::us(250), [&] { node.set_error(); });
    Waveforms waveforms(machine, description, parse_watches("n0.error", description, "w"), folder.file("a.vcd"));
    machine.run_until(SimTime::us(100));
    machine.run_until(SimTime::us(200));
    machine.run_until(SimTime::us(300));
    waveforms.finish();
    const std::string text = text_of(folder.file("a.vcd"));
    EXPECT_THAT(text, HasSubstr("#100000000\n"));
    EXPECT_THAT(text, HasSubstr("#200000000\n"));
    EXPECT_THAT(text, HasSubstr("#250000000\n"));
}

TEST(WaveformsDeathTest, AMachineThatDoesNotRunInLockstepIsABrokenContract) {
    Folder folder;
    const auto description = topologies::chain(2);
    Machine machine("machine", description, hw_test::costs(), 1);
    EXPECT_DEATH(Waveforms(machine, description, {}, folder.file("a.vcd")), "waveforms.lockstep");
}

TEST(WaveformsDeathTest, FinishingTwiceIsABrokenContract) {
    Folder folder;
    const auto description = topologies::chain(2);
    Machine machine("machine", description, hw_test::costs(), 1, lockstep());
    Waveforms waveforms(machine, description, parse_watches("n0.error", description, "w"), folder.file("a.vcd"));
    machine.run_until(SimTime::us(10));
    waveforms.finish();
    EXPECT_DEATH(waveforms.finish(), "waveforms.finish.twice");
}
