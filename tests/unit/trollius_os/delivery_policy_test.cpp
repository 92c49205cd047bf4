// The order of deliveries under a policy: first come, shuffled by a seed, or held back. The nodes of one machine take different
// policies, and run the same program.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "shuffled_delivery.hpp"
#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::ShuffledDelivery;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::DeliveryPolicy;
using trollius_os::EventNo;
using trollius_os::Message;
using trollius_os::Process;

namespace {

constexpr EventNo rendezvous_point{77};
constexpr int senders = 8;

// Processes of a node send one number each; a last one receives them all.
struct Meetings : TestMulticomputer {
    explicit Meetings(std::size_t nodes) : TestMulticomputer(topologies::chain(nodes)) {}

    void policy(std::uint16_t node, DeliveryPolicy* policy) { box.kernel(NodeId(node)).set_delivery(policy); }
    void sender(std::uint16_t node, int value, int kernel_priority = 0, std::int32_t type = 0) {
        const auto send = [value, type](Api& api) {
            Message message{.event = rendezvous_point, .type = type, .data = {value}};
            api.ksend(message);
        };
        user(node, send, kernel_priority);
    }
    void eight_senders(std::uint16_t node) {
        for (int value = 0; value < senders; ++value) sender(node, value);
    }
    void receiver(std::uint16_t node, std::int32_t type = 0) {
        user(node, [this, node, type](Api& api) {
            while (true) {
                Message message{.event = rendezvous_point, .type = type};
                api.krecv(message);
                got[node].push_back(message.data[0]);
            }
        });
    }
    void run() { run_for(SimTime::ms(5)); }

    std::map<std::uint16_t, std::vector<int>> got;
};

// Takes the second that came, and nobody while there is only one.
struct SecondCome final : DeliveryPolicy {
    std::optional<std::size_t> choose(const Process& caller, std::span<Process* const> candidates) override {
        asked_by.push_back(caller.name());
        return candidates.size() < 2 ? std::nullopt : std::optional<std::size_t>(1);
    }
    std::vector<std::string> asked_by;
};

}  // namespace

TEST(DeliveryPolicy, FirstComeIsWhatAKernelWithoutAPolicyDoes) {
    Meetings bench(2);
    trollius_os::FirstCome first_come;
    bench.policy(1, &first_come);
    for (const std::uint16_t node : {0, 1}) bench.eight_senders(node);
    bench.run();
    for (const std::uint16_t node : {0, 1}) bench.receiver(node);
    bench.run();
    EXPECT_THAT(bench.got[0], testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    EXPECT_EQ(bench.got[1], bench.got[0]);
    const auto counted = [&](std::uint16_t node) { return bench.box.kernel(NodeId(node)).rendezvous_count(); };
    EXPECT_EQ(counted(1), counted(0));
}

TEST(DeliveryPolicy, ShuffledOrdersDifferBetweenSeedsAndRepeatForOneSeed) {
    constexpr std::uint16_t seeds = 6;
    Meetings bench(2 * seeds);  // two nodes a seed
    std::vector<ShuffledDelivery> policies;
    for (std::uint16_t node = 0; node < 2 * seeds; ++node) policies.emplace_back(node / 2);
    for (std::uint16_t node = 0; node < 2 * seeds; ++node) {
        bench.policy(node, &policies[node]);
        bench.eight_senders(node);
    }
    bench.run();
    for (std::uint16_t node = 0; node < 2 * seeds; ++node) bench.receiver(node);
    bench.run();
    std::set<std::vector<int>> orders;
    for (std::uint16_t seed = 0; seed < seeds; ++seed) {
        const std::vector<int>& order = bench.got[2 * seed];
        EXPECT_EQ(bench.got[2 * seed + 1], order) << "seed " << seed;
        EXPECT_THAT(order, testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6, 7)) << "each message once";
        EXPECT_EQ(policies[2 * seed].choices(), senders - 1U);
        orders.insert(order);
    }
    EXPECT_EQ(orders.size(), seeds);
}

TEST(DeliveryPolicy, IsAskedForReceiversToo) {
    Meetings bench(1);
    SecondCome second;
    bench.policy(0, &second);
    std::vector<std::string> order;
    for (const char* name : {"first", "second"}) {
        bench.user(0, [&order, name](Api& api) {
            Message message{.event = rendezvous_point};
            api.krecv(message);
            order.emplace_back(name);
        });
    }
    bench.run();
    bench.sender(0, 1);
    bench.run();
    EXPECT_THAT(order, testing::ElementsAre("second"));
}

TEST(DeliveryPolicy, CannotPreferALowerKernelPriority) {
    Meetings bench(1);
    ShuffledDelivery shuffled(1);
    bench.policy(0, &shuffled);
    for (int value = 0; value < senders; ++value) bench.sender(0, value, value % 2);
    bench.run();
    bench.receiver(0);
    bench.run();
    ASSERT_EQ(bench.got[0].size(), std::size_t{senders});
    EXPECT_TRUE(std::is_partitioned(bench.got[0].begin(), bench.got[0].end(), [](int value) { return value % 2 == 1; }));
}

TEST(DeliveryPolicy, SeesOnlyCandidatesWhoseTypesMeet) {
    Meetings bench(1);
    SecondCome second;
    bench.policy(0, &second);
    const std::int32_t types[] = {1, 2, 1, 2, 2};
    for (int value = 0; value < 5; ++value) bench.sender(0, value, 0, types[value]);
    bench.run();
    bench.receiver(0, 2);
    bench.run();
    EXPECT_THAT(bench.got[0], testing::ElementsAre(3, 4)) << "of 1, 3 and 4; the last is alone and waits";
}

TEST(DeliveryPolicy, HoldsBackAProcessUntilAnotherCandidateCame) {
    Meetings bench(1);
    SecondCome second;
    bench.policy(0, &second);
    bench.sender(0, 1);
    bench.run();
    bench.receiver(0);
    bench.run();
    EXPECT_TRUE(bench.got[0].empty()) << "the only sender is not taken, and both wait";
    EXPECT_THAT(second.asked_by, testing::ElementsAre("user"));
    bench.policy(0, nullptr);
    bench.sender(0, 2);
    bench.run();
    EXPECT_THAT(bench.got[0], testing::ElementsAre(2, 1)) << "the waiting receiver meets the new sender, then the old one";
}

TEST(DeliveryPolicy, StopsTheProgramWhenItChoosesNoCandidate) {
    struct Wrong final : DeliveryPolicy {
        std::optional<std::size_t> choose(const Process&, std::span<Process* const> candidates) override {
            return candidates.size();
        }
    } wrong;
    Meetings bench(1);
    bench.policy(0, &wrong);
    bench.sender(0, 1);
    bench.run();
    EXPECT_DEATH(bench.receiver(0), "kernel.delivery.choice");
}
