// The end of a process: doomed in the middle of an act, doomed by kenyad, and told to who waits for it.
#include <gmock/gmock.h>

#include <algorithm>

#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::ChildEnd;
using trollius_os::Doomed;
using trollius_os::EventNo;
using trollius_os::Message;
using trollius_os::ProcessState;

namespace {
constexpr EventNo never_sent{77};

struct DoomBench : TestMulticomputer {
    DoomBench() : TestMulticomputer(topologies::chain(3)) {
        box.programs()["quick"] = {4'000, 1024, [](Api& api, const trollius_os::Arguments&) { api.compute(SimTime::ms(1)); }};
        box.programs()["waits"] = {4'000, 1024, [](Api& api, const trollius_os::Arguments&) {
                                       Message never{.event = never_sent};
                                       api.nrecv(never);
                                   }};
        box.start_at_once();
        run_for(SimTime::ms(20));
    }
    void on_host(const std::function<void(Api&)>& code, SimTime limit = SimTime::s(1)) {
        bool done = false;
        box.host().create({"user", trollius_os::Priority::Low, 0, 1024, [&](Api& api) {
                               code(api);
                               done = true;
                           }});
        run_for(limit);
        EXPECT_TRUE(done);
    }
    vocabulary::ProcessId start(Api& api, const char* program, std::uint16_t node, std::int32_t flags = 0) {
        return trollius_os::loadgo(api, NodeId(node), box.host_id(), program, {}, flags).pid;
    }
    std::uint64_t used(std::uint16_t node) { return box.machine().node(NodeId(node)).arena.used_bytes(); }
};

}  // namespace

// 4096 bytes are copied for 308 us; the partner is doomed or the process that pays, at any time of it.
class DoomInARendezvous : public testing::TestWithParam<int> {};

TEST_P(DoomInARendezvous, LeavesTheReceiverWithTheMessage) {
    TestMulticomputer bench(topologies::chain(2));
    std::vector<std::byte> body(4096, std::byte{5}), room(4096);
    bool received = false;
    auto* receiver = bench.user(1, [&](Api& api) {
        Message message{.event = never_sent, .body = room};
        api.krecv(message);
        received = message.length == 4096;
        Message next{.event = never_sent};
        api.krecv(next);
    });
    bench.run_for(SimTime::us(1));
    auto* sender = bench.user(1, [&](Api& api) {
        Message message{.event = never_sent, .length = 4096, .body = body};
        api.ksend(message);
        api.compute(SimTime::s(1));
    });
    bench.run_for(SimTime::us(GetParam()));
    bench.box.kernel(NodeId(1)).doom(*sender);
    bench.run_for(SimTime::ms(10));
    EXPECT_TRUE(received);
    EXPECT_EQ(room, body);
    EXPECT_EQ(receiver->state(), ProcessState::BlockedReceiving);
}

TEST_P(DoomInARendezvous, ReleasesTheSender) {
    TestMulticomputer bench(topologies::chain(2));
    std::vector<std::byte> body(4096), room(4096);
    auto* sender = bench.user(1, [&](Api& api) {
        Message message{.event = never_sent, .length = 4096, .body = body};
        api.ksend(message);
    });
    bench.run_for(SimTime::us(32));  // it is blocked
    auto* receiver = bench.user(1, [&](Api& api) {
        Message message{.event = never_sent, .body = room};
        api.krecv(message);
        api.compute(SimTime::s(1));
    });
    bench.run_for(SimTime::us(GetParam()));
    bench.box.kernel(NodeId(1)).doom(*receiver);
    bench.run_for(SimTime::ms(10));
    EXPECT_EQ(sender->state(), ProcessState::Ended);
}

