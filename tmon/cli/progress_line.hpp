// What commands that simulate show while they do.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include <fmt/format.h>

#include <tmon_session/session.hpp>

#include "interrupt.hpp"

namespace tmon_cli {

// One line on standard error, redrawn at most ten times a second of wall time; the only place that looks at a wall clock, and
// nothing of it reaches an output.
class ProgressLine {
public:
    explicit ProgressLine(const std::string& mode) : on_(mode == "always" || (mode == "auto" && isatty(STDERR_FILENO) != 0)) {}
    ~ProgressLine() {
        if (on_ && drawn_) std::fputs("\r\033[K", stderr);
    }
    std::function<bool(const tmon_session::Progress&)> callback() {
        return [this](const tmon_session::Progress& p) {
            if (on_) draw(p);
            return interrupted == 0;
        };
    }

private:
    void draw(const tmon_session::Progress& p) {
        const auto now = std::chrono::steady_clock::now();
        if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;
        last_ = now;
        drawn_ = true;
        const std::string text = fmt::format("\r\033[K{:<5} {:>10.3f} ms modelled, {} of {} tasks done, {} events, {} lost",
                                             p.phase, p.now.in_seconds() * 1e3, p.results, p.tasks, p.events, p.lost);
        std::fputs(text.c_str(), stderr);
        std::fflush(stderr);
    }
    bool on_, drawn_ = false;
    std::chrono::steady_clock::time_point last_;
};

// "sweep: 3 of 12 done", of work that comes in pieces; on a terminal only.
class StepLine {
public:
    ~StepLine() { clear(); }
    void show(const char* step, std::size_t done, std::size_t all) {
        const std::string text = fmt::format("{}: {} of {} done", step, done, all);
        if (!on_ || text == drawn_) return;
        drawn_ = text;
        std::fputs(("\r\033[K" + text).c_str(), stderr);
        std::fflush(stderr);
    }
    void clear() {
        if (!drawn_.empty()) std::fputs("\r\033[K", stderr);
        drawn_.clear();
    }

private:
    const bool on_ = isatty(STDERR_FILENO) != 0;
    std::string drawn_;
};

}  // namespace tmon_cli
