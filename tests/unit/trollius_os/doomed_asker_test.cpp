// A process that is doomed while a server has its question, or its answer. The servers of the node go on.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::Message;
using trollius_os::ProcessState;

namespace {
constexpr EventNo asked_for{77}, not_asked_for{78};

struct AskerBench : TestMulticomputer {
    AskerBench() : TestMulticomputer(topologies::chain(3)) {
        box.start_at_once();
        run_for(SimTime::ms(20));
    }
    void send(std::uint16_t from, std::uint16_t to, EventNo event) {
        user(from, [=](Api& api) {
            Message message{.node = NodeId(to), .event = event, .data = {7}};
            api.nsend(message);
        });
    }
    // Keeps the processor from the servers for some time.
    void compute(std::uint16_t node) {
        user(node, [](Api& api) { api.compute(SimTime::ms(5)); });
    }
    std::optional<int> receive(std::uint16_t node, EventNo event) {
        std::optional<int> got;
        user(node, [&, event](Api& api) {
            Message message{.event = event};
            api.nrecv(message);
            got = message.data[0];
        });
        run_for(SimTime::ms(100));
        return got;
    }
    // Bufferd is busy when the question comes, so it takes the question itself. Then it offers the message before the asker
    // receives.
    trollius_os::Process* ask_for_a_stored_message() {
        send(0, 1, asked_for);
        run_for(SimTime::ms(20));
        send(1, 1, not_asked_for);
        auto* asker = user(1, [](Api& api) {
            Message message{.event = asked_for};
            api.nrecv(message);
        });
        compute(1);
        return asker;
    }
    const trollius_os::Process& service(std::uint16_t node, const char* name) {
        const auto& all = box.kernel(NodeId(node)).processes();
        return **std::find_if(all.begin(), all.end(), [name](const auto& p) { return p->name() == name; });
    }
    // A new process of `from` can send to a new one of `to`.
    bool works(std::uint16_t from, std::uint16_t to) {
        send(from, to, EventNo(555));
        return receive(to, EventNo(555)).has_value();
    }
    // Another node dooms it, so the time is exact: a run may have stopped behind the time of the last event.
    void doom_when(std::function<bool(int us)> comes, trollius_os::Process& process) {
        user(2, [this, comes = std::move(comes), &process](Api& api) {
            for (int us = 0; !comes(us); us += 10) api.compute(SimTime::us(10));
            box.kernel(NodeId(1)).doom(process);
        });
        run_for(SimTime::ms(40));
        EXPECT_EQ(process.state(), ProcessState::Ended);
    }
    void doom_at(int delay_us, trollius_os::Process& process) {
        doom_when([delay_us](int us) { return us >= delay_us; }, process);
    }
};

}  // namespace

// The doom comes at any time between a question and the answer to it.
class DoomedAsker : public testing::TestWithParam<int> {};

TEST_P(DoomedAsker, DoesNotHangTheRouter) {
    AskerBench bench;
    auto* asker = bench.user(1, [](Api& api) {
        Message message{.node = NodeId(2), .event = asked_for};
        api.nsend(message);
    });
    bench.compute(1);
    bench.doom_at(GetParam(), *asker);
    EXPECT_TRUE(bench.works(1, 2));
}

TEST_P(DoomedAsker, DoesNotHangTheBuffers) {
    AskerBench bench;
    auto* asker = bench.ask_for_a_stored_message();
    bench.doom_at(GetParam(), *asker);
    EXPECT_TRUE(bench.works(0, 1));
}

TEST_P(DoomedAsker, DoesNotHangTheBuffersByAQueryAboutThePool) {
    AskerBench bench;
    bench.send(1, 1, not_asked_for);
    auto* asker = bench.user(1, [](Api& api) { trollius_os::buffer_state(api, NodeId(1)); });
    bench.compute(1);
    bench.doom_at(GetParam(), *asker);
    EXPECT_TRUE(bench.works(0, 1));
}
INSTANTIATE_TEST_SUITE_P(At, DoomedAsker, testing::Range(10, 6000, 230));

TEST(DoomedAskerOfTheBuffers, LeavesItsMessageInThem) {
    AskerBench bench;
    auto* asker = bench.ask_for_a_stored_message();
    const auto offers = [&](int) { return bench.service(1, "bufferd").state() == ProcessState::BlockedSending; };
    bench.doom_when(offers, *asker);
    EXPECT_EQ(bench.receive(1, asked_for), 7);
    EXPECT_FALSE(bench.receive(1, asked_for));
}
