// Between nodes: echo, state, dead nodes.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <vector>

#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;

namespace {

struct NetworkBench : TestMulticomputer {
    NetworkBench() : TestMulticomputer(topologies::chain(5)) {
        box.start_at_once();
        run_for(SimTime::ms(20));
    }
    SimTime echo(std::uint16_t node, std::uint32_t bytes) {
        SimTime took;
        box.host().create({"tping", trollius_os::Priority::Low, 0, 1024,
                           [&, node, bytes](Api& api) { took = trollius_os::echo(api, NodeId(node), bytes); }});
        run_for(SimTime::ms(200));
        return took;
    }
};

// Writes down a kernel's acts, and makes the acting process wait for a while, as a probe may.
class Diary final : public trollius_os::ProbePoint {
public:
    coroutines::Task<> on(const trollius_os::KernelEvent& what, trollius_os::Calls& calls) override {
        if (calls.process().name() != "user") co_return;
        acts.push_back(what.act);
        last = what;
        co_await calls.compute(SimTime::us(10));
    }
    std::vector<trollius_os::KernelAct> acts;
    trollius_os::KernelEvent last;
};

// Sees all of a kernel's acts, and takes no time.
class Onlooker final : public trollius_os::Witness {
public:
    void on_event(const trollius_os::KernelEvent& what, const trollius_os::Process& process, SimTime when) override {
        if (process.name() != "user") return;
        acts.push_back(what.act);
        last = when;
    }
    void on_packet(const trollius_os::PacketArrived&) override { ++packets; }
    std::vector<trollius_os::KernelAct> acts;
    SimTime last;
    int packets = 0;
};

}  // namespace

TEST(Network, TellsEveryWitnessWhatItTellsAProbePointAndWaitsForNone) {
    NetworkBench bench;
    Diary diary;
    std::array<Onlooker, 3> onlookers;  // nodes 1 and 3 do the same; only the probe of node 1 takes time
    bench.box.kernel(NodeId(1)).set_probe(&diary);
    bench.box.kernel(NodeId(1)).add_witness(onlookers[0]);
    bench.box.kernel(NodeId(3)).add_witness(onlookers[1]);
    bench.box.kernel(NodeId(3)).add_witness(onlookers[2]);
    for (const std::uint16_t node : {1, 3}) bench.user(node, [](Api& api) { trollius_os::echo(api, NodeId(2), 100); });
    bench.run_for(SimTime::ms(50));
    EXPECT_EQ(diary.acts.size(), 6U);
    for (const Onlooker& onlooker : onlookers) EXPECT_EQ(onlooker.acts, diary.acts);
    EXPECT_GT(onlookers[0].last, onlookers[1].last);
    EXPECT_EQ(onlookers[1].last, onlookers[2].last);
    EXPECT_EQ(onlookers[1].packets, onlookers[2].packets);
    EXPECT_GT(onlookers[1].packets, 0);
}

TEST(Network, TellsAProbePointOfStartMessagesAndEndOfAProcessInItsOrder) {
    using trollius_os::KernelAct;
    NetworkBench bench;
    Diary diary;
    bench.box.kernel(NodeId(1)).set_probe(&diary);
    bench.user(1, [](Api& api) { trollius_os::echo(api, NodeId(2), 100); });
    bench.run_for(SimTime::ms(50));
    EXPECT_THAT(diary.acts, testing::ElementsAre(KernelAct::ProcessStart, KernelAct::SendCall, KernelAct::MessageSend,
                                                 KernelAct::ReceiveCall, KernelAct::MessageReceive, KernelAct::ProcessEnd));
}

