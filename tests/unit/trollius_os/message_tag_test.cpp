// The tag of a message: who gives it, which traffic carries it, and what it costs.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include <trollius_os/circuits.hpp>

#include "cast_bench.hpp"

using test_support::NodeId;
using test_support::SimTime;
using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::KernelAct;
using trollius_os::KernelEvent;
using trollius_os::Message;
using trollius_os::MessageTag;

namespace {

// Tags the messages of users, and writes down what they do.
class Tagger final : public trollius_os::ProbePoint {
public:
    explicit Tagger(bool tags = true) : tags_(tags) {}
    bool tags(const trollius_os::Process& process) const override { return tags_ && process.name() == "user"; }
    coroutines::Task<> on(const KernelEvent& what, trollius_os::Calls& calls) override {
        if (calls.process().name() == "user") acts.push_back(what);
        co_return;
    }
    std::vector<KernelEvent> of(KernelAct act) const {
        std::vector<KernelEvent> found;
        std::copy_if(acts.begin(), acts.end(), std::back_inserter(found), [act](const auto& e) { return e.act == act; });
        return found;
    }
    std::vector<KernelEvent> acts;

private:
    bool tags_;
};

struct TagBench : CastBench {
    explicit TagBench(std::size_t nodes = 5) : CastBench(topologies::chain(nodes)) {}
    Tagger& probe(std::uint16_t node, bool tags = true) {
        taggers.push_back(std::make_unique<Tagger>(tags));
        box.kernel(NodeId(node)).set_probe(taggers.back().get());
        return *taggers.back();
    }
    void send(std::uint16_t from, std::uint16_t to, std::uint32_t bytes, std::uint32_t flags = 0) {
        user(from, [=](Api& api) {
            std::vector<std::byte> body(bytes);
            Message message{.node = NodeId(to), .event = chat, .flags = flags, .length = bytes, .body = body};
            api.nsend(message);
        });
    }
    void receive(std::uint16_t at, std::uint32_t flags = 0) {
        received = SimTime();
        user(at, [flags, this](Api& api) {
            std::vector<std::byte> body;
            Message message{.event = chat, .flags = flags, .any_body = &body};
            api.nrecv(message);
            received = box.now();
        });
        run_until([&] { return received > SimTime(); }, box.now() + SimTime::ms(200));
    }
    // From its call to its receipt by a process that waits for it.
    SimTime way(std::uint16_t from, std::uint16_t to) {
        receive(to);
        const SimTime began = box.now();
        send(from, to, 40);
        run_until([&] { return received > SimTime(); });
        return received - began;
    }
    SimTime received;
    std::vector<std::unique_ptr<Tagger>> taggers;
};

std::vector<MessageTag> tags_of(const std::vector<KernelEvent>& events) {
    std::vector<MessageTag> tags;
    for (const KernelEvent& event : events) tags.push_back(event.tag.value_or(MessageTag{}));
    return tags;
}
MessageTag tag(std::uint16_t sender, std::uint32_t number) {
    return {.sender = NodeId(sender), .number = number};
}

}  // namespace

TEST(MessageTag, NamesTheSenderAndItsNumberToTheReceiverOverSeveralHops) {
    TagBench bench;
    Tagger& first = bench.probe(0);
    Tagger& last = bench.probe(4);
    for (const std::uint32_t bytes : {0U, 100U, 9000U}) {  // the last one goes in three packets
        bench.send(0, 4, bytes);
        bench.receive(4);
    }
    EXPECT_THAT(tags_of(first.of(KernelAct::SendCall)), testing::ElementsAre(tag(0, 1), tag(0, 2), tag(0, 3)));
    EXPECT_EQ(tags_of(first.of(KernelAct::MessageSend)), tags_of(first.of(KernelAct::SendCall)));
    EXPECT_EQ(tags_of(last.of(KernelAct::MessageReceive)), tags_of(first.of(KernelAct::SendCall)));
    for (const KernelEvent& got : last.of(KernelAct::MessageReceive)) EXPECT_EQ(got.peer, NodeId(0));
}

