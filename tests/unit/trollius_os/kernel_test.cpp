// The kernel's rendez-vous: who is matched with whom, and what each side gets.
#include <gmock/gmock.h>

#include <array>
#include <vector>

#include "test_multicomputer.hpp"

using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::Message;
using trollius_os::Outcome;

namespace {
constexpr EventNo rendezvous{77};

struct KernelBench : TestMulticomputer {
    KernelBench() : TestMulticomputer(topologies::chain(2)) {}
};

}  // namespace

TEST(Kernel, MatchesSendersInTheSameOrder) {
    KernelBench bench;
    std::vector<int> got;
    for (const auto& [priority, value] : {std::pair(0, 1), {0, 2}, {9, 3}}) {
        bench.user(
            1,
            [v = value](Api& api) {
                Message message{.event = rendezvous, .data = {v}};
                api.ksend(message);
            },
            priority);
    }
    bench.run_for(SimTime::ms(1));
    bench.user(1, [&](Api& api) {
        for (int i = 0; i < 3; ++i) {
            Message message{.event = rendezvous};
            api.krecv(message);
            got.push_back(message.data[0]);
        }
    });
    bench.run_for(SimTime::ms(5));
    EXPECT_THAT(got, testing::ElementsAre(3, 1, 2));
}

TEST(Kernel, LetsTypesMeetWhenOneIsZeroOrTheyShareABit) {
    EXPECT_TRUE(trollius_os::types_meet(0, 1));
    EXPECT_TRUE(trollius_os::types_meet(6, 0));
    EXPECT_TRUE(trollius_os::types_meet(6, 2));
    EXPECT_FALSE(trollius_os::types_meet(6, 1));
}

TEST(Kernel, DoesNotBlockAReceiverThatOnlyTries) {
    KernelBench bench;
    bool went_on = false;
    bench.user(1, [&](Api& api) {
        Message message{.event = rendezvous};
        EXPECT_EQ(api.krecv(message, false), Outcome::WouldBlock);
        went_on = true;
    });
    bench.run_for(SimTime::ms(5));
    EXPECT_TRUE(went_on);
}

TEST(Kernel, AddsUpTheTimeOfRendezvousByAccount) {
    using trollius_os::Account;
    KernelBench bench;
    const Account tool(12), other(13);
    for (const auto& [account, count] : {std::pair(Account(), 2), {tool, 3}}) {
        for (int i = 0; i < count; ++i) {
            bench.user(1, [flags = trollius_os::flags::of(account)](Api& api) {
                Message message{.event = rendezvous, .flags = flags};
                api.ksend(message);
            });
        }
    }
    bench.user(1, [](Api& api) {
        for (int i = 0; i < 5; ++i) {
            Message message{.event = rendezvous};
            api.krecv(message);
        }
    });
    bench.run_for(SimTime::ms(5));
    const auto& kernel = bench.box.kernel(test_support::NodeId(1));
    const SimTime one = kernel.lasts(kernel.costs().rendezvous);
    EXPECT_EQ(kernel.rendezvous_time(tool), one * 3);
    EXPECT_EQ(kernel.rendezvous_time(Account()), one * 2);
    EXPECT_EQ(kernel.rendezvous_time(other), SimTime());
}

TEST(Kernel, NamesTheAccountThatPaysForAMessageOnItsWay) {
    using trollius_os::Account;
    using trollius_os::payer_of;
    const test_support::NodeId here(1), there(2);
    const Account tool(12);
    Message message{.node = there, .flags = trollius_os::flags::of(tool)};
    EXPECT_EQ(trollius_os::account_of(message), tool);
    EXPECT_EQ(payer_of(message, here), tool) << "made here";
    message.flags |= trollius_os::flags::from_afar;
    EXPECT_EQ(payer_of(message, here), Account(13)) << "passes through";
    EXPECT_EQ(payer_of(message, there), tool) << "has arrived";
    message.flags = trollius_os::flags::from_afar | trollius_os::flags::of(trollius_os::accounts::application);
    EXPECT_EQ(payer_of(message, here), trollius_os::accounts::system) << "the work itself is paid as one";
}

