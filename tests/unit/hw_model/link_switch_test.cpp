// The C004's configuration messages, and what a change of its connections does to transfers.
#include <hw_model/link_switch.hpp>

#include <gmock/gmock.h>

#include "switch_bench.hpp"

using hw_model::LinkSwitch;
using hw_test::run_machine;
using hw_test::SimTime;
using hw_test::SwitchBench;
using hw_test::WayNo;

namespace {

// A transfer from n0 to n1 over the bench's switch; both sides are ready from the beginning.
class Transfer {
public:
    Transfer(SwitchBench& bench, std::uint32_t bytes) : bench_(bench), from_(bytes, std::byte{7}), to_(bytes) {
        message.body = from_;
        message.wire_bytes = bytes;
        request.body = to_;
        request.receiver = &witness_;
        bench_.machine.node(hw_test::NodeId(1)).processor.start(witness_);
    }
    void begin() {
        bench_.machine.node(hw_test::NodeId(1)).link(hw_test::LinkNo(0))->receive(request, hw_model::Channel::Datalink);
        bench_.machine.node(hw_test::NodeId(0)).link(hw_test::LinkNo(1))->send(message);
    }
    hw_model::LinkMessage message;
    hw_model::LinkReceive request;

private:
    SwitchBench& bench_;
    std::vector<std::byte> from_, to_;
    hw_test::Witness witness_{bench_.machine.timeline()};
};

class SwitchedTransfer : public testing::TestWithParam<hw_model::LinkLevel> {
protected:
    SwitchBench bench{hw_test::costs(), true, GetParam()};
};

}  // namespace

TEST(LinkSwitch, AfterResetHoldsAllOutputsLow) {
    SwitchBench bench;
    for (int output = 0; output < 32; ++output) EXPECT_EQ(bench.input_of(output), -1) << output;
}

TEST(LinkSwitch, ConnectsAnOutputOneWayOnly) {
    SwitchBench bench;
    bench.after({0, 3, 29, 3});
    EXPECT_EQ(bench.input_of(29), 3);
    EXPECT_EQ(bench.input_of(3), -1);
    EXPECT_FALSE(bench.which().partner(WayNo(3)));
}

TEST(LinkSwitch, ConnectsTwoLinksBothWays) {
    SwitchBench bench;
    bench.after({1, 3, 29, 3});
    EXPECT_EQ(bench.input_of(29), 3);
    EXPECT_EQ(bench.input_of(3), 29);
    EXPECT_EQ(bench.which().partner(WayNo(3)), WayNo(29));
}

TEST(LinkSwitch, TwoOneWayConnectionsAreALink) {
    SwitchBench bench;
    bench.after({0, 3, 29, 0, 29, 3, 3});
    EXPECT_EQ(bench.which().partner(WayNo(29)), WayNo(3));
}

TEST(LinkSwitch, ConnectsOnlyAtTheEndOfTheSetUp) {
    SwitchBench bench;
    bench.after({1, 3, 29});
    EXPECT_EQ(bench.input_of(29), -1);
    bench.after({3});
    EXPECT_EQ(bench.input_of(29), 3);
}

TEST(LinkSwitch, DisconnectsAtOnce) {
    SwitchBench bench;
    bench.after({1, 3, 29, 1, 4, 5, 3, 5, 29});
    EXPECT_EQ(bench.input_of(29), -1);
    EXPECT_EQ(bench.input_of(3), 29);
    bench.after({6, 4, 5});
    EXPECT_EQ(bench.input_of(4), -1);
    EXPECT_EQ(bench.input_of(5), -1);
}

TEST(LinkSwitch, ForgetsAConnectionThatWasPreparedAndTakenBack) {
    SwitchBench bench;
    bench.after({1, 3, 29, 5, 29, 3});
    EXPECT_EQ(bench.input_of(29), -1);
    EXPECT_EQ(bench.input_of(3), 29);
}

TEST(LinkSwitch, ResetMessageDisconnectsEverything) {
    SwitchBench bench;
    bench.after({1, 3, 29, 3, 1, 6, 7, 4, 3});
    for (int output = 0; output < 32; ++output) EXPECT_EQ(bench.input_of(output), -1) << output;
}

TEST(LinkSwitch, OneInputMayDriveSeveralOutputsAndIsALinkWithTheOneThatAnswers) {
    SwitchBench bench;
    bench.after({0, 3, 10, 0, 3, 29, 0, 29, 3, 3});
    EXPECT_EQ(bench.input_of(10), 3);
    EXPECT_EQ(bench.input_of(29), 3);
    EXPECT_EQ(bench.which().partner(WayNo(3)), WayNo(29));
    EXPECT_FALSE(bench.which().partner(WayNo(10)));
}

TEST_P(SwitchedTransfer, DataWithoutAWayBackForTheAcknowledgesNeverArrives) {
    bench.after({0, 3, 29, 3});
    Transfer transfer(bench, 100);
    transfer.begin();
    run_machine(SimTime::ms(10));
    EXPECT_FALSE(transfer.request.received);
    EXPECT_FALSE(transfer.message.sent);
}

