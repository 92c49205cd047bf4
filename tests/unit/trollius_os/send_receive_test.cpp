// Send-receive as one act: the caller receives from the moment that its message is taken.
#include <gmock/gmock.h>

#include "test_multicomputer.hpp"

using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::Message;
using trollius_os::Outcome;
using vocabulary::NodeId;

namespace {
constexpr EventNo service{77}, reply{78};

struct ServiceBench : TestMulticomputer {
    ServiceBench() : TestMulticomputer(topologies::chain(2)) {}

    // Takes one request after `delay`, and answers it after `thought` without waiting.
    trollius_os::Process* serve(SimTime delay, SimTime thought, int kernel_priority = 0) {
        return user(
            1,
            [this, delay, thought](Api& api) {
                api.compute(delay);
                Message request{.event = service};
                api.krecv(request);
                api.compute(thought);
                Message answer{.event = reply, .data = {request.data[0] + 1}};
                answered = api.ksend(answer, false);
            },
            kernel_priority);
    }
    trollius_os::Process* call(SimTime delay) {
        return user(1, [this, delay](Api& api) {
            api.compute(delay);
            Message request{.event = service, .data = {41}}, answer{.event = reply};
            asked = api.ksr(request, answer);
            got = answer.data[0];
        });
    }
    std::uint64_t count() { return box.kernel(NodeId(1)).rendezvous_count(); }

    std::optional<Outcome> answered, asked;
    int got = 0;
};

}  // namespace

class SendReceive : public testing::TestWithParam<std::tuple<int, int, int>> {};

TEST_P(SendReceive, IsAnsweredByAServerThatNeverWaits) {
    const auto [server, thought, client] = GetParam();
    ServiceBench bench;
    bench.serve(SimTime::us(server), SimTime::us(thought));
    bench.call(SimTime::us(client));
    bench.run_for(SimTime::ms(10));
    EXPECT_EQ(bench.answered, Outcome::Done);
    EXPECT_EQ(bench.asked, Outcome::Done);
    EXPECT_EQ(bench.got, 42);
    EXPECT_EQ(bench.count(), 2u);
}
INSTANTIATE_TEST_SUITE_P(Times, SendReceive,
                         testing::Combine(testing::Values(0, 1, 30, 500), testing::Values(0, 1, 1000),
                                          testing::Values(0, 10, 500)));

TEST(SendReceive, TakesAnAnswerThatWasOfferedBefore) {
    ServiceBench bench;
    bench.user(1, [](Api& api) {
        Message early{.event = reply, .data = {7}};
        api.ksend(early);
    });
    bench.run_for(SimTime::ms(1));
    bench.user(1, [](Api& api) {
        Message request{.event = service};
        api.krecv(request);
    });
    bench.call(SimTime());
    bench.run_for(SimTime::ms(10));
    EXPECT_EQ(bench.got, 7);
}

TEST(SendReceive, SendsNothingIfItMayNotWait) {
    ServiceBench bench;
    std::optional<Outcome> outcome;
    auto* caller = bench.user(1, [&](Api& api) {
        Message request{.event = service}, answer{.event = reply};
        outcome = api.ksr(request, answer, false);
    });
    bench.run_for(SimTime::ms(1));
    EXPECT_EQ(outcome, Outcome::WouldBlock);
    EXPECT_EQ(caller->state(), trollius_os::ProcessState::Ended);
    EXPECT_EQ(bench.count(), 0u);
    // A later plain call of another process is no half of it.
    bench.serve(SimTime(), SimTime());
    bench.call(SimTime());
    bench.run_for(SimTime::ms(10));
    EXPECT_EQ(bench.got, 42);
}

TEST(SendReceive, IsServedInTheOrderOfKernelPriority) {
    ServiceBench bench;
    std::vector<int> order;
    for (const auto& [priority, value] : {std::pair(0, 1), {5, 2}, {0, 3}}) {
        bench.user(
            1,
            [&order, v = value](Api& api) {
                Message request{.event = service, .data = {v}}, answer{.event = EventNo(100 + v)};
                api.ksr(request, answer);
                order.push_back(answer.data[0]);
            },
            priority);
    }
    bench.run_for(SimTime::ms(1));
    bench.user(1, [](Api& api) {
        for (int i = 0; i < 3; ++i) {
            Message request{.event = service};
            api.krecv(request);
            Message answer{.event = EventNo(100 + request.data[0]), .data = {request.data[0]}};
            api.ksend(answer, false);
        }
    });
    bench.run_for(SimTime::ms(10));
    EXPECT_THAT(order, testing::ElementsAre(2, 1, 3));
}

// The exception: the caller takes the message that is offered already, so it is no receiver when the server answers.
TEST(SendReceive, LosesAnAnswerWithoutWaitingWhenAnotherWasOfferedBefore) {
    ServiceBench bench;
    bench.user(1, [](Api& api) {
        Message early{.event = reply, .data = {7}};
        api.ksend(early);
    });
    bench.run_for(SimTime::ms(1));
    bench.call(SimTime());
    bench.serve(SimTime::ms(1), SimTime());
    bench.run_for(SimTime::ms(10));
    EXPECT_EQ(bench.answered, Outcome::WouldBlock);
    EXPECT_EQ(bench.got, 7);
}

TEST(SendReceive, LeavesALaterSendOfTheSameProcessAlone) {
    ServiceBench bench;
    bool sent = false;
    bench.user(1, [&](Api& api) {
        Message request{.event = service}, answer{.event = reply};
        EXPECT_EQ(api.ksr(request, answer, false), Outcome::WouldBlock);
        api.ksend(request);
        sent = true;
    });
    bench.run_for(SimTime::ms(1));
    bench.user(1, [](Api& api) {
        Message request{.event = service};
        api.krecv(request);
    });
    bench.run_for(SimTime::ms(10));
    EXPECT_TRUE(sent);
}

TEST(SendReceive, TakesAsLongAsTheTwoCalls) {
    std::vector<SimTime> busy;
    ServiceBench bench;
    for (const bool one_act : {true, false}) {
        const SimTime before = bench.box.port(NodeId(1)).busy(trollius_os::Priority::Low);
        bench.serve(SimTime(), SimTime());
        bench.user(1, [one_act](Api& api) {
            Message request{.event = service}, answer{.event = reply};
            if (one_act) {
                api.ksr(request, answer);
            } else {
                api.ksend(request);
                api.krecv(answer);
            }
            api.settle();
        });
        bench.run_for(SimTime::ms(10));
        busy.push_back(bench.box.port(NodeId(1)).busy(trollius_os::Priority::Low) - before);
    }
    EXPECT_EQ(busy[0], busy[1]);
}
