// The process table: its limit, its slots that are used again, and ids that are not.
#include <gmock/gmock.h>

#include <set>

#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::Calls;
using trollius_os::Error;
using trollius_os::EventNo;
using trollius_os::Message;
using trollius_os::ProcessState;

namespace {

struct TableBench : TestMulticomputer {
    explicit TableBench(const topologies::CostTable& costs = test_support::standard_costs())
        : TestMulticomputer(topologies::chain(2), costs) {}
    trollius_os::Kernel& kernel() { return box.kernel(NodeId(1)); }
    std::uint64_t used() { return box.machine().node(NodeId(1)).arena.used_bytes(); }
    static void waits(Api& api) { api.wait(); }
};

topologies::CostTable table_of(double nodes, double host) {
    auto costs = test_support::standard_costs();
    costs.set("kernel.process_table", nodes, "test");
    costs.set("host.process_table", host, "test");
    return costs;
}

}  // namespace

TEST(ProcessTable, IsAsBeforeAfterAThousandProcesses) {
    TableBench bench;
    std::set<std::uint32_t> pids;
    std::size_t threads = 0, ended = 0;
    const std::uint64_t used = bench.used();
    for (int i = 0; i < 1000; ++i) {
        const auto* process = i % 2 == 0 ? bench.user(1,
                                                      [&](Api& api) {
                                                          Message message{.event = api.process().reply_event()};
                                                          api.krecv(message, false);
                                                          ++ended;
                                                      })
                                         : bench.user(1, [&](Calls& calls) -> trollius_os::Task<> {
                                               co_await calls.compute(SimTime::us(10));
                                               ++ended;
                                           });
        ASSERT_NE(process, nullptr);
        EXPECT_EQ(process->pid().value() % 4, 1u);
        EXPECT_TRUE(pids.insert(process->pid().value()).second);
        bench.run_for(SimTime::us(200));
        EXPECT_EQ(process->state(), ProcessState::Ended) << "it can be looked at until the next one";
        if (i == 1) threads = bench.box.port(NodeId(1)).threads();
    }
    EXPECT_EQ(ended, 1000u);
    EXPECT_EQ(bench.kernel().processes().size(), 1u);
    EXPECT_EQ(bench.box.port(NodeId(1)).threads(), threads);
    EXPECT_EQ(bench.used(), used);
}

TEST(ProcessTable, GivesThePlacesOfDoomedProcessesBack) {
    TableBench bench;
    int destroyed = 0;
    struct Local {
        int& count;
        ~Local() { ++count; }
    };
    for (int i = 0; i < 200; ++i) {
        auto* process = i % 2 == 0 ? bench.user(1,
                                                [&](Api& api) {
                                                    const Local local{destroyed};
                                                    api.wait();
                                                })
                                   : bench.user(1, [&](Calls& calls) -> trollius_os::Task<> {
                                         const Local local{destroyed};
                                         co_await calls.wait();
                                     });
        ASSERT_NE(process, nullptr) << i;
        bench.run_for(SimTime::us(100));
        bench.kernel().doom(*process);
        EXPECT_EQ(destroyed, i + 1);
    }
    EXPECT_EQ(bench.kernel().processes().size(), 1u);
}

TEST(ProcessTable, RefusesByNameWhenItIsFull) {
    TableBench bench(table_of(40, 50));
    std::vector<trollius_os::Process*> made;
    while (auto* process = bench.user(1, TableBench::waits)) made.push_back(process);
    EXPECT_EQ(made.size(), 40u);
    EXPECT_EQ(bench.kernel().refusal(), Error::NoKernelDescriptors);
    EXPECT_STREQ(trollius_os::name_of(bench.kernel().refusal()), "ENOKDESCRIPTORS");
    EXPECT_STREQ(trollius_os::text_of(bench.kernel().refusal()), "out of process descriptors");
    const std::uint64_t used = bench.used();
    bench.kernel().doom(*made[7]);
    const auto* next = bench.user(1, TableBench::waits);
    EXPECT_EQ(next, bench.kernel().processes()[7].get());
    EXPECT_EQ(bench.used(), used);
    EXPECT_EQ(bench.user(1, TableBench::waits), nullptr);

    EXPECT_EQ(bench.kernel().create({"big", trollius_os::Priority::Low, 0, std::uint64_t{1} << 30, TableBench::waits}),
              nullptr);
    bench.kernel().doom(*bench.kernel().processes()[0]);
    EXPECT_EQ(bench.kernel().create({"big", trollius_os::Priority::Low, 0, std::uint64_t{1} << 30, TableBench::waits}),
              nullptr);
    EXPECT_EQ(bench.kernel().refusal(), Error::NoMemory);
    EXPECT_NE(bench.user(1, TableBench::waits), nullptr) << "the slot is still free";
}

