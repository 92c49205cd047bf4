#include "shell/held_process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include <forks/child_process.hpp>
#include <user_programs/own_signal.hpp>

#include "frame/interrupt.hpp"

namespace cli {
namespace {

constexpr int back_to = 64;  // exit code: go on from this snapshot, counted from the oldest

pid_t goes_on = 0;  // read by the handler

// Called in a snapshot: interrupts from the reader are for the process that goes on.
void pass_on_interrupts(pid_t child) {
    goes_on = child;
    struct sigaction action {};
    action.sa_handler = [](int) {
        const user_programs::OwnSignal own;
        kill(goes_on, SIGINT);
    };
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigaction(SIGINT, &action, nullptr);
}

}  // namespace

void catch_interrupts() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigaction(SIGINT, &action, nullptr);
}

Resumed hold_process(std::size_t number) {
    for (Resumed resumed;; resumed.is_back = true) {
        pid_t child = 0;
        try {
            child = forks::fork_child("a snapshot");
        } catch (const std::exception&) {  // the run goes on from here without the snapshot
            catch_interrupts();
            throw;
        }
        if (child == 0) {
            catch_interrupts();
            return resumed;
        }
        pass_on_interrupts(child);
        const int status = forks::wait_for_child(child);
        if (WIFEXITED(status) && WEXITSTATUS(status) != back_to + static_cast<int>(number)) _exit(WEXITSTATUS(status));
        resumed.died = WIFEXITED(status) ? "" : forks::how_it_ended(status);
    }
}

ShellAnswer answer_of_snapshot(const Resumed& resumed, const std::string& name, const std::string& at) {
    if (!resumed.is_back) return {.text = fmt::format("snapshot '{}' at {}", name, at)};
    const std::string back = fmt::format("back at snapshot '{}', {}", name, at);
    if (resumed.died.empty()) return {.text = back};
    return {.ok = false, .text = fmt::format("the process of the machine ended by {}; {}", resumed.died, back)};
}

void go_back_to(std::size_t number) {
    std::fflush(nullptr);
    _exit(back_to + static_cast<int>(number));
}

}  // namespace cli
