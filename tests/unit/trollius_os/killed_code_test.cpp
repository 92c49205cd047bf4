// The end of a doomed process's code: what it holds goes, its place and its memory are free, and its destructors do no harm.
#include <gmock/gmock.h>

#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

#ifdef __SANITIZE_ADDRESS__
#define MAGICWIRE_LEAKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MAGICWIRE_LEAKS 1
#endif
#endif
#ifdef MAGICWIRE_LEAKS
#include <sanitizer/lsan_interface.h>
#endif

using coroutines::Task;
using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::Calls;
using trollius_os::EventNo;
using trollius_os::LinkChannel;
using trollius_os::Message;
using trollius_os::Priority;
using trollius_os::ProcessState;
using vocabulary::LinkNo;

namespace {
constexpr EventNo never_comes{77}, comes{78};
constexpr std::uint32_t link_bytes = 4'000;  // some 2 ms on the wire

// The act of a process that is killed after 1 ms.
enum class Killed {
    BeforeItRuns,
    Computing,
    AtTheClock,
    Looking,
    AtTheEventPin,
    Receiving,
    Sending,
    OnALink,
    OfferingToALink,
    AtALink
};
constexpr Killed all_acts[] = {Killed::BeforeItRuns,    Killed::Computing, Killed::AtTheClock, Killed::Looking,
                               Killed::AtTheEventPin,   Killed::Receiving, Killed::Sending,    Killed::OnALink,
                               Killed::OfferingToALink, Killed::AtALink};
enum class By { Outside, AStack, ACoroutine, AnotherNode };
enum class Of { AStack, Coroutines };

struct Held {
    explicit Held(int& gone) : gone(&gone) {}
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() { ++*gone; }
    int* gone;
};

struct KillBench : TestMulticomputer {
    KillBench() : TestMulticomputer(topologies::chain(3)) {}

    static Task<> send(Calls& calls, LinkNo link) {
        std::vector<std::byte> body(link_bytes, std::byte{3});
        co_await calls.link_send(link, {.channel = LinkChannel::Circuit, .body = body, .wire_bytes = link_bytes});
    }
    static Task<> receive(Calls& calls, LinkNo link, bool& whole) {
        std::vector<std::byte> room(link_bytes);
        const auto got = co_await calls.link_receive(link, LinkChannel::Circuit, {.body = room});
        whole = got.body_bytes == link_bytes && room.back() == std::byte{3};
    }
    static Task<> act(Calls& calls, Killed what, int& gone) {
        const Held held(gone);
        bool whole = false;
        Message message{.event = never_comes};
        const std::function<bool()> look = [] { return false; };
        while (true) {
            if (what == Killed::Computing || what == Killed::BeforeItRuns) co_await calls.compute(SimTime::s(1));
            if (what == Killed::AtTheClock) co_await calls.port().wait_until_clock(1'000'000);
            if (what == Killed::Looking) co_await calls.port().wait_for_look(700, look);
            if (what == Killed::AtTheEventPin) co_await calls.port().wait_for_event();
            if (what == Killed::Receiving) co_await calls.krecv(message);
            if (what == Killed::Sending) co_await calls.ksend(message);
            if (what == Killed::OnALink || what == Killed::OfferingToALink) co_await send(calls, LinkNo(1));
            if (what == Killed::AtALink) co_await receive(calls, LinkNo(1), whole);
        }
    }
    trollius_os::Process* start(Killed what, Of kind, int& gone) {
        if (kind == Of::Coroutines)
            return user(1, [what, &gone](Calls& calls) -> Task<> {
                const Held held(gone);
                co_await act(calls, what, gone);
            });
        return user(1, [what, &gone](Api& api) {
            const Held held(gone);
            act(api.calls(), what, gone).get();
        });
    }
    void kill(trollius_os::Process& process, By who, SimTime after) {
        auto& kernel = box.kernel(NodeId(1));
        const std::uint16_t node = who == By::AnotherNode ? 0 : 1;
        if (who == By::Outside) {
            run_for(after);
            kernel.doom(process);
        } else if (who == By::ACoroutine) {
            user(node, [&, after](Calls& calls) -> Task<> {
                co_await calls.port().wait_until_clock(static_cast<std::uint64_t>(after.in_us()));
                co_await calls.settle();
                kernel.doom(process);
            });
        } else {
            user(node, [&, after](Api& api) {
                api.wait_until_clock(static_cast<std::uint64_t>(after.in_us()));
                api.settle();
                kernel.doom(process);
            });
        }
        run_for(SimTime::ms(20));
        EXPECT_EQ(process.state(), ProcessState::Ended);
    }
    // Nothing else lives on the node. It has room for 64 processes again.
    void expect_all_places(Of kind) {
        int places = 0, gone = 0;
        while (places < 100 && start(Killed::Receiving, kind, gone) != nullptr) ++places;
        EXPECT_EQ(places, 64);
        run_for(SimTime::ms(50));
        for (const auto& process : box.kernel(NodeId(1)).processes()) box.kernel(NodeId(1)).doom(*process);
        EXPECT_EQ(gone, 2 * 64);
    }
    std::uint64_t used() { return box.machine().node(NodeId(1)).arena.used_bytes(); }
};

}  // namespace

