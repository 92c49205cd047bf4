// The processes at the ends of a circuit: who may receive its opening, and who can be doomed while it waits.
#include <gmock/gmock.h>

#include <array>

#include <topologies/generators.hpp>
#include <trollius_os/circuits.hpp>
#include <trollius_os/services.hpp>

#include "child_process.hpp"
#include "test_multicomputer.hpp"

using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::Message;
using trollius_os::Process;
using trollius_os::ProcessState;
using trollius_os::Signal;
using vocabulary::NodeId;
using vocabulary::SimTime;

namespace {

constexpr EventNo line{56};

struct EndsBench : test_support::TestMulticomputer {
    EndsBench() : TestMulticomputer(topologies::chain(4)) {
        box.start_at_once();
        run_for(SimTime::ms(20));
    }
    Process* opens(bool& opened) {
        return user(0, [&opened](Api& api) {
            opened = trollius_os::psendopen(api.calls(), NodeId(3), line, 0).get().error == 0;
            api.settle();
        });
    }
    // A message over the whole chain gets through, so no link is held.
    bool is_free() {
        bool got = false;
        user(0, [](Api& api) {
            Message message{.node = NodeId(3), .event = EventNo(9)};
            api.nsend(message);
        });
        user(3, [&got](Api& api) {
            Message message{.event = EventNo(9)};
            got = api.nrecv(message) == trollius_os::Outcome::Done;
        });
        run_for(SimTime::s(1));
        return got;
    }
};

}  // namespace

TEST(CircuitEnds, NoOtherReceiveTakesTheOpening) {
    EndsBench bench;
    bool opened = false;
    std::uint32_t received = 0;
    bench.opens(opened);
    bench.user(3, [&](Api& api) {
        Message message{.event = line};
        if (api.krecv(message) == trollius_os::Outcome::Done) ++received;
    });
    bench.run_for(SimTime::ms(100));
    EXPECT_FALSE(opened);
    EXPECT_EQ(received, 0u);
    bench.user(3, [&](Api& api) { EXPECT_EQ(trollius_os::precvopen(api.calls(), line, 0).get().error, 0); });
    bench.run_for(SimTime::ms(100));
    EXPECT_TRUE(opened);
    bench.user(3, [](Api& api) {
        Message message{.event = line};
        api.ksend(message);
    });
    bench.run_for(SimTime::ms(100));
    EXPECT_EQ(received, 1u) << "it still takes what is for it";
}

TEST(CircuitEnds, NoOtherMessageMeetsTheReceiver) {
    EndsBench bench;
    bool opened = false, sent = true;
    bench.user(3, [&](Api& api) { EXPECT_EQ(trollius_os::precvopen(api.calls(), line, 0).get().error, 0); });
    bench.run_for(SimTime::ms(1));
    bench.user(3, [&](Api& api) {
        Message message{.event = line};
        sent = api.ksend(message, false) == trollius_os::Outcome::Done;
    });
    bench.opens(opened);
    bench.run_for(SimTime::ms(100));
    EXPECT_FALSE(sent);
    EXPECT_TRUE(opened);
}

TEST(CircuitEnds, ASenderWhoseReceiverDoesNotComeCanBeDoomed) {
    EndsBench bench;
    bool opened = false;
    Process* sender = bench.opens(opened);
    bench.run_for(SimTime::ms(100));
    bench.box.kernel(NodeId(0)).signal(*sender, Signal::Die);
    EXPECT_EQ(sender->state(), ProcessState::Ended);
    bench.user(3, [&](Api& api) {
        const auto its = trollius_os::precvopen(api.calls(), line, 0).get();
        std::array<std::byte, 4> room{};
        EXPECT_EQ(trollius_os::precv(api.calls(), its.circuit, room).get().error, trollius_os::errors::end_of_file);
        trollius_os::precvclose(api.calls(), its.circuit).get();
    });
    bench.run_for(SimTime::ms(100));
    EXPECT_TRUE(bench.is_free()) << "the circuit was closed for it";
}

TEST(CircuitEnds, AMemberThatWaitsForTheOthersCanBeDoomed) {
    EndsBench bench;
    Process* alone = bench.user(1, [](Api& api) {
        const std::array nodes = {NodeId(1), NodeId(2)};
        const auto made = trollius_os::rcast(api, nodes);
        std::array<std::int32_t, 1> word = {1};
        trollius_os::ncombine(api, made.cast, trollius_os::Reduction::Sum, trollius_os::WordKind::Int, word);
        ADD_FAILURE() << "nobody else combines";
    });
    bench.run_for(SimTime::ms(100));
    bench.box.kernel(NodeId(1)).signal(*alone, Signal::Die);
    EXPECT_EQ(alone->state(), ProcessState::Ended);
    EXPECT_TRUE(bench.is_free());
}

// At whatever moment the receiver is doomed, the sender comes to its end and the links are free after that.
TEST(CircuitEnds, AReceiverThatIsDoomedAtAnyMomentLeavesNoLinkHeld) {
    constexpr int step_us = 10, steps = 130;
    for (int step = 0; step < steps; ++step) {
        const auto done = test_support::in_child([step] {
            EndsBench bench;
            Process* const receiver = bench.user(3, [](Api& api) {
                const auto opened = trollius_os::precvopen(api.calls(), line, 0).get();
                std::array<std::byte, 8> room{};
                trollius_os::precv(api.calls(), opened.circuit, room).get();
            });
            bool finished = false;
            bench.user(0, [&finished](Api& api) {
                const auto opened = trollius_os::psendopen(api.calls(), NodeId(3), line, 0).get();
                const std::array<std::byte, 8> body{};
                trollius_os::psend(api.calls(), opened.circuit, body).get();
                trollius_os::psendclose(api.calls(), opened.circuit).get();
                finished = true;
            });
            bench.run_for(SimTime::us(step * step_us));
            if (receiver->state() != ProcessState::Ended) bench.box.kernel(NodeId(3)).signal(*receiver, Signal::Die);
            bench.run_for(SimTime::ms(100));
            // Without a receiver the opening waits; another one takes it.
            bench.user(3, [](Api& api) {
                const auto opened = trollius_os::precvopen(api.calls(), line, 0).get();
                std::array<std::byte, 8> room{};
                trollius_os::precv(api.calls(), opened.circuit, room).get();
            });
            bench.run_for(SimTime::ms(100));
            return finished && bench.is_free();
        });
        EXPECT_TRUE(done && *done) << "doomed after " << step * step_us << " us";
    }
}
