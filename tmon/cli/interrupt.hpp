// Ctrl-C once: the work stops at a clean point and what there is is written; twice: the process ends.
#pragma once

#include <csignal>

namespace tmon_cli {

inline volatile std::sig_atomic_t interrupted = 0;

inline void stop_at_interrupt() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
}

}  // namespace tmon_cli
