// Task: a call that may wait, as a C++20 coroutine. It runs at once, on the caller's stack, until it first waits. A call that
// does not wait is over when it returns. Otherwise the caller waits for it by co_await, and goes on when it ends.
//
// Something outside (a process) resumes the innermost coroutine, the one that waits. Its end resumes its caller, and so on.
// Depth of the host's stack: at most one level for each level of calls that wait.
//
// A function that is no coroutine can return a Task that is over: `return {};`, or its result. That costs no frame.
//
// A caller with a stack of its own can use get(), if everything that waits inside waits by changing that stack.
// An exception goes on in the caller. A Task that is destroyed while it waits destroys its locals, innermost first.
//
// Never await in the condition of an `if`: g++ 12 destroys the Task twice. Take the result into a variable first
// (scripts/layering looks for it).
//
// Cost: one frame from the FramePool a call.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include <coroutines/frame_pool.hpp>
#include <vocabulary/contract.hpp>

namespace coroutines {

template <class Result = void>
class Task;

namespace detail {

struct AnyPromise {
    std::coroutine_handle<> caller = std::noop_coroutine();
    std::exception_ptr failure;

    struct End {
        bool await_ready() const noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
            return ended.promise().caller;
        }
        void await_resume() const noexcept {}
    };

    std::suspend_never initial_suspend() const noexcept { return {}; }
    End final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { failure = std::current_exception(); }

    static void* operator new(std::size_t bytes) { return FramePool::take(bytes); }
    static void operator delete(void* frame, std::size_t bytes) { FramePool::give_back(frame, bytes); }
};

template <class Result>
struct Promise : AnyPromise {
    std::optional<Result> result;

    Task<Result> get_return_object() noexcept;
    void return_value(Result value) { result.emplace(std::move(value)); }
    Result take() { return std::move(*result); }
};

template <>
struct Promise<void> : AnyPromise {
    Task<void> get_return_object() noexcept;
    void return_void() const noexcept {}
    void take() const noexcept {}
};

}  // namespace detail

template <class Result>
class [[nodiscard]] Task {
    struct Nothing {};
    using AtOnce = std::conditional_t<std::is_void_v<Result>, Nothing, Result>;

public:
    using promise_type = detail::Promise<Result>;

    Task() requires(std::is_void_v<Result>) = default;
    Task(AtOnce result) requires(!std::is_void_v<Result>) : at_once_(std::move(result)) {}
    explicit Task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
    Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)), at_once_(std::move(other.at_once_)) {}
    Task& operator=(Task&& other) noexcept {
        std::swap(frame_, other.frame_);
        std::swap(at_once_, other.at_once_);
        return *this;
    }
    ~Task() {
        if (frame_) frame_.destroy();
    }

    bool done() const noexcept { return !frame_ || frame_.done(); }
    // Its result, or its exception. It must be over.
    Result get() {
        EXPECTS(done(), "task.get.waits");
        return await_resume();
    }

    bool await_ready() const noexcept { return done(); }
    void await_suspend(std::coroutine_handle<> caller) noexcept { frame_.promise().caller = caller; }
    Result await_resume() {
        if constexpr (std::is_void_v<Result>) {
            if (!frame_) return;
        } else {
            if (!frame_) return std::move(*at_once_);
        }
        if (frame_.promise().failure) [[unlikely]]
            std::rethrow_exception(std::exchange(frame_.promise().failure, nullptr));
        return frame_.promise().take();
    }

private:
    std::coroutine_handle<promise_type> frame_;
    [[no_unique_address]] std::conditional_t<std::is_void_v<Result>, Nothing, std::optional<Result>> at_once_;
};

namespace detail {

template <class Result>
Task<Result> Promise<Result>::get_return_object() noexcept {
    return Task<Result>(std::coroutine_handle<Promise>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() noexcept {
    return Task<void>(std::coroutine_handle<Promise>::from_promise(*this));
}

}  // namespace detail

}  // namespace coroutines