TEST(ProcessTable, OfTheHostHoldsMore) {
    TableBench bench;
    const auto create = [&] {
        return bench.box.host().create({"user", trollius_os::Priority::Low, 0, 1024, TableBench::waits});
    };
    std::size_t made = 0;
    while (create() != nullptr) ++made;
    EXPECT_EQ(made, 288u);
    EXPECT_EQ(bench.box.host().refusal(), Error::NoKernelDescriptors);
}

TEST(ProcessTable, FindsNobodyByTheIdOfAnEarlierUserOfASlot) {
    TableBench bench;
    auto* first = bench.user(1, [](Api&) {});
    const auto pid = first->pid();
    bench.run_for(SimTime::ms(1));
    EXPECT_EQ(bench.kernel().find(pid), first);
    EXPECT_EQ(first->state(), ProcessState::Ended);
    auto* second = bench.user(1, TableBench::waits);
    EXPECT_EQ(bench.kernel().find(pid), nullptr);
    EXPECT_EQ(bench.kernel().find(second->pid()), second);
    EXPECT_NE(second->reply_event().value(), -static_cast<std::int32_t>(pid.value()));
}

// 297 871 workspaces fit below 2^30; then they lie a word higher.
TEST(ProcessTable, UsesNoIdTwiceForAsLongAsPossible) {
    TableBench bench;
    auto* lives = bench.user(1, TableBench::waits);
    std::vector<std::uint32_t> pids;
    for (int i = 0; i < 300'000; ++i) {
        auto* process = bench.user(1, TableBench::waits);
        pids.push_back(process->pid().value());
        bench.kernel().doom(*process);
    }
    EXPECT_LT(*std::max_element(pids.begin(), pids.end()), std::uint32_t{1} << 30);
    EXPECT_TRUE(std::all_of(pids.begin(), pids.end(), [](std::uint32_t pid) { return pid % 4 == 1; }));
    EXPECT_EQ(*std::min_element(pids.begin() + 290'000, pids.end()), lives->pid().value() + 4);
    std::sort(pids.begin(), pids.end());
    EXPECT_EQ(std::unique(pids.begin(), pids.end()), pids.end());
    EXPECT_EQ(std::count(pids.begin(), pids.end(), lives->pid().value()), 0);
}

TEST(ProcessTable, KeepsTheTimersOfAnEarlierProcessFromTheNext) {
    TableBench bench;
    trollius_os::Thread* thread = nullptr;
    const auto alarm = [&](Api& api) {
        thread = &api.port().self();
        api.wait_until_clock(api.port().clock_us(trollius_os::Priority::High) + 50'000);
    };
    bench.user(1, alarm);
    bench.run_for(SimTime::ms(1));
    bench.box.port(NodeId(1)).wake(thread).get();  // it ends long before its timer
    bench.run_for(SimTime::ms(1));
    SimTime woken;
    trollius_os::Thread* other = nullptr;
    auto* next = bench.user(1, [&](Api& api) {
        other = &api.port().self();
        api.wait();
        woken = api.port().now();
    });
    bench.run_for(SimTime::ms(100));
    EXPECT_EQ(other, thread) << "the same place";
    EXPECT_EQ(next->state(), ProcessState::Ready);
    EXPECT_EQ(woken, SimTime());
    bench.box.port(NodeId(1)).wake(other).get();
    bench.run_for(SimTime::ms(1));
    EXPECT_GT(woken, SimTime::ms(50));
}

TEST(ProcessTable, IsTheSameForProgramsThatAreLoadedOneAfterTheOther) {
    TableBench bench;
    bench.box.programs()["quick"] = {4'000, 1024,
                                     [](Api& api, const trollius_os::Arguments&) { api.compute(SimTime::us(10)); }};
    bench.box.start_at_once();
    bench.run_for(SimTime::ms(20));
    std::uint64_t used = 0;
    std::size_t slots = 0;
    bool done = false;
    bench.box.host().create({"user", trollius_os::Priority::Low, 0, 1024, [&](Api& api) {
                                 for (int i = 0; i < 60; ++i) {
                                     EXPECT_TRUE(trollius_os::loadgo(api, NodeId(1), bench.box.host_id(), "quick", {},
                                                                     trollius_os::services::rtf_wait));
                                     EXPECT_EQ(trollius_os::wait_for_child(api).status, 0);
                                     trollius_os::echo(api, NodeId(1), 1);
                                     if (i > 0) continue;
                                     used = bench.used();
                                     slots = bench.kernel().processes().size();
                                 }
                                 done = true;
                             }});
    bench.run_for(SimTime::s(10));
    EXPECT_TRUE(done);
    EXPECT_EQ(bench.kernel().processes().size(), slots);
    EXPECT_EQ(bench.used(), used);
}
