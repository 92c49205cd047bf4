// Progress of long commands, and Ctrl-C. One line on standard error, redrawn at most ten times a second of wall time and
// erased at the end. It reads the wall clock; no other part does, except top for its wall speed.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "frame/interrupt.hpp"

namespace cli {

class ProgressLine {
public:
    // `mode`: always, never, or auto (only on a terminal).
    explicit ProgressLine(const std::string& mode = "auto")
        : on_(mode == "always" || (mode == "auto" && isatty(STDERR_FILENO) != 0)) {}
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ~ProgressLine() { clear(); }

    // Each of these draws, and returns false after an interrupt. For a run, as SessionHooks::progress:
    auto callback() {
        return [this](const auto& p) {
            return show([&] {
                return fmt::format("{:<5} {:>10.3f} ms modelled, {} of {} tasks done, {} events, {} lost", p.phase,
                                   p.now.in_seconds() * 1e3, p.results, p.tasks, p.events, p.lost);
            });
        };
    }
    // For a pass over a trace: "export 3000 of 12000 records".
    auto records(const char* what) {
        return [this, what](std::uint64_t done, std::uint64_t of) {
            return show([&] { return fmt::format("{} {} of {} records", what, done, of); });
        };
    }
    // For work in steps: "sweep: 3 of 12 done".
    bool steps(const char* step, std::size_t done, std::size_t all) {
        return show([&] { return fmt::format("{}: {} of {} done", step, done, all); });
    }

    void clear() {
        if (drawn_) std::fputs("\r\033[K", stderr);
        drawn_ = false;
    }

private:
    template <class MakeText>
    bool show(const MakeText& text) {
        const auto now = std::chrono::steady_clock::now();
        if (on_ && (!drawn_ || now - last_ >= std::chrono::milliseconds(100))) {
            last_ = now;
            drawn_ = true;
            std::fputs(("\r\033[K" + text()).c_str(), stderr);
            std::fflush(stderr);
        }
        return interrupted == 0;
    }

    const bool on_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point last_;
};

}  // namespace cli