TEST(Network, TellsAProbePointTheLengthOfAMessageAndWhereItGoesAndNotWhereOneComesFrom) {
    using trollius_os::KernelAct;
    NetworkBench bench;
    Diary diary;
    bench.box.kernel(NodeId(1)).set_probe(&diary);
    const trollius_os::EventNo here(123);
    bench.user(1, [here](Api& api) {
        std::array<std::byte, 40> body{};
        trollius_os::Message message{.node = NodeId(1), .event = here, .length = 40, .body = body};
        api.nsend(message);
    });
    bench.run_for(SimTime::ms(20));
    bench.box.kernel(NodeId(1)).set_probe(nullptr);
    EXPECT_EQ(diary.acts.size(), 4U) << "start, call and end of the send, end";
    bench.box.kernel(NodeId(1)).set_probe(&diary);
    trollius_os::KernelEvent received;
    bench.user(1, [&](Api& api) {
        std::array<std::byte, 40> body{};
        trollius_os::Message message{.event = here, .body = body};
        api.nrecv(message);
        received = diary.last;
    });
    bench.run_for(SimTime::ms(20));
    EXPECT_EQ(received.act, KernelAct::MessageReceive);
    EXPECT_EQ(received.bytes, 40U);
    EXPECT_FALSE(received.peer.has_value());
    EXPECT_EQ(received.event, here);
}

TEST(Network, AnswersAnEchoTheLaterTheFartherTheNodeAndTheLongerTheMessage) {
    NetworkBench bench;
    SimTime before;
    for (std::uint16_t node = 0; node < 5; ++node) {
        const SimTime small = bench.echo(node, 0), large = bench.echo(node, 4000);
        EXPECT_GT(small, before) << node;
        // Twice over every link, 0.575 us a byte, and the copies.
        EXPECT_GT(large - small, SimTime::us(2 * 2300) * (node + 1)) << node;
        before = small;
    }
}

TEST(Network, NeverAnswersForADeadNode) {
    NetworkBench bench;
    bench.box.machine().node(NodeId(2)).crash();
    EXPECT_GT(bench.echo(1, 100), SimTime());
    EXPECT_EQ(bench.echo(2, 100), SimTime());
    EXPECT_EQ(bench.echo(4, 100), SimTime());  // behind it
    bool listed = false;
    bench.box.host().create({"state", trollius_os::Priority::Low, 0, 1024, [&](Api& api) {
                                 trollius_os::state(api, NodeId(2));
                                 listed = true;
                             }});
    bench.run_for(SimTime::s(1));
    EXPECT_FALSE(listed);
}

TEST(Network, ListsTheProcessesOfANode) {
    NetworkBench bench;
    bench.user(3, [](Api& api) {
        trollius_os::Message message{.event = trollius_os::EventNo(1234), .type = 5};
        api.krecv(message);
    });
    std::vector<trollius_os::ProcessLine> lines;
    bench.box.host().create(
        {"state", trollius_os::Priority::Low, 0, 1024, [&](Api& api) { lines = trollius_os::state(api, NodeId(3)); }});
    bench.run_for(SimTime::ms(200));
    const auto named = [&](const std::string& name) {
        return std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.name == name; });
    };
    ASSERT_NE(named("user"), lines.end());
    EXPECT_EQ(named("user")->state, static_cast<std::int32_t>(trollius_os::ProcessState::BlockedReceiving));
    EXPECT_EQ(named("user")->event, trollius_os::EventNo(1234));
    EXPECT_EQ(named("user")->type, 5);
    EXPECT_EQ(named("bufferd")->priority, 1100);
    EXPECT_NE(named("dlo_t4.0"), lines.end());
    EXPECT_NE(named("dlo_t4.1"), lines.end());
    EXPECT_EQ(named("dlo_t4.2"), lines.end());  // not wired
}

TEST(Network, PrintsOnTheHost) {
    NetworkBench bench;
    const std::string text(10'000, 'x');
    bench.user(4, [&](Api& api) { trollius_os::print(api, bench.box.host_id(), text + "\n"); });
    bench.run_for(SimTime::s(1));
    EXPECT_EQ(bench.printed, text + "\n");
}

TEST(Network, LetsEveryNodeReachEveryOther) {
    NetworkBench bench;
    int answers = 0;
    for (std::uint16_t from = 0; from < 5; ++from) {
        bench.user(from, [&](Api& api) {
            for (std::uint16_t to = 0; to < 5; ++to) {
                trollius_os::echo(api, NodeId(to), 10);
                ++answers;
            }
        });
    }
    bench.run_for(SimTime::s(1));
    EXPECT_EQ(answers, 25);
}