class KilledCode : public testing::TestWithParam<std::tuple<Killed, By, Of>> {};

TEST_P(KilledCode, IsGoneAndItsPlaceIsFree) {
    const auto [what, who, kind] = GetParam();
    KillBench bench;
    int gone = 0;
    bool whole = false;
    const std::uint64_t used = bench.used();
    if (what == Killed::OnALink)
        bench.user(2, [&](Calls& calls) -> Task<> { co_await KillBench::receive(calls, LinkNo(0), whole); });
    if (what == Killed::AtALink) bench.user(2, [](Calls& calls) -> Task<> { co_await KillBench::send(calls, LinkNo(0)); });
    auto* process = bench.start(what, kind, gone);
    if (what == Killed::BeforeItRuns && who == By::Outside) bench.box.kernel(NodeId(1)).doom(*process);
    bench.kill(*process, who, SimTime::ms(1));
    EXPECT_TRUE(gone == 2 || (what == Killed::BeforeItRuns && gone == 0)) << gone;
    EXPECT_EQ(bench.used(), used);
    EXPECT_FALSE(whole);
    // The link is as before.
    bench.user(1, [](Calls& calls) -> Task<> { co_await KillBench::send(calls, LinkNo(1)); });
    if (what != Killed::OnALink)
        bench.user(2, [&](Calls& calls) -> Task<> { co_await KillBench::receive(calls, LinkNo(0), whole); });
    bench.run_for(SimTime::ms(20));
    EXPECT_TRUE(whole);
    bench.expect_all_places(kind);
}
INSTANTIATE_TEST_SUITE_P(Everywhere, KilledCode,
                         testing::Combine(testing::ValuesIn(all_acts),
                                          testing::Values(By::Outside, By::AStack, By::ACoroutine, By::AnotherNode),
                                          testing::Values(Of::AStack, Of::Coroutines)));

// Users' way: kenyad ends them, one after the other, far more than a node has places.
class ManyDooms : public testing::TestWithParam<Of> {};

