// What commands that simulate show while they do, and how they are interrupted.
#pragma once

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <string>

#include <fmt/format.h>

#include <tmon_session/session.hpp>

namespace tmon_cli {

// Ctrl-C once: the run stops at a clean point and its results are written; twice: the process ends.
inline volatile std::sig_atomic_t interrupted = 0;

inline void stop_at_interrupt() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
}

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

}  // namespace tmon_cli
