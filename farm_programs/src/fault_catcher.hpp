// FaultCatcher: the host's signals that a user's function causes (SIGSEGV, SIGBUS, SIGFPE, SIGILL) become a FaultReport, and
// the function's stack is abandoned. A signal while no user's function runs is Magicwire's own and is passed on.
#pragma once

#include <cstdint>
#include <vector>

#include "user_stack.hpp"

namespace farm_programs {

struct FaultReport {
    int signal = 0;
    std::uintptr_t address = 0;  // that was read, written or executed
    bool has_address = false, written = false, executed = false;
    std::uintptr_t code = 0;              // the instruction
    std::vector<std::uintptr_t> callers;  // candidates for return addresses, innermost first
};

class FaultCatcher {
public:
    static void install();  // once a process

    // Between these two, a signal is the fault of what runs on `stack`.
    static void begin(UserStack& stack) { running_ = &stack; }
    static void end() { running_ = nullptr; }
    static UserStack* running() { return running_; }

    // Of the last fault.
    static FaultReport take();

private:
    static UserStack* running_;
};

// Words on the stack from `from` on that may be return addresses into its code, innermost first; at most a few dozen.
void find_callers(const UserStack& stack, const void* from, std::vector<std::uintptr_t>& callers);

}  // namespace farm_programs
