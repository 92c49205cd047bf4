// Runs a function in a child process and brings its result back, for tests that need several simulations: SystemC elaborates
// once a process. To be called before anything of SystemC is made.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <type_traits>

namespace test_support {

// Empty when the child died.
template <class Function>
auto in_child(Function function) -> std::optional<decltype(function())> {
    using Result = decltype(function());
    static_assert(std::is_trivially_copyable_v<Result>);
    int ends[2];
    if (pipe(ends) != 0) return std::nullopt;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        const Result result = function();
        const bool written = write(ends[1], &result, sizeof result) == static_cast<ssize_t>(sizeof result);
        std::fflush(stdout);
        _exit(written ? 0 : 1);
    }
    close(ends[1]);
    Result result{};
    const bool whole = read(ends[0], &result, sizeof result) == static_cast<ssize_t>(sizeof result);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!whole) return std::nullopt;
    return result;
}

}  // namespace test_support
