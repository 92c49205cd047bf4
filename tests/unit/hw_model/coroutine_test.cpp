// Coroutine: an Activity without a stack, held against a Fiber with the same demands.
#include <hw_model/coroutine.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hw_bench.hpp"

using coroutines::Task;
using hw_model::Coroutine;
using hw_test::Cycles;
using hw_test::LoneProcessor;
using hw_test::Priority;

namespace {

// A bench with one of each kind: a fiber of low priority that is cut, and the activity that cuts it.
class Cut {
public:
    Cut() {
        bench.start(Priority::Low, [this] {
            bench.use(1000);
            bench.note("low");
        });
    }
    void with_fiber() {
        hw_model::Fiber* self = nullptr;
        self = &bench.start(Priority::High, [&] {
            for (int i = 0; i < 3; ++i) {
                bench.use(20 + i);
                bench.processor.wake_at(bench.timeline.now() + bench.cycles(100), *self);
                bench.wait();
                bench.yield();
                bench.note("high");
            }
        });
        bench.run();
    }
    void with_coroutine() {
        Coroutine coroutine(Priority::High, [this] { return code(); });
        self_ = &coroutine;
        bench.processor.start(coroutine);
        bench.run();
        EXPECT_TRUE(coroutine.ended());
    }
    LoneProcessor bench;

private:
    Task<> code() {
        for (int i = 0; i < 3; ++i) {
            co_await work(20 + i);
            bench.note("high");
        }
    }
    Task<> work(std::int64_t cycles) {
        co_await self_->use(Cycles(cycles));
        bench.processor.wake_at(bench.timeline.now() + bench.cycles(100), *self_);
        co_await self_->wait();
        co_await self_->yield();
    }
    Coroutine* self_ = nullptr;
};

}  // namespace

TEST(Coroutine, IsScheduledAsAFiberIs) {
    struct Run {
        std::vector<std::pair<std::string, vocabulary::SimTime>> log;
        std::uint64_t dispatches = 0;
    } fiber, coroutine;
    const auto seen = [](const Cut& cut) { return Run{cut.bench.log, cut.bench.processor.totals().dispatches}; };
    {
        Cut cut;
        cut.with_fiber();
        fiber = seen(cut);
    }
    {
        Cut cut;
        cut.with_coroutine();
        coroutine = seen(cut);
    }
    EXPECT_EQ(fiber.log.size(), 4U);
    EXPECT_EQ(fiber.log, coroutine.log);
    EXPECT_EQ(fiber.dispatches, coroutine.dispatches);
}

TEST(Coroutine, PassesAnExceptionOfItsCodeToWhoRunsTheProcessor) {
    LoneProcessor bench;
    Coroutine coroutine(Priority::High, [&]() -> Task<> {
        co_await coroutine.use(Cycles(1));
        throw std::logic_error("out");
    });
    bench.processor.start(coroutine);
    EXPECT_THROW(bench.run(), std::logic_error);
}

TEST(Coroutine, DestroysItsLocalsWhenItIsDestroyedInMidWait) {
    struct Guard {
        bool& gone;
        ~Guard() { gone = true; }
    };
    bool gone = false;
    LoneProcessor bench;
    {
        Coroutine coroutine(Priority::High, [&]() -> Task<> {
            const Guard guard{gone};
            co_await coroutine.wait();
        });
        bench.processor.start(coroutine);
        EXPECT_FALSE(gone);
        bench.processor.stop(coroutine);
    }
    EXPECT_TRUE(gone);
}

TEST(CoroutineDeathTest, ADemandThatIsNotAwaitedIsABrokenContract) {
    LoneProcessor bench;
    Coroutine coroutine(Priority::High, [&]() -> Task<> {
        static_cast<void>(coroutine.use(Cycles(1)));
        co_await coroutine.wait();
    });
    EXPECT_DEATH(bench.processor.start(coroutine), "stackless.demand.not_awaited");
}

TEST(CoroutineDeathTest, UsingANegativeTimeIsABrokenContract) {
    LoneProcessor bench;
    Coroutine coroutine(Priority::High, [&]() -> Task<> { co_await coroutine.use(Cycles(-1)); });
    EXPECT_DEATH(bench.processor.start(coroutine), "coroutine.use.negative");
}

TEST(Coroutine, UsingNoTimeIsNoDemand) {
    LoneProcessor bench;
    bool ended = false;
    Coroutine coroutine(Priority::High, [&]() -> Task<> {
        co_await coroutine.use(Cycles(0));
        ended = true;
    });
    bench.processor.start(coroutine);
    EXPECT_TRUE(ended);
}

TEST(CoroutineDeathTest, WaitingForNothingIsABrokenContract) {
    LoneProcessor bench;
    Coroutine coroutine(Priority::High, []() -> Task<> { co_await std::suspend_always{}; });
    EXPECT_DEATH(bench.processor.start(coroutine), "stackless.resume.waits_for_nothing");
}

TEST(Stackless, AWaitForAFlagEndsOnlyWhenItIsTrue) {
    bool flag = false;
    int ran = 0;
    struct Step {
        hw_model::Stackless& code;
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> waiting) const noexcept { code.wait_in(waiting); }
        void await_resume() const noexcept {}
    };
    hw_model::Stackless code([&]() -> Task<> {
        ++ran;
        code.wait_until(flag);
        co_await Step{code};
        ++ran;
    });
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(code.resume().kind, hw_model::Demand::Kind::Wait);
        EXPECT_EQ(ran, 1);
    }
    flag = true;
    EXPECT_EQ(code.resume().kind, hw_model::Demand::Kind::End);
    EXPECT_EQ(ran, 2);
}
