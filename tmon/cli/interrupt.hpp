// Ctrl-C or SIGTERM once: the work stops at a clean point and what there is is written; twice: the process ends.
#pragma once

#include <csignal>

namespace tmon_cli {

inline volatile std::sig_atomic_t interrupted = 0;

inline void stop_at_interrupt() {
    struct sigaction action {};
    action.sa_handler = [](int) {
        interrupted = 1;
        std::signal(SIGINT, SIG_DFL);
        std::signal(SIGTERM, SIG_DFL);
    };
    sigemptyset(&action.sa_mask);
    for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
}

}  // namespace tmon_cli