TEST_P(DoomInARendezvous, OfTheBlockedSideDoesNoHarm) {
    TestMulticomputer bench(topologies::chain(2));
    std::vector<std::byte> body(4096), room(4096);
    auto* receiver = bench.user(1, [&](Api& api) {
        Message message{.event = never_sent, .body = room};
        api.krecv(message);
        ADD_FAILURE() << "a doomed process ran";
    });
    bench.run_for(SimTime::us(1));
    auto* sender = bench.user(1, [&](Api& api) {
        Message message{.event = never_sent, .length = 4096, .body = body};
        api.ksend(message);
    });
    bench.run_for(SimTime::us(GetParam()));
    bench.box.kernel(NodeId(1)).doom(*receiver);
    bench.run_for(SimTime::ms(10));
    EXPECT_EQ(sender->state(), ProcessState::Ended);
}
INSTANTIATE_TEST_SUITE_P(At, DoomInARendezvous, testing::Values(2, 40, 200, 330));

TEST(Doom, EndsAProcessOfAnotherNodeAndGivesItsMemoryBack) {
    DoomBench bench;
    bench.on_host([&](Api& api) {
        const auto pid = bench.start(api, "waits", 2);
        const std::uint64_t with_it = bench.used(2);
        const auto is_listed = [&] {
            const auto lines = trollius_os::state(api, NodeId(2));
            return std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line.pid == pid; });
        };
        EXPECT_TRUE(is_listed());
        EXPECT_EQ(trollius_os::doom(api, NodeId(2), pid), Doomed::Done);
        EXPECT_FALSE(is_listed());
        EXPECT_EQ(bench.used(2), with_it - 1024 - 4000);  // stack and module
        EXPECT_EQ(trollius_os::doom(api, NodeId(2), pid), Doomed::NoProcess);
    });
}

TEST(Doom, IsRefusedForServicesStrangersAndNumbersThatAreNoSignal) {
    DoomBench bench;
    bench.on_host([&](Api& api) {
        const auto pid = bench.start(api, "waits", 1);
        EXPECT_EQ(trollius_os::doom(api, NodeId(1), vocabulary::ProcessId(12345)), Doomed::NoProcess);
        EXPECT_EQ(trollius_os::doom(api, NodeId(1), pid, 3), Doomed::NoSignal);
        for (const auto& line : trollius_os::state(api, NodeId(1))) {
            if (line.pid == pid) continue;
            EXPECT_EQ(trollius_os::doom(api, NodeId(1), line.pid), Doomed::Service) << line.name;
        }
    });
}

TEST(Doom, LeavesTheBuffersInOrder) {
    DoomBench bench;
    std::vector<int> got;
    bench.on_host([&](Api& api) {
        const auto pid = bench.start(api, "waits", 1);
        EXPECT_EQ(trollius_os::doom(api, NodeId(1), pid), Doomed::Done);
        for (int i = 0; i < 3; ++i) {  // for the event that the doomed process had asked for
            Message message{.node = NodeId(1), .event = never_sent, .data = {i}};
            api.nsend(message);
        }
    });
    bench.user(1, [&](Api& api) {
        for (int i = 0; i < 3; ++i) {
            Message message{.event = never_sent};
            api.nrecv(message);
            got.push_back(message.data[0]);
        }
    });
    bench.run_for(SimTime::s(1));
    EXPECT_THAT(got, testing::ElementsAre(0, 1, 2));
}

TEST(ExitNotice, TellsTheCreatorThatItsProcessHasEnded) {
    DoomBench bench;
    bench.on_host([&](Api& api) {
        const auto quick = bench.start(api, "quick", 2, trollius_os::services::rtf_wait);
        const ChildEnd end = trollius_os::wait_for_child(api);
        EXPECT_EQ(end.node, NodeId(2));
        EXPECT_EQ(end.pid, quick);
        EXPECT_EQ(end.status, 0);
        const auto waits = bench.start(api, "waits", 1, trollius_os::services::rtf_wait);
        EXPECT_EQ(trollius_os::doom(api, NodeId(1), waits), Doomed::Done);
        const ChildEnd doomed = trollius_os::wait_for_child(api);
        EXPECT_EQ(doomed.pid, waits);
        EXPECT_EQ(doomed.status, -4);
    });
}

