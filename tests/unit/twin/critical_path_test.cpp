// The critical path of machines so small that it is known to the picosecond.
#include <twin/critical_path.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include <hw_model/fiber.hpp>
#include <hw_model/machine.hpp>
#include <instrumentation/accounts.hpp>
#include <topologies/cost_table.hpp>
#include <topologies/generators.hpp>

namespace {

using hw_model::Chronicle;
using hw_model::Fiber;
using hw_model::Priority;
using twin::CriticalPath;
using twin::PathKind;
using twin::PathSegment;
using vocabulary::Account;
using vocabulary::Cycles;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;

namespace accounts = instrumentation::accounts;

constexpr Account application = trollius_os::accounts::application, probe = accounts::probe, manager = accounts::manager;
// topologies/costs/t800.yaml: cycles of 50 ns; 16 to start a process, 19 to pre-empt one, 17 to resume it; 575 ns a byte.
constexpr SimTime cycles(std::int64_t n) {
    return SimTime::ns(50 * n);
}
constexpr SimTime start = cycles(16);

// Two nodes, n0.1 wired to n1.0, whose links take so many memory cycles a word.
class Pair {
public:
    explicit Pair(std::int64_t stolen = 0) : machine_("machine", topologies::chain(2), costs(stolen), 1) {
        machine_.attach(chronicle_);
    }

    void start(std::size_t node, Priority priority, std::function<void(Fiber&)> code) {
        hw_model::Node& on = machine_.node(NodeId(static_cast<NodeId::value_type>(node)));
        fibers_.push_back(nullptr);
        const std::size_t place = fibers_.size() - 1;
        fibers_.back() =
            std::make_unique<Fiber>(priority, on.arena, [this, place, code = std::move(code)] { code(*fibers_[place]); });
        on.processor.start(*fibers_.back());
    }
    void use(Fiber& fiber, std::int64_t count, Account purpose = {}, std::uint8_t what = 0) {
        chronicle_.charge(fiber, purpose, what, Cycles(count));
        fiber.use(Cycles(count));
    }
    void send(Fiber& fiber, std::uint32_t bytes, Account account = application) {
        hw_model::LinkMessage message;
        message.channel = account == application ? hw_model::Channel::Circuit : hw_model::Channel::Datalink;
        message.account = account;
        message.wire_bytes = bytes;
        message.sender = &fiber;
        machine_.node(NodeId(0)).link(LinkNo(1))->send(message);
        while (!message.sent) fiber.wait();
    }
    void receive(Fiber& fiber, hw_model::Channel channel = hw_model::Channel::Circuit) {
        hw_model::LinkReceive request;
        request.receiver = &fiber;
        machine_.node(NodeId(1)).link(LinkNo(0))->receive(request, channel);
        while (!request.received) fiber.wait();
    }
    void end(Fiber& fiber) {
        last_ = chronicle_.last_of(fiber);
        ended_ = machine_.timeline().now();
    }
    void wake(std::size_t fiber) { machine_.node(NodeId(0)).processor.make_ready(*fibers_[fiber]); }
    void sleep(Fiber& fiber, SimTime until) {
        machine_.node(NodeId(0)).processor.wake_at(until, fiber);
        fiber.wait();
    }

    void set_purpose(Fiber& fiber, Account cause) { chronicle_.set_purpose(fiber, cause); }
    void wait_for_event(Fiber& fiber) {
        machine_.node(NodeId(0)).event.receive(fiber);
        fiber.wait();
    }
    void interrupt() { machine_.node(NodeId(0)).event.drive(hw_model::EventChannel::Source::Pin, true); }

    // Earliest segment first.
    std::vector<PathSegment> path() {
        machine_.run_until(SimTime::s(1));
        CriticalPath path(
            chronicle_, [this](CriticalPath::End) -> const hw_model::LinkTiming& { return machine_.link_timing(); },
            [](CriticalPath::End) { return std::nullopt; });
        auto segments = path.back(last_, ended_, SimTime());
        expect_whole(segments);
        return {segments.rbegin(), segments.rend()};
    }
    SimTime ended() const { return ended_; }

private:
    // Every picosecond lies in one segment.
    void expect_whole(const std::vector<PathSegment>& latest_first) const {
        SimTime until = ended_;
        for (const PathSegment& segment : latest_first) {
            EXPECT_EQ(segment.until, until);
            until = segment.from;
        }
        EXPECT_EQ(until, SimTime());
    }
    static topologies::CostTable costs(std::int64_t stolen) {
        auto table = topologies::CostTable::read(MAGICWIRE_SOURCE_DIR "/topologies/costs/t800.yaml");
        table.set("link.stolen_cycles", static_cast<double>(stolen), "test");
        return table;
    }
    Chronicle chronicle_;  // outlives the machine's activities
    hw_model::Machine machine_;
    std::vector<std::unique_ptr<Fiber>> fibers_;
    Chronicle::EntryNo last_ = Chronicle::none;
    SimTime ended_;
};

void expect_segment(const PathSegment& segment, PathKind kind, Account cause, std::uint16_t node, SimTime length) {
    EXPECT_EQ(segment.kind, kind);
    EXPECT_EQ(segment.cause, cause);
    EXPECT_EQ(segment.node, node);
    EXPECT_EQ(segment.length(), length);
}

}  // namespace

