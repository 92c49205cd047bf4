// Task: calls that may wait, resumed by hand.
#include <coroutines/task.hpp>

#include <gmock/gmock.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using coroutines::Task;
using testing::ElementsAre;

std::coroutine_handle<> waiting;

struct Wait {
    bool over = false;
    bool await_ready() const noexcept { return over; }
    void await_suspend(std::coroutine_handle<> innermost) const noexcept { waiting = innermost; }
    void await_resume() const noexcept {}
};

struct Note {
    std::vector<std::string>& log;
    std::string what;
    ~Note() { log.push_back("end of " + what); }
};

class Calls : public testing::Test {
protected:
    Task<int> count(int waits) {
        Note note{log, "count"};
        for (int i = 0; i < waits; ++i) co_await Wait{};
        co_return waits;
    }
    Task<int> twice(int waits) {
        Note note{log, "twice"};
        const int first = co_await count(waits);
        const int second = co_await count(waits);
        co_return first + second;
    }
    Task<> fail(int waits) {
        Note note{log, "fail"};
        for (int i = 0; i < waits; ++i) co_await Wait{};
        throw std::logic_error("out");
    }
    Task<std::string> survive(int waits) {
        std::string caught = "nothing";
        try {
            co_await fail(waits);
        } catch (const std::logic_error& error) {
            caught = error.what();
        }
        co_return caught;
    }
    Task<std::unique_ptr<int>> pass(std::unique_ptr<int> value, bool waits) {
        if (waits) co_await Wait{};
        co_return value;
    }
    Task<int> pass_on(std::unique_ptr<int> value, bool waits) {
        const std::unique_ptr<int> back = co_await pass(std::move(value), waits);
        co_return *back;
    }
    static Task<int> at_once(int value) { return value; }
    static Task<> nothing() { return {}; }
    Task<int> of_tasks_that_are_over() {
        co_await nothing();
        const int value = co_await at_once(3);
        co_return value + 1;
    }

    // Returns how often it had to be resumed.
    template <class Result>
    static int run(Task<Result>& task) {
        int resumed = 0;
        for (; !task.done(); ++resumed) waiting.resume();
        return resumed;
    }
    std::vector<std::string> log;
};

}  // namespace

TEST_F(Calls, ThatDoNotWaitAreOverAtOnce) {
    EXPECT_EQ(twice(0).get(), 0);
    EXPECT_EQ(of_tasks_that_are_over().get(), 4);
    EXPECT_THROW(fail(0).get(), std::logic_error);
}

TEST_F(Calls, GoOnWhereTheyWait) {
    Task<int> task = twice(3);
    EXPECT_FALSE(task.done());
    EXPECT_EQ(run(task), 6);
    EXPECT_EQ(task.get(), 6);
    EXPECT_THAT(log, ElementsAre("end of count", "end of count", "end of twice"));
}

TEST_F(Calls, PassTheirExceptionToTheCaller) {
    for (const int waits : {0, 2}) {
        Task<std::string> task = survive(waits);
        EXPECT_EQ(run(task), waits);
        EXPECT_EQ(task.get(), "out");
    }
}

TEST_F(Calls, TakeAndReturnWhatCanOnlyBeMoved) {
    for (const bool waits : {false, true}) {
        Task<int> task = pass_on(std::make_unique<int>(7), waits);
        run(task);
        EXPECT_EQ(task.get(), 7);
    }
}

TEST_F(Calls, DestroyTheirLocalsWhenTheyAreDestroyedInMidWait) {
    {
        Task<int> task = twice(2);
        waiting.resume();
        EXPECT_THAT(log, testing::IsEmpty());
    }
    EXPECT_THAT(log, ElementsAre("end of count", "end of twice"));
}

TEST_F(Calls, CanBeMovedWhileTheyWait) {
    Task<int> from = count(1);
    Task<int> to = std::move(from);
    EXPECT_EQ(run(to), 1);
    EXPECT_EQ(to.get(), 1);
}

TEST_F(Calls, HaveNoResultWhileTheyWait) {
    Task<int> task = count(1);
    EXPECT_DEATH(task.get(), "task.get.waits");
}

TEST(FramePool, GivesTheBlockThatCameBackLast) {
#ifdef MAGICWIRE_FRAMES_OF_HOST
    GTEST_SKIP() << "AddressSanitizer has every frame from the host";
#endif
    for (const std::size_t bytes : {1U, 100U, 2000U}) {
        void* first = coroutines::FramePool::take(bytes);
        void* second = coroutines::FramePool::take(bytes);
        EXPECT_NE(first, second);
        coroutines::FramePool::give_back(second, bytes);
        coroutines::FramePool::give_back(first, bytes);
        EXPECT_EQ(coroutines::FramePool::take(bytes), first);
        EXPECT_EQ(coroutines::FramePool::take(bytes), second);
        coroutines::FramePool::give_back(first, bytes);
        coroutines::FramePool::give_back(second, bytes);
    }
}

TEST(FramePool, TakesLargeBlocksFromTheHost) {
    void* block = coroutines::FramePool::take(100'000);
    ASSERT_NE(block, nullptr);
    coroutines::FramePool::give_back(block, 100'000);
}