TEST_P(ManyDooms, DoNotFillANode) {
    KillBench bench;
    bench.box.start_at_once();
    trollius_os::Program waits{4'000, 1024, {}};
    if (GetParam() == Of::AStack) {
        waits.entry = [](Api& api, const trollius_os::Arguments&) {
            Message never{.event = never_comes};
            api.nrecv(never);
        };
    } else {
        waits.entry = [](Calls& calls, const trollius_os::Arguments&) -> Task<> {
            Message never{.event = never_comes};
            co_await calls.nrecv(never);
        };
    }
    bench.box.programs()["waits"] = waits;
    int made = 0;
    bench.box.host().create({"user", Priority::Low, 0, 1024, [&](Api& api) {
                                 for (int i = 0; i < 150; ++i) {
                                     const auto created = trollius_os::loadgo(api, NodeId(1), bench.box.host_id(), "waits");
                                     if (!created) return;
                                     ++made;
                                     trollius_os::doom(api, NodeId(1), created.pid);
                                 }
                             }});
    bench.run_for(SimTime::s(20));
    EXPECT_EQ(made, 150);
}
INSTANTIATE_TEST_SUITE_P(OfBothKinds, ManyDooms, testing::Values(Of::AStack, Of::Coroutines));

// Destructors that call
namespace {
struct Call {
    const char* name;
    bool loops;  // a call that waits again and again does not come back
    std::function<void(Api&)> make;
};
const Call calls_of_destructors[] = {
    {"charge", false, [](Api& api) { api.charge(SimTime::ms(1)); }},
    {"compute", false, [](Api& api) { api.compute(SimTime::ms(1)); }},
    {"settle", false, [](Api& api) { api.charge(SimTime::ms(1)), api.settle(); }},
    {"allocate", false, [](Api& api) { api.port().allocate(1000); }},
    {"wait", true,
     [](Api& api) {
         while (true) api.wait();
     }},
    {"yield", false, [](Api& api) { api.yield(); }},
    {"clock", false, [](Api& api) { api.wait_until_clock(50'000); }},
    {"look", false, [](Api& api) { api.port().wait_for_look(100, [] { return false; }).get(); }},
    {"event", false, [](Api& api) { api.port().wait_for_event().get(); }},
    {"nsend", false,
     [](Api& api) {
         Message message{.node = NodeId(1), .event = comes};
         api.nsend(message);
     }},
    {"ksend", false,
     [](Api& api) {
         Message message{.event = comes};
         api.ksend(message);
     }},
    {"ksr", false,
     [](Api& api) {
         Message message{.event = comes}, answer{.event = comes};
         api.ksr(message, answer);
     }},
    {"nrecv", false,
     [](Api& api) {
         Message message{.event = comes};
         api.nrecv(message);
     }},
    {"tsend", true,
     [](Api& api) {
         Message message{.node = NodeId(2), .event = comes};
         api.tsend(message);
     }},
    {"state", false, [](Api& api) { trollius_os::state(api, NodeId(2)); }},
    {"child", false, [](Api& api) { trollius_os::wait_for_child(api); }},
    {"link_send", false, [](Api& api) { KillBench::send(api.calls(), LinkNo(1)).get(); }},
    {"link_receive", false,
     [](Api& api) {
         bool whole = false;
         KillBench::receive(api.calls(), LinkNo(1), whole).get();
     }},
};
// Memory that is allocated meanwhile may leak.
struct Forgetting {
#ifdef MAGICWIRE_LEAKS
    explicit Forgetting(bool on) : on(on) {
        if (on) __lsan_disable();
    }
    ~Forgetting() {
        if (on) __lsan_enable();
    }
    bool on;
#else
    explicit Forgetting(bool) {}
    ~Forgetting() {}
#endif
};
void PrintTo(const Call& call, std::ostream* out) {
    *out << call.name;
}
struct Calling {
    ~Calling() {
        make(api);
        came_back = true;
    }
    Api& api;
    const std::function<void(Api&)>& make;
    bool& came_back;
};
}  // namespace

class CallOfADestructor : public testing::TestWithParam<std::tuple<Call, By>> {};

TEST_P(CallOfADestructor, DoesNothing) {
    const auto& [call, who] = GetParam();
    const Forgetting leaks(call.loops);
    KillBench bench;
    bench.box.start_at_once();
    bool came_back = false;
    int got = 0;
    bench.user(1, [&](Calls& calls) -> Task<> {  // a call that takes effect meets this one
        Message message{.event = comes};
        co_await calls.nrecv(message);
        got = message.data[0];
    });
    const std::uint64_t used = bench.used();
    auto* process = bench.user(1, [&, &make = call.make](Api& api) {
        const Calling calling{api, make, came_back};
        while (true) api.wait();
    });
    bench.kill(*process, who, SimTime::ms(10));
    EXPECT_EQ(came_back, !call.loops);
    EXPECT_EQ(std::uncaught_exceptions(), 0);
    EXPECT_EQ(bench.used(), used);
    EXPECT_EQ(got, 0);
    bench.user(1, [&](Calls& calls) -> Task<> {
        Message message{.node = NodeId(1), .event = comes, .data = {5}};
        co_await calls.nsend(message);
    });
    bench.run_for(SimTime::ms(50));
    EXPECT_EQ(got, 5);
}
INSTANTIATE_TEST_SUITE_P(Kills, CallOfADestructor,
                         testing::Combine(testing::ValuesIn(calls_of_destructors),
                                          testing::Values(By::Outside, By::AStack, By::ACoroutine)));

TEST(CallOfADestructor, OfACoroutineDoesNothingAndComesBack) {
    KillBench bench;
    bool came_back = false;
    struct Sender {
        ~Sender() {
            Message message{.event = comes};
            came_back = calls.ksend(message).get() == trollius_os::Outcome::WouldBlock &&
                        calls.krecv(message).get() == trollius_os::Outcome::WouldBlock;
            calls.compute(SimTime::ms(1)).get();
            calls.wait().get();
            KillBench::send(calls, LinkNo(1)).get();
        }
        Calls& calls;
        bool& came_back;
    };
    auto* process = bench.user(1, [&](Calls& calls) -> Task<> {
        const Sender sender{calls, came_back};
        co_await calls.wait();
        co_await calls.wait();
    });
    bench.kill(*process, By::AStack, SimTime::ms(1));
    EXPECT_TRUE(came_back);
    bench.expect_all_places(Of::Coroutines);
}

TEST(CallOfADestructor, MayKillAnotherProcess) {
    KillBench bench;
    int gone = 0;
    auto* other = bench.start(Killed::Receiving, Of::AStack, gone);
    struct Killer {
        ~Killer() { kernel.doom(other); }
        trollius_os::Kernel& kernel;
        trollius_os::Process& other;
    };
    auto* process = bench.user(1, [&](Api& api) {
        const Held held(gone);
        const Killer killer{api.kernel(), *other};
        while (true) api.wait();
    });
    bench.kill(*process, By::ACoroutine, SimTime::ms(1));
    EXPECT_EQ(gone, 3);
    EXPECT_EQ(other->state(), ProcessState::Ended);
    bench.expect_all_places(Of::AStack);
}

#ifdef NDEBUG  // otherwise Boost stops the program
TEST(KilledCode, MaySwallowItsEnd) {
    KillBench bench;
    bool went_on = false;
    auto* process = bench.user(1, [&](Api& api) {
        try {
            while (true) api.wait();
        } catch (...) {
            went_on = true;
        }
    });
    bench.kill(*process, By::AStack, SimTime::ms(1));
    EXPECT_TRUE(went_on);
    EXPECT_EQ(std::uncaught_exceptions(), 0);
    bench.expect_all_places(Of::AStack);
}
#endif

TEST(KilledCode, LeavesNoHeapBlockThatItHasAllocated) {
    KillBench bench;
    const std::uint64_t used = bench.used();
    void *of_other = nullptr, *handed_over = nullptr;
    bench.user(1, [&](Api& api) {
        of_other = api.port().allocate(500);
        while (handed_over == nullptr) api.compute(SimTime::us(10));
        api.port().release(handed_over);
        api.wait();
    });
    auto* process = bench.user(1, [&](Api& api) {
        for (int i = 0; i < 10; ++i) api.port().allocate(10'000);
        handed_over = api.port().allocate(100);
        while (true) api.wait();
    });
    bench.kill(*process, By::AnotherNode, SimTime::ms(10));
    EXPECT_EQ(bench.used(), used + 1024 + 508);  // a stack, and a block with its length
    EXPECT_EQ(bench.box.port(NodeId(1)).allocated_blocks().size(), 1u);
    bench.box.port(NodeId(1)).release(of_other);
    EXPECT_EQ(bench.used(), used + 1024);
}
