// Runs a function in a child process and brings its result back, for tests that need several simulations: SystemC elaborates
// once a process. Call it before anything of SystemC is made.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <optional>
#include <type_traits>

namespace test_support {

// Empty when the child died or threw; standard error names the signal or the exception.
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
        bool written = false;
        try {  // an exception that left would go on as a second run of the test, and remove the folder of the first
            const Result result = function();
            written = write(ends[1], &result, sizeof result) == static_cast<ssize_t>(sizeof result);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "in a child process: %s\n", error.what());
        }
        std::fflush(stdout);
        _exit(written ? 0 : 1);
    }
    close(ends[1]);
    Result result{};
    const bool whole = read(ends[0], &result, sizeof result) == static_cast<ssize_t>(sizeof result);
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) std::fprintf(stderr, "a child process was ended by signal %d\n", WTERMSIG(status));
    if (!whole) return std::nullopt;
    return result;
}

}  // namespace test_support