TEST(MessageTag, StaysWithAMessageThatWaitsInTheBuffersOrPassesThem) {
    TagBench bench;
    bench.probe(0);
    Tagger& last = bench.probe(2);
    bench.send(0, 2, 10);
    bench.run_for(SimTime::ms(100));
    bench.receive(2);
    bench.send(0, 2, 10, trollius_os::flags::no_buffer);
    bench.receive(2, trollius_os::flags::no_buffer);
    EXPECT_THAT(tags_of(last.of(KernelAct::MessageReceive)), testing::ElementsAre(tag(0, 1), tag(0, 2)));
}

TEST(MessageTag, NamesMessagesBetweenProcessesOfOneNodeToo) {
    TagBench bench;
    Tagger& node = bench.probe(1);
    bench.send(1, 1, 10);
    bench.receive(1);
    EXPECT_THAT(tags_of(node.of(KernelAct::MessageReceive)), testing::ElementsAre(tag(1, 1)));
}

TEST(MessageTag, CostsEightBytesOnEachLinkAndNothingOnItsOwnNode) {
    // 8 bytes of 575 ns; the two words that the engines take from each processor's memory; waits of a microsecond clock.
    TagBench bench;
    bench.way(0, 4);  // each node on the way asks its router once
    for (const std::uint16_t hops : {0, 1, 4}) {
        std::array<SimTime, 2> took;
        for (const bool tags : {false, true}) {
            bench.probe(0, tags);
            took[tags ? 1 : 0] = bench.way(0, hops);
        }
        const double extra = (took[1] - took[0]).in_us();
        EXPECT_GE(extra, hops * (8 * 0.575 - 1)) << hops;
        EXPECT_LE(extra, hops * (8 * 0.575 + 2.5)) << hops;
    }
}

TEST(MessageTag, IsThereWhileTheSendersProbeWantsItOnly) {
    TagBench bench;
    bench.probe(0, false);
    Tagger& last = bench.probe(2);
    bench.send(0, 2, 10);
    bench.receive(2);
    bench.probe(0, true);
    bench.send(0, 2, 10);
    bench.receive(2);
    const auto got = last.of(KernelAct::MessageReceive);
    ASSERT_EQ(got.size(), 2U);
    EXPECT_FALSE(got[0].tag || got[0].peer);
    EXPECT_EQ(got[1].tag, tag(0, 1));
}

TEST(MessageTag, IsNotHandedOnByAProcessThatSendsWhatItHasReceived) {
    TagBench bench;
    bench.probe(0);
    Tagger& last = bench.probe(2);
    bench.user(1, [](Api& api) {
        Message message{.event = CastBench::chat};
        api.nrecv(message);
        message.node = NodeId(2);
        api.nsend(message);
    });
    bench.send(0, 1, 0);
    bench.receive(2);
    ASSERT_EQ(last.of(KernelAct::MessageReceive).size(), 1U);
    EXPECT_FALSE(last.of(KernelAct::MessageReceive)[0].tag) << "n1 has no probe";
}

TEST(MessageTag, OfAMessageToACastComesToEachReceiver) {
    TagBench bench;
    const auto cast = bench.create(CastBench::nodes({1, 3, 4}));
    Tagger& sender = bench.probe(2);
    std::vector<Tagger*> receivers;
    for (const std::uint16_t node : {1, 3, 4}) receivers.push_back(&bench.probe(node));
    std::array<std::string, 3> got;
    for (std::size_t i = 0; i < 3; ++i) bench.read(std::array<std::uint16_t, 3>{1, 3, 4}[i], got[i]);
    bench.CastBench::send(2, cast.cast, 'a', 2);  // n2 has no tree yet, so the first one waits for it
    bench.run_for(SimTime::ms(200));
    ASSERT_EQ(sender.of(KernelAct::SendCall).size(), 2U);
    EXPECT_EQ(sender.of(KernelAct::SendCall)[0].peer, cast.cast);
    for (const Tagger* receiver : receivers)
        EXPECT_THAT(tags_of(receiver->of(KernelAct::MessageReceive)), testing::ElementsAre(tag(2, 1), tag(2, 2)));
}