TEST(CriticalPath, OfAMessageGoesOverTheSenderTheWireAndTheReceiver) {
    Pair pair;
    pair.start(0, Priority::Low, [&](Fiber& me) {
        pair.use(me, 1000);
        pair.use(me, 160, probe, 1);
        pair.send(me, 100);
    });
    pair.start(1, Priority::Low, [&](Fiber& me) {
        pair.use(me, 10);
        pair.receive(me);
        pair.use(me, 500);
        pair.end(me);
    });
    const auto path = pair.path();
    ASSERT_EQ(path.size(), 6U);
    expect_segment(path[0], PathKind::Switch, Account(), 0, start);
    expect_segment(path[1], PathKind::Use, Account(), 0, cycles(1000));
    expect_segment(path[2], PathKind::Use, accounts::probe, 0, cycles(160));
    expect_segment(path[3], PathKind::Transfer, Account(), 0, SimTime::ns(575) * 100);
    expect_segment(path[4], PathKind::Switch, Account(), 1, start);
    expect_segment(path[5], PathKind::Use, Account(), 1, cycles(500));
    EXPECT_EQ(path[2].what, 1);
    EXPECT_EQ(path[3].link, 1);
}

TEST(CriticalPath, GoesToTheReceiverWhenThatWasLater) {
    Pair pair;
    pair.start(0, Priority::Low, [&](Fiber& me) {
        pair.use(me, 10);
        pair.send(me, 100);
    });
    pair.start(1, Priority::Low, [&](Fiber& me) {
        pair.use(me, 4000);
        pair.receive(me);
        pair.end(me);
    });
    const auto path = pair.path();
    ASSERT_EQ(path.size(), 3U);
    expect_segment(path[0], PathKind::Switch, Account(), 1, start);
    expect_segment(path[1], PathKind::Use, Account(), 1, cycles(4000));
    expect_segment(path[2], PathKind::Transfer, Account(), 0, SimTime::ns(575) * 100);
}

TEST(CriticalPath, ChargesWaitingForTheProcessorToWhoHasIt) {
    Pair pair;
    pair.start(0, Priority::Low, [&](Fiber& me) {
        pair.use(me, 1000);
        pair.end(me);
    });
    pair.start(0, Priority::High, [&](Fiber& me) {
        pair.sleep(me, SimTime::us(20));
        pair.use(me, 300, manager);
    });
    const auto path = pair.path();
    SimTime own, waited, switched_for_manager;
    for (const PathSegment& segment : path) {
        if (segment.kind == PathKind::Use) own += segment.length();
        if (segment.kind == PathKind::Processor && segment.cause == accounts::manager) waited += segment.length();
        if (segment.kind == PathKind::Switch && segment.cause == accounts::manager) switched_for_manager += segment.length();
    }
    EXPECT_EQ(own, cycles(1000));
    EXPECT_EQ(waited, cycles(300 + 2 * 19));      // with the pre-emptions at its start and when its time has come
    EXPECT_EQ(switched_for_manager, cycles(17));  // to come back after it
}

TEST(CriticalPath, ChargesWaitingForTheWireToTheMessageThatHasIt) {
    Pair pair;
    pair.start(0, Priority::High, [&](Fiber& me) {
        pair.use(me, 10);
        pair.send(me, 1000, accounts::trace_message);
    });
    pair.start(0, Priority::High, [&](Fiber& me) {
        pair.use(me, 100);
        pair.send(me, 100);
    });
    pair.start(1, Priority::High, [&](Fiber& me) { pair.receive(me, hw_model::Channel::Datalink); });
    pair.start(1, Priority::High, [&](Fiber& me) {
        pair.receive(me);
        pair.end(me);
    });
    const auto path = pair.path();
    ASSERT_EQ(path.size(), 5U);
    expect_segment(path[0], PathKind::Processor, Account(), 0, start + cycles(10));
    expect_segment(path[1], PathKind::Switch, Account(), 0, start);
    expect_segment(path[2], PathKind::Use, Account(), 0, cycles(100));
    expect_segment(path[3], PathKind::Link, accounts::trace_message, 0, SimTime::ns(575) * 1000 - start - cycles(100));
    expect_segment(path[4], PathKind::Transfer, Account(), 0, SimTime::ns(575) * 100);
}

