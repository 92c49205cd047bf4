#include <gtest/gtest.h>

#include <stdexcept>

#include "hw_bench.hpp"

using hw_test::LoneProcessor;
using hw_test::Priority;

namespace {

// Deep enough for a host stack of 64 KiB when `levels` is above 120. Asks for a cycle at the bottom, where the depth is
// checked.
int dive(LoneProcessor& bench, int levels) {
    volatile char room[512] = {};
    room[0] = static_cast<char>(levels);
    if (levels == 0) {
        bench.use(1);
        return room[0];
    }
    return dive(bench, levels - 1) + room[0];
}

}  // namespace

TEST(Fiber, RunsCodeOfModestDepth) {
    LoneProcessor bench;
    int result = -1;
    bench.start(Priority::Low, [&] { result = dive(bench, 40); });
    bench.run();
    EXPECT_NE(result, -1);
}

TEST(FiberDeathTest, AStackOverflowIsABrokenContract) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer keeps locals on stacks of its own, and finds overflows itself";
#endif
    LoneProcessor bench;
    bench.start(Priority::Low, [&] { bench.wait(); });  // its stack lies below the next one's and takes what overflows
    EXPECT_DEATH(bench.start(Priority::Low, [&] { dive(bench, 150); }), "fiber.stack_overflow");
}

TEST(FiberDeathTest, UsingANegativeTimeIsABrokenContract) {
    LoneProcessor bench;
    EXPECT_DEATH(bench.start(Priority::Low, [&] { bench.use(-1); }), "fiber.use.negative");
}

TEST(Fiber, PassesAnExceptionOfItsCodeToWhoRunsTheProcessor) {
    LoneProcessor bench;
    EXPECT_THROW(bench.start(Priority::High, [] { throw std::logic_error("out"); }), std::logic_error);
}

TEST(Fiber, UnwindsItsStackWhenItIsDestroyedBeforeItsEnd) {
    struct Guard {
        bool& gone;
        ~Guard() { gone = true; }
    };
    bool gone = false;
    {
        LoneProcessor bench;
        bench.start(Priority::High, [&] {
            Guard guard{gone};
            bench.wait();
        });
        bench.run();
        EXPECT_FALSE(gone);
    }
    EXPECT_TRUE(gone);
}

TEST(Fiber, ThrowsWhenTheNodeHasNoStackLeft) {
    LoneProcessor bench;
    const auto waits = [&] { bench.wait(); };
    for (std::size_t i = 0; i < hw_model::Arena::most_places; ++i) bench.start(Priority::Low, waits);
    EXPECT_THROW(bench.start(Priority::Low, waits), std::length_error);
}

TEST(Fiber, GivesItsStackBackWhenItsCodeHasEnded) {
    LoneProcessor bench;
    int ran = 0;
    for (std::size_t i = 0; i < 3 * hw_model::Arena::most_places; ++i) {
        bench.start(Priority::Low, [&] {
            bench.use(10);
            ++ran;
        });
        bench.run();
    }
    EXPECT_EQ(ran, static_cast<int>(3 * hw_model::Arena::most_places));
}