TEST(ExitNotice, IsNotTakenForAnAnswer) {
    DoomBench bench;
    bench.on_host([&](Api& api) {
        bench.start(api, "quick", 1, trollius_os::services::rtf_wait);
        api.wait_until_clock(api.port().clock_us(trollius_os::Priority::Low) + 50'000);  // the notice is here
        EXPECT_FALSE(trollius_os::state(api, NodeId(1)).empty());
        EXPECT_EQ(trollius_os::wait_for_child(api).node, NodeId(1));
    });
}

TEST(ExitNotice, IsNotSentBecauseAnotherProcessTellsOfAnEnd) {
    DoomBench bench;
    bench.on_host([&](Api& api) {
        const auto waits = bench.start(api, "waits", 1, trollius_os::services::rtf_wait);
        const EventNo of_child(-static_cast<std::int32_t>(waits.value()));
        for (const auto& [from, caller] : {std::pair<std::uint16_t, trollius_os::services::Caller>(2, {NodeId(2), of_child}),
                                           {1, {NodeId(1), api.process().reply_event()}}}) {
            bench.user(from, [caller = caller, waits](Api& other) {
                Message ended =
                    trollius_os::services::request_to(NodeId(1), trollius_os::events::kenyad,
                                                      trollius_os::services::EndedRequest{.caller = caller, .pid = waits});
                other.nsend(ended);
            });
        }
        api.wait_until_clock(api.port().clock_us(trollius_os::Priority::Low) + 50'000);
        EXPECT_FALSE(api.nprobe(trollius_os::services::notice_event(api.process().reply_event()), 0));
        EXPECT_EQ(bench.box.kernel(NodeId(1)).dropped_damaged(), 2u);
    });
}

TEST(ExitNotice, IsSentOnce) {
    DoomBench bench;
    bench.on_host([&](Api& api) {
        const auto quick = bench.start(api, "quick", 1, trollius_os::services::rtf_wait);
        EXPECT_EQ(trollius_os::wait_for_child(api).pid, quick);
        bench.user(1, [quick](Api& other) {  // the same again
            Message ended = trollius_os::services::request_to(
                NodeId(1), trollius_os::events::kenyad,
                trollius_os::services::EndedRequest{.caller = {NodeId(1), EventNo(-static_cast<std::int32_t>(quick.value()))},
                                                    .pid = quick});
            other.nsend(ended);
        });
        api.wait_until_clock(api.port().clock_us(trollius_os::Priority::Low) + 50'000);
        EXPECT_FALSE(api.nprobe(trollius_os::services::notice_event(api.process().reply_event()), 0));
    });
}

TEST(ExitNotice, IsCountedWhenItCannotBeRead) {
    DoomBench bench;
    bench.on_host([&](Api& api) {
        bench.user(1, [to = bench.box.host_id(),
                       event = trollius_os::services::notice_event(api.process().reply_event())](Api& other) {
            Message damaged{.node = to, .event = event, .type = trollius_os::services::notice_type, .data = {0x10000}};
            other.nsend(damaged);
        });
        api.wait_until_clock(api.port().clock_us(trollius_os::Priority::Low) + 50'000);
        const auto quick = bench.start(api, "quick", 1, trollius_os::services::rtf_wait);
        EXPECT_EQ(trollius_os::wait_for_child(api).pid, quick);
        EXPECT_EQ(api.kernel().dropped_damaged(), 1u);
    });
}

// The doomed process is in the first half of a request and its answer. It does not become a receiver.
TEST_P(DoomInARendezvous, MakesNoReceiverOfAProcessThatHadAsked) {
    TestMulticomputer bench(topologies::chain(2));
    constexpr EventNo of_answer{78};
    std::vector<std::byte> body(4096), room(4096);
    auto* asker = bench.user(1, [&](Api& api) {
        Message request{.event = never_sent, .length = 4096, .body = body}, answer{.event = of_answer};
        api.ksr(request, answer);
    });
    bench.run_for(SimTime::us(32));  // it is blocked
    bool served = false;
    bench.user(1, [&](Api& api) {
        Message request{.event = never_sent, .body = room};
        api.krecv(request);
        Message answer{.event = of_answer};
        EXPECT_EQ(api.ksend(answer, false), trollius_os::Outcome::WouldBlock);
        served = true;
    });
    bench.run_for(SimTime::us(GetParam()));
    bench.box.kernel(NodeId(1)).doom(*asker);
    bench.run_for(SimTime::ms(10));
    EXPECT_TRUE(served);
}