TEST(CriticalPath, GoesFromWhoWasWokenToWhoWokeIt) {
    Pair pair;
    pair.start(0, Priority::High, [&](Fiber& me) {
        me.wait();
        pair.use(me, 50);
        pair.end(me);
    });
    pair.start(0, Priority::High, [&](Fiber& me) {
        pair.sleep(me, SimTime::us(100));
        pair.use(me, 200);
        pair.wake(0);
    });
    const auto path = pair.path();
    SimTime timer, used;
    for (const PathSegment& segment : path) {
        if (segment.kind == PathKind::Timer) timer += segment.length();
        if (segment.kind == PathKind::Use) used += segment.length();
    }
    EXPECT_EQ(used, cycles(250));
    EXPECT_EQ(timer, SimTime::us(100));
    EXPECT_EQ(pair.ended(), SimTime::us(100) + cycles(250) + start * 4);
}

TEST(CriticalPath, NamesTheWaitForAnInterrupt) {
    Pair pair;
    pair.start(0, Priority::High, [&](Fiber& me) {
        pair.set_purpose(me, accounts::backend);
        pair.wait_for_event(me);
        pair.use(me, 50, accounts::backend);
        pair.end(me);
    });
    pair.start(1, Priority::High, [&](Fiber& me) {
        pair.use(me, 300);
        pair.interrupt();
    });
    const auto path = pair.path();
    ASSERT_EQ(path.size(), 3U);
    expect_segment(path[0], PathKind::Event, accounts::backend, 0, start + cycles(300));
    expect_segment(path[1], PathKind::Switch, accounts::backend, 0, start * 2);
    expect_segment(path[2], PathKind::Use, accounts::backend, 0, cycles(50));
}

// One message of the monitor and one of the program, each of 250 words, pass while a process computes. Both are over when it is
// cut. The cycles are paid at its end all the same.
TEST(CriticalPath, ChargesMemoryCyclesToWhoseMessageTookThemHoweverOftenTheUseIsCut) {
    Pair pair(1);  // off chip: 3 cycles a word
    pair.start(0, Priority::Low, [&](Fiber& me) {
        pair.use(me, 60'000);
        pair.end(me);
    });
    for (const Account account : {accounts::trace_message, application})
        pair.start(0, Priority::High, [&, account](Fiber& me) {
            pair.sleep(me, SimTime::us(1));  // links are wired when modelled time begins, and this one cuts in at once
            pair.send(me, 1000, account);
        });
    for (const auto channel : {hw_model::Channel::Datalink, hw_model::Channel::Circuit})
        pair.start(1, Priority::High, [&, channel](Fiber& me) { pair.receive(me, channel); });
    pair.start(0, Priority::High, [&](Fiber& me) {
        for (const std::int64_t ms : {2, 3}) {
            pair.sleep(me, SimTime::ms(ms));
            pair.use(me, 100);
        }
    });
    SimTime monitors, programs;
    for (const PathSegment& segment : pair.path()) {
        if (segment.kind != PathKind::Memory) continue;
        (segment.cause == Account() ? programs : monitors) += segment.length();
    }
    EXPECT_NEAR(monitors.in_us(), 37.5, 0.5);
    EXPECT_NEAR(programs.in_us(), 37.5, 0.5);
}

// Messages of 250 words, one of each tool and one of the program, while a process computes.
TEST(CriticalPath, KeepsTheMemoryCyclesOfEachToolApart) {
    constexpr Account other_tool(12);
    Pair pair(1);
    pair.start(0, Priority::Low, [&](Fiber& me) {
        pair.use(me, 60'000);
        pair.end(me);
    });
    for (const Account account : {accounts::trace_message, other_tool, application})
        pair.start(0, Priority::High, [&, account](Fiber& me) {
            pair.sleep(me, SimTime::us(1));
            pair.send(me, 1000, account);
        });
    pair.start(1, Priority::High, [&](Fiber& me) { pair.receive(me, hw_model::Channel::Circuit); });
    pair.start(1, Priority::High, [&](Fiber& me) {
        for (int i = 0; i < 2; ++i) pair.receive(me, hw_model::Channel::Datalink);
    });
    std::map<Account, SimTime> taken;
    for (const PathSegment& segment : pair.path()) {
        if (segment.kind == PathKind::Memory) taken[segment.cause] += segment.length();
    }
    EXPECT_EQ(taken.size(), 3U);
    for (const Account account : {Account(), accounts::trace_message, other_tool})
        EXPECT_NEAR(taken[account].in_us(), 37.5, 0.5) << int{account.value()};
}

TEST(CriticalPathDeathTest, LeadsBackInTime) {
    const Chronicle nothing;
    const hw_model::LinkTiming timing{};
    CriticalPath path(
        nothing, [&timing](CriticalPath::End) -> const hw_model::LinkTiming& { return timing; },
        [](CriticalPath::End) { return std::nullopt; });
    EXPECT_DEATH(path.back(Chronicle::none, SimTime(), SimTime::us(1)), "critical_path.back.span");
}