TEST(MessageTag, TravelsWithTheFirstPieceOfACircuitsMessage) {
    TagBench bench;
    Tagger& sender = bench.probe(0);
    Tagger& receiver = bench.probe(3);
    bench.user(0, [](Api& api) {
        const std::vector<std::byte> body(700);  // three pieces
        const auto circuit = trollius_os::psendopen(api.calls(), NodeId(3), CastBench::chat, 0).get();
        for (const std::size_t bytes : {0, 700, 10})
            trollius_os::psend(api.calls(), circuit.circuit, std::span(body).first(bytes)).get();
        trollius_os::psendclose(api.calls(), circuit.circuit).get();
    });
    std::vector<std::uint32_t> lengths;
    bench.user(3, [&](Api& api) {
        std::vector<std::byte> room(700);
        const auto circuit = trollius_os::precvopen(api.calls(), CastBench::chat, 0).get();
        for (int i = 0; i < 3; ++i) lengths.push_back(trollius_os::precv(api.calls(), circuit.circuit, room).get().length);
    });
    bench.run_for(SimTime::ms(200));
    EXPECT_THAT(lengths, testing::ElementsAre(0U, 700U, 10U));
    EXPECT_THAT(tags_of(sender.of(KernelAct::SendCall)), testing::ElementsAre(tag(0, 1), tag(0, 2), tag(0, 3)));
    EXPECT_EQ(tags_of(receiver.of(KernelAct::MessageReceive)), tags_of(sender.of(KernelAct::SendCall)));
}

TEST(MessageTag, TravelsBehindTheHeaderOfANeighboursCircuit) {
    TagBench bench;
    Tagger& sender = bench.probe(0);
    Tagger& receiver = bench.probe(1);
    std::array<std::byte, 4> header{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}}, got{};
    trollius_os::LinkReceived arrived;
    const auto link_of = [&](std::uint16_t node, std::uint16_t to) {
        std::uint8_t link = 0;
        const auto leads = [&] {
            const auto& far = bench.box.network().neighbour(NodeId(node), vocabulary::LinkNo(link));
            return far && far->node == NodeId(to);
        };
        while (!leads()) ++link;
        return vocabulary::LinkNo(link);
    };
    const auto out = link_of(0, 1), in = link_of(1, 0);
    bench.user(0, [&](Api& api) {
        api.circuit_send(out, NodeId(1), {.channel = trollius_os::LinkChannel::Circuit, .header = header, .wire_bytes = 4});
    });
    bench.user(1, [&](Api& api) { arrived = api.circuit_receive(in, NodeId(0), {.header = got}); });
    bench.run_for(SimTime::ms(20));
    EXPECT_EQ(got, header);
    EXPECT_EQ(arrived.header_bytes, 4U) << "the tag is no part of the header";
    EXPECT_THAT(tags_of(sender.of(KernelAct::SendCall)), testing::ElementsAre(tag(0, 1)));
    EXPECT_THAT(tags_of(receiver.of(KernelAct::MessageReceive)), testing::ElementsAre(tag(0, 1)));
}

TEST(MessageTag, OfASendThatWouldBlockNeverArrives) {
    TagBench bench;
    Tagger& node = bench.probe(1);
    bench.user(1, [](Api& api) {
        Message message{.node = NodeId(1), .event = CastBench::chat, .flags = trollius_os::flags::no_buffer};
        EXPECT_EQ(api.ntry_send(message), trollius_os::Outcome::WouldBlock);
    });
    bench.run_for(SimTime::ms(5));
    EXPECT_EQ(node.of(KernelAct::SendCall).size(), 1U);
    EXPECT_TRUE(node.of(KernelAct::MessageSend).empty());
}
