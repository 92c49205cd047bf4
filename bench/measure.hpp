// Shared by the simulation benchmarks: wall time, resident memory, and a child process for each measurement. The child is
// needed because SystemC elaborates once a process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <type_traits>
#include <vector>

namespace bench {

using Clock = std::chrono::steady_clock;

inline double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Processor time of this process, which varies less than wall time while other jobs run.
inline double cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Resident memory; 0 if the host does not report it.
inline double resident_megabytes() {
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr) return 0;
    long pages = 0, resident = 0;
    const int got = std::fscanf(file, "%ld %ld", &pages, &resident);
    std::fclose(file);
    return got == 2 ? static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) * 1e-6 : 0;
}

// Runs a function in a child process and returns its figures. A child that fails ends the benchmark with exit code 1.
template <class Function>
auto in_child(const char* name, Function function) -> decltype(function()) {
    using Result = decltype(function());
    static_assert(std::is_trivially_copyable_v<Result>);
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const Result result = function();
        std::fflush(stdout);
        _exit(write(ends[1], &result, sizeof result) == static_cast<ssize_t>(sizeof result) ? 0 : 1);
    }
    close(ends[1]);
    Result result{};
    const bool whole = read(ends[0], &result, sizeof result) == static_cast<ssize_t>(sizeof result);
    close(ends[0]);
    waitpid(child, nullptr, 0);
    if (!whole) {
        std::fprintf(stderr, "%s failed\n", name);
        std::exit(1);
    }
    return result;
}

// Parses [--repeat N] [NAME ...], the arguments of every program of this folder.
struct Options {
    int repeat = 3;
    std::vector<std::string> wanted;

    Options(int argc, char** argv) {
        for (int i = 1; i < argc; ++i) {
            if (std::strcmp(argv[i], "--repeat") == 0 && i + 1 < argc) {
                repeat = std::atoi(argv[++i]);
            } else {
                wanted.emplace_back(argv[i]);
            }
        }
        if (repeat < 1) repeat = 1;
    }
    bool wants(const char* name) const {
        for (const std::string& word : wanted) {
            if (word == name) return true;
        }
        return wanted.empty();
    }
};

}  // namespace bench
