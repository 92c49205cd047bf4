// The first Ctrl-C or SIGTERM stops the work at a clean point, and the results so far are written. The second ends the
// process.
#pragma once

#include <csignal>

#include <user_programs/own_signal.hpp>

namespace cli {

inline volatile std::sig_atomic_t interrupted = 0;

inline void stop_at_interrupt() {
    user_programs::EndWanted::where = &interrupted;
    struct sigaction action {};
    action.sa_handler = [](int) {
        const user_programs::OwnSignal own;
        interrupted = 1;
        std::signal(SIGINT, SIG_DFL);
        std::signal(SIGTERM, SIG_DFL);
    };
    action.sa_flags = SA_ONSTACK;  // a user's function may have used up its stack
    sigemptyset(&action.sa_mask);
    for (const int number : {SIGINT, SIGTERM}) sigaction(number, &action, nullptr);
}

}  // namespace cli