TEST(LinkSwitch, RevisionBRepliesWithTheInputAndABitThatSaysConnected) {
    SwitchBench bench;
    bench.after({1, 3, 29, 3, 2, 29, 2, 3, 2, 8});
    EXPECT_THAT(bench.replies, testing::ElementsAre(0x83, 0x9d, 0));
}

TEST(LinkSwitch, RevisionARepliesWithTheInputOnly) {
    hw_model::Timeline timeline;
    LinkSwitch old("old", 0, {.pass = {}, .internal = SimTime::ns(500)}, timeline, LinkSwitch::Revision::A);
    std::vector<int> replies;
    old.on_reply([&](std::uint8_t reply) { replies.push_back(reply); });
    for (const int byte : {1, 3, 29, 3, 2, 29, 2, 8}) old.configure(static_cast<std::uint8_t>(byte));
    while (timeline.run_next_instant()) {
    }
    EXPECT_THAT(replies, testing::ElementsAre(3, 0));
}

TEST(LinkSwitch, ActsHalfAMicrosecondAfterTheLastByteOneMessageAfterTheOther) {
    SwitchBench bench;
    bench.script.at(SimTime::us(10), [&] { bench.configure({1, 3, 29, 3}); });
    int early = 0, late = 0;
    bench.script.at(SimTime::ns(10'999), [&] { early = bench.input_of(29); });
    bench.script.at(SimTime::ns(11'001), [&] { late = bench.input_of(29); });
    run_machine(SimTime::us(20));
    EXPECT_EQ(early, -1);
    EXPECT_EQ(late, 3);
}

TEST(LinkSwitch, IgnoresAndCountsMessagesThatDoNotExistAndWaysAboveThirtyOne) {
    SwitchBench bench;
    bench.after({7, 255, 0, 3, 32, 2, 40, 1, 200, 1, 3});
    EXPECT_EQ(bench.which().status().messages, 6u);
    EXPECT_EQ(bench.which().status().ignored, 5u);
    EXPECT_TRUE(bench.replies.empty());
    for (int output = 0; output < 32; ++output) EXPECT_EQ(bench.input_of(output), -1) << output;
}

TEST(LinkSwitch, AStuckOutputStaysWhateverIsProgrammedAndTheReplySaysSo) {
    SwitchBench bench;
    bench.which().stick(WayNo(29), std::optional(WayNo(4)));
    bench.after({1, 3, 29, 3, 2, 29});
    EXPECT_EQ(bench.input_of(29), 4);
    EXPECT_THAT(bench.replies, testing::ElementsAre(0x84));
    bench.which().stick(WayNo(29), std::optional<WayNo>());
    EXPECT_EQ(bench.input_of(29), -1);
    bench.which().stick(WayNo(29), std::nullopt);
    EXPECT_EQ(bench.input_of(29), 3);
}

TEST_P(SwitchedTransfer, CarriesAMessageOnceItIsProgrammed) {
    Transfer transfer(bench, 100);
    bench.script.at(SimTime::us(10), [&] { transfer.begin(); });
    bench.script.at(SimTime::us(50), [&] { bench.configure({1, 3, 29, 3}); });
    run_machine(SimTime::ms(1));
    EXPECT_TRUE(transfer.request.received) << "offered before the connection was made, and offered again with it";
    EXPECT_FALSE(transfer.message.lost);
    EXPECT_EQ(bench.which().status().lost, 0u);
}

TEST_P(SwitchedTransfer, LosesATransferWhenItsConnectionIsTakenAwayAndTheSenderGoesOn) {
    Transfer transfer(bench, 1000);
    bench.after({1, 3, 29, 3});
    bench.script.at(SimTime::us(200), [&] { transfer.begin(); });
    bench.script.at(SimTime::us(300), [&] { bench.configure({5, 29}); });
    run_machine(SimTime::ms(5));
    EXPECT_TRUE(transfer.message.sent && transfer.message.lost);
    EXPECT_FALSE(transfer.request.received);
    EXPECT_EQ(bench.which().status().lost, 1u);
    EXPECT_EQ(bench.machine.node(hw_test::NodeId(0)).link(hw_test::LinkNo(1))->totals().lost, 1u);
}

TEST_P(SwitchedTransfer, TheReceiverOfALostTransferGetsTheNextMessage) {
    Transfer lost(bench, 1000), next(bench, 20);
    bench.after({1, 3, 29, 3});
    bench.script.at(SimTime::us(200), [&] { lost.begin(); });
    bench.script.at(SimTime::us(300), [&] { bench.configure({5, 29}); });
    bench.script.at(SimTime::us(400), [&] { bench.configure({1, 3, 29, 3}); });
    bench.script.at(SimTime::us(500),
                    [&] { bench.machine.node(hw_test::NodeId(0)).link(hw_test::LinkNo(1))->send(next.message); });
    run_machine(SimTime::ms(5));
    EXPECT_TRUE(next.message.sent);
    EXPECT_FALSE(next.message.lost);
    EXPECT_TRUE(lost.request.received) << "its receiver still waited";
    EXPECT_EQ(lost.request.body_bytes, 20u);
}

TEST_P(SwitchedTransfer, LeavesATransferOfAnotherConnectionAlone) {
    Transfer transfer(bench, 1000);
    bench.after({1, 3, 29, 1, 8, 9, 3});
    bench.script.at(SimTime::us(200), [&] { transfer.begin(); });
    bench.script.at(SimTime::us(300), [&] { bench.configure({6, 8, 9, 1, 10, 11, 1, 3, 29, 3}); });
    run_machine(SimTime::ms(5));
    EXPECT_TRUE(transfer.request.received);
    EXPECT_EQ(bench.which().status().lost, 0u);
}

TEST_P(SwitchedTransfer, TellsWhichTransferWasLostBetweenWhichLinks) {
    struct Notes final : hw_model::LossWitness {
        void on_loss(const hw_model::LinkLoss& loss) override {
            times.push_back(loss.when);
            ways.push_back(loss.input);
            from = std::get<topologies::NodeLink>(*loss.from);
            to = std::get<topologies::NodeLink>(*loss.to);
            bytes = loss.message->wire_bytes;
        }
        std::vector<SimTime> times;
        std::vector<WayNo> ways;
        topologies::NodeLink from, to;
        std::uint32_t bytes = 0;
    } notes;
    bench.machine.set_loss_witness(&notes);
    Transfer transfer(bench, 1000);
    bench.after({1, 3, 29, 3});
    bench.script.at(SimTime::us(200), [&] { transfer.begin(); });
    bench.script.at(SimTime::us(300), [&] { bench.configure({4}); });
    run_machine(SimTime::ms(5));
    EXPECT_THAT(notes.times, testing::ElementsAre(SimTime::ns(300'500)));
    EXPECT_THAT(notes.ways, testing::ElementsAre(WayNo(3)));
    EXPECT_EQ(notes.from, (topologies::NodeLink{hw_test::NodeId(0), hw_test::LinkNo(1)}));
    EXPECT_EQ(notes.to, (topologies::NodeLink{hw_test::NodeId(1), hw_test::LinkNo(0)}));
    EXPECT_EQ(notes.bytes, 1000u);
}

TEST_P(SwitchedTransfer, IsEitherWholeOrLostWheneverTheChangeComes) {
    bench.after({1, 3, 29, 3});
    int whole = 0, lost = 0;
    std::vector<std::unique_ptr<Transfer>> transfers;
    for (int i = 0; i < 40; ++i) {
        transfers.push_back(std::make_unique<Transfer>(bench, 20));
        const SimTime begin = SimTime::ms(1 + i);
        bench.script.at(begin, [&, i] { transfers[static_cast<std::size_t>(i)]->begin(); });
        bench.script.at(begin + SimTime::ns(500 * i), [&] { bench.configure({6, 3, 29}); });
        bench.script.at(begin + SimTime::us(100), [&] { bench.configure({1, 3, 29, 3}); });
        bench.script.at(begin + SimTime::us(500), [&, i] {
            const Transfer& transfer = *transfers[static_cast<std::size_t>(i)];
            whole += transfer.request.received && transfer.message.sent && !transfer.message.lost;
            lost += !transfer.request.received && transfer.message.sent && transfer.message.lost;
            bench.machine.node(hw_test::NodeId(1))
                .link(hw_test::LinkNo(0))
                ->withdraw(transfers[static_cast<std::size_t>(i)]->request, hw_model::Channel::Datalink);
        });
    }
    run_machine(SimTime::ms(50));
    EXPECT_EQ(whole + lost, 40);
    EXPECT_GT(whole, 0);
    EXPECT_GT(lost, 0);
    EXPECT_EQ(bench.which().status().lost, static_cast<std::uint64_t>(lost));
}

TEST(LinkSwitchDeathTest, AWayAbove31IsABrokenContract) {
    SwitchBench bench;
    const WayNo none(32);
    EXPECT_DEATH(bench.which().in(none), "link_switch.way");
    EXPECT_DEATH(bench.which().out(none), "link_switch.way");
    EXPECT_DEATH(bench.which().connect(WayNo(3), none), "link_switch.connect");
    EXPECT_DEATH(bench.which().disconnect(none), "link_switch.disconnect");
    EXPECT_DEATH(bench.which().stick(none, std::nullopt), "link_switch.stick");
}

TEST(LinkSwitchDeathTest, ConnectingAWayWithItselfIsABrokenContract) {
    SwitchBench bench;
    EXPECT_DEATH(bench.which().connect(WayNo(3), WayNo(3)), "link_switch.connect");
}

INSTANTIATE_TEST_SUITE_P(Levels, SwitchedTransfer, testing::Values(hw_model::LinkLevel::Message, hw_model::LinkLevel::Byte),
                         [](const auto& level) { return level.param == hw_model::LinkLevel::Byte ? "Byte" : "Message"; });