TEST(Kernel, ChargesHalfARendezvousToEachSide) {
    KernelBench bench;
    SimTime receiver_done, sender_done;
    bench.user(1, [&](Api& api) {
        Message message{.event = rendezvous};
        api.krecv(message);
        api.settle();
        receiver_done = api.port().now();
    });
    bench.user(1, [&](Api& api) {
        Message message{.event = rendezvous};
        api.ksend(message);
        api.settle();
        sender_done = api.port().now();
    });
    bench.run_for(SimTime::ms(5));
    // 60 us for both halves, and starts of a process of 0.8 us: the sender's one, then the receiver's two.
    EXPECT_EQ(sender_done, SimTime::ns(800 + 30'000));
    EXPECT_EQ(receiver_done, SimTime::ns(3 * 800 + 60'000));
}

TEST(Kernel, ForgetsAReceiverThatWasDoomed) {
    KernelBench bench;
    auto* receiver = bench.user(1, [&](Api& api) {
        Message message{.event = rendezvous};
        api.krecv(message);
        ADD_FAILURE() << "a doomed process ran";
    });
    bench.run_for(SimTime::ms(1));
    const std::uint64_t used = bench.box.machine().node(vocabulary::NodeId(1)).arena.used_bytes();
    bench.box.kernel(vocabulary::NodeId(1)).doom(*receiver);
    EXPECT_EQ(bench.box.machine().node(vocabulary::NodeId(1)).arena.used_bytes(), used - 1024);
    auto* sender = bench.user(1, [&](Api& api) {
        Message message{.event = rendezvous};
        api.ksend(message);
    });
    bench.run_for(SimTime::ms(5));
    EXPECT_EQ(sender->state(), trollius_os::ProcessState::BlockedSending);
}

TEST(Kernel, FreesTheLinkOfAReceiverThatWasDoomed) {
    KernelBench bench;
    std::array<std::byte, 4> room{}, from{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
    const auto receive = [&](Api& api) {
        api.calls().link_receive(vocabulary::LinkNo(0), trollius_os::LinkChannel::Circuit, {.header = {}, .body = room}).get();
    };
    auto* first = bench.user(1, receive);
    bench.run_for(SimTime::ms(1));
    bench.box.kernel(vocabulary::NodeId(1)).doom(*first);
    auto* second = bench.user(1, receive);
    bench.user(0, [&](Api& api) {
        api.calls()
            .link_send(vocabulary::LinkNo(1), {.channel = trollius_os::LinkChannel::Circuit, .body = from, .wire_bytes = 4})
            .get();
    });
    bench.run_for(SimTime::ms(5));
    EXPECT_EQ(second->state(), trollius_os::ProcessState::Ended);
    EXPECT_EQ(room, from);
}

TEST(Kernel, CreatesNoProcessWhenTheNodeHasNoMemoryOrNoRoomForIt) {
    KernelBench bench;
    const auto waits = [](Api& api) { api.wait(); };
    EXPECT_EQ(
        bench.box.kernel(vocabulary::NodeId(1)).create({"big", trollius_os::Priority::Low, 0, std::uint64_t{1} << 30, waits}),
        nullptr);
    std::size_t made = 0;
    while (bench.user(1, waits) != nullptr) ++made;
    EXPECT_EQ(made, hw_model::Arena::most_places);
    EXPECT_EQ(bench.box.kernel(vocabulary::NodeId(1)).processes().size(), made);
}

TEST(Kernel, HasRoomForAnyNumberOfProcessesThatEnd) {
    KernelBench bench;
    int ended = 0;
    for (int i = 0; i < 300; ++i) {
        ASSERT_NE(bench.user(1,
                             [&](Api& api) {
                                 api.charge(SimTime::us(10));
                                 api.settle();
                                 ++ended;
                             }),
                  nullptr);
        bench.run_for(SimTime::us(100));
    }
    EXPECT_EQ(ended, 300);
}

TEST(Kernel, GivesEveryProcessAnIdThatIsOneModuloFourAndItsNegativeAsReplyEvent) {
    KernelBench bench;
    for (int i = 0; i < 5; ++i) {
        const auto* process = bench.user(1, [](Api&) {});
        EXPECT_EQ(process->pid().value() % 4, 1u);
        EXPECT_EQ(process->reply_event().value(), -static_cast<std::int32_t>(process->pid().value()));
    }
}
