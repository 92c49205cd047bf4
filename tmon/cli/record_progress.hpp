// One line on standard error for commands that go through a trace, and Ctrl-C; see progress_line.hpp for those that simulate.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include <unistd.h>

#include <fmt/format.h>

#include "interrupt.hpp"

namespace tmon_cli {

class RecordProgress {
public:
    RecordProgress(const std::string& mode, const char* what)
        : what_(what), on_(mode == "always" || (mode == "auto" && isatty(STDERR_FILENO) != 0)) {}
    RecordProgress(const RecordProgress&) = delete;
    RecordProgress& operator=(const RecordProgress&) = delete;
    ~RecordProgress() {
        if (drawn_) std::fputs("\r\033[K", stderr);
    }
    std::function<bool(std::uint64_t, std::uint64_t)> callback() {
        return [this](std::uint64_t done, std::uint64_t of) {
            if (on_) draw(done, of);
            return interrupted == 0;
        };
    }

private:
    void draw(std::uint64_t done, std::uint64_t of) {
        const auto now = std::chrono::steady_clock::now();
        if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;
        last_ = now;
        drawn_ = true;
        std::fputs(fmt::format("\r\033[K{} {} of {} records", what_, done, of).c_str(), stderr);
        std::fflush(stderr);
    }
    const char* what_;
    bool on_, drawn_ = false;
    std::chrono::steady_clock::time_point last_;
};

}  // namespace tmon_cli
