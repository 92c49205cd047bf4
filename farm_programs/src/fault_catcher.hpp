// FaultCatcher: the host's signals that a user's function causes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) become a
// FaultReport, and the function's stack is abandoned. A signal while no user's function runs is Magicwire's own and is passed
// on.
//
// So does a function that uses ten to twenty seconds of the host's processor without coming to a block that counts, as `for
// (;;);` does not: then the signal is SIGVTALRM. What is stopped so would never have ended, so no result depends on the host's
// speed.
#pragma once

#include <cstdint>
#include <vector>

#include "user_stack.hpp"

namespace farm_programs {

struct FaultReport {
    int signal = 0;
    std::uintptr_t address = 0;  // that was read, written or executed
    bool has_address = false, written = false, executed = false;
    bool stack_used_up = false;           // the stack pointer had left the stack
    std::uintptr_t code = 0;              // the instruction
    std::vector<std::uintptr_t> callers;  // candidates for return addresses, innermost first
};

class FaultCatcher {
public:
    static void install();     // once a process
    static void after_fork();  // in the child, which begins without the timer that finds functions that do not end

    // Between these two, a signal is the fault of what runs on `stack`.
    static void begin(UserStack& stack) {
        running_ = &stack;
        ++pieces_;
    }
    static void end() { running_ = nullptr; }
    static UserStack* running() { return running_; }
    static std::uint64_t pieces() { return pieces_; }  // how often a function has gone on

    // Of the last fault.
    static FaultReport take();

private:
    static void watch();

    static bool installed_;
    static UserStack* running_;
    static std::uint64_t pieces_;
};

// Words on the stack from `from` on that may be return addresses into its code, innermost first; at most a few dozen.
void find_callers(const UserStack& stack, const void* from, std::vector<std::uintptr_t>& callers);

}  // namespace farm_programs
