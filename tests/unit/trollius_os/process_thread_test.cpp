// Threads of a process: events and an id of their own, no slot, one life with their process.
#include <set>

#include <gmock/gmock.h>

#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::Error;
using trollius_os::EventNo;
using trollius_os::Message;
using trollius_os::Process;
using trollius_os::ProcessState;
using trollius_os::Signal;

namespace {

struct ThreadBench : TestMulticomputer {
    explicit ThreadBench(const topologies::CostTable& costs = test_support::standard_costs())
        : TestMulticomputer(topologies::chain(2), costs) {}
    trollius_os::Kernel& kernel() { return box.kernel(NodeId(1)); }
    Process& process(std::function<void(Api&)> code) { return *user(1, std::move(code)); }
    Process* thread(Process& of, std::function<void(Api&)> code) {
        return kernel().create({.name = "thread", .stack_bytes = 1024, .code = std::move(code), .thread_of = &of});
    }
    std::uint64_t used() { return box.machine().node(NodeId(1)).arena.used_bytes(); }
    std::string state(const Process& process) { return trollius_os::state_text(kernel().status(process)); }
    static void waits(Api& api) { api.wait(); }
    static void receives(Api& api) {
        Message message{.event = EventNo(77), .type = 3};
        api.krecv(message);
    }
};

TEST(ProcessThreads, TakeNoSlotAndAreNotListed) {
    auto costs = test_support::standard_costs();
    costs.set("kernel.process_table", 40, "test");
    ThreadBench bench(costs);
    Process& owner = bench.process(ThreadBench::waits);
    const std::size_t slots = bench.kernel().processes().size();
    std::vector<std::uint32_t> pids = {owner.pid().value()};
    for (int i = 0; i < 50; ++i) pids.push_back(bench.thread(owner, ThreadBench::waits)->pid().value());
    bench.run_for(SimTime::ms(1));
    EXPECT_EQ(bench.kernel().processes().size(), slots) << "fifty threads, and the table holds forty processes";
    EXPECT_EQ(std::set<std::uint32_t>(pids.begin(), pids.end()).size(), pids.size());
    EXPECT_EQ(bench.kernel().find(vocabulary::ProcessId(pids[9])), bench.kernel().threads()[8].get());
}

TEST(ProcessThreads, AreShownInTheLineOfTheirProcess) {
    ThreadBench bench;
    Process& owner = bench.process([](Api& api) { ThreadBench::receives(api); });
    bench.run_for(SimTime::ms(1));
    EXPECT_EQ(bench.state(owner), "BR (77, 3)");
    Process* thread = bench.thread(owner, [](Api& api) {
        api.wait();
        Message message{.event = api.process().reply_event()};
        api.krecv(message);
    });
    bench.run_for(SimTime::ms(1));
    EXPECT_EQ(bench.state(owner), "BR (77, 3)") << "the thread has not used the kernel";
    bench.box.port(NodeId(1)).wake(const_cast<trollius_os::Thread*>(thread->thread())).get();
    bench.run_for(SimTime::ms(1));
    EXPECT_EQ(bench.state(owner), "BR (-" + std::to_string(thread->pid().value()) + ", 0)") << "the last that used the kernel";
}

class EndOfThreads : public testing::TestWithParam<bool> {};

TEST_P(EndOfThreads, ComesWithTheirProcess) {
    const bool doomed = GetParam();
    ThreadBench bench;
    const std::uint64_t used = bench.used();
    Process& owner = bench.process([](Api& api) { ThreadBench::receives(api); });
    Process* waiting = bench.thread(owner, ThreadBench::waits);
    Process* receiving = bench.thread(owner, [](Api& api) {
        Message message{.event = EventNo(78)};
        api.krecv(message);
    });
    bench.run_for(SimTime::ms(1));
    if (doomed) {
        bench.kernel().signal(owner, Signal::Die);
    } else {
        bench.process([](Api& api) {
            Message message{.event = EventNo(77)};
            api.ksend(message);
        });
    }
    bench.run_for(SimTime::ms(2));
    for (const Process* ended : {&owner, waiting, receiving}) EXPECT_EQ(ended->state(), ProcessState::Ended);
    EXPECT_EQ(bench.used(), used);
    EXPECT_EQ(bench.thread(owner, ThreadBench::waits), nullptr) << "its process has ended";
    EXPECT_EQ(bench.kernel().refusal(), Error::NotProcess);
}
INSTANTIATE_TEST_SUITE_P(ByItselfAndDoomed, EndOfThreads, testing::Bool());

TEST(ProcessThreads, UseThePlacesOfEndedOnesAgain) {
    ThreadBench bench;
    Process& owner = bench.process(ThreadBench::waits);
    for (int i = 0; i < 200; ++i) {
        ASSERT_NE(bench.thread(owner, [](Api&) {}), nullptr);
        bench.run_for(SimTime::us(100));
    }
    EXPECT_EQ(bench.kernel().threads().size(), 1u);
    EXPECT_EQ(owner.state(), ProcessState::Ready) << "a thread ends alone";
}

TEST(ProcessThreads, GetTheSignalsOfTheirProcess) {
    ThreadBench bench;
    Process& owner = bench.process(ThreadBench::waits);
    Process* thread = bench.thread(owner, ThreadBench::receives);
    bench.run_for(SimTime::ms(1));
    bench.kernel().signal(owner, Signal::Arrest);
    bench.run_for(SimTime::ms(1));
    EXPECT_EQ(trollius_os::state_text(thread->status()), "<stopped>");
    bench.kernel().signal(owner, Signal::Release);
    bench.run_for(SimTime::ms(1));
    EXPECT_EQ(thread->last_event(), EventNo(77)) << "it receives again";
}

TEST(ProcessThreads, OneOfThemCanEndTheirProcess) {
    ThreadBench bench;
    Process& owner = bench.process(ThreadBench::waits);
    Process* other = bench.thread(owner, ThreadBench::waits);
    bool went_on = false;
    Process* thread = bench.thread(owner, [&](Api& api) {
        api.kdoom(owner.pid(), 4);
        went_on = true;
    });
    bench.run_for(SimTime::ms(1));
    for (const Process* ended : {&owner, other, thread}) EXPECT_EQ(ended->state(), ProcessState::Ended);
    EXPECT_FALSE(went_on);
    EXPECT_NE(bench.user(1, ThreadBench::waits), nullptr) << "the machine goes on";
    bench.run_for(SimTime::ms(1));
}

}  // namespace
