// FaultCatcher: turns each signal that a user's function causes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) into a FaultReport,
// and abandons the function's stack. A signal while no user's function runs is Magicwire's own and keeps its normal effect.
//
// SIGVTALRM stops a function in the same way after two to four seconds of host processor time without a counting block, as in
// `for (;;);`. Such a function would never have ended, so no result depends on the host's speed.
//
// SIGSYS comes from the fences (system_fence.hpp): the function has made a system call. system_calls.hpp judges the call. The
// function continues after it, or is abandoned like a failed one.
//
// Magicwire's code is safe from the function's changes to the processor. A signal restores the flags and the base of
// thread-local variables. A call to Magicwire and the function's end restore the flags too.
#pragma once

#include <csignal>
#include <cstdint>
#include <vector>

#include <user_programs/own_signal.hpp>

#include "system_calls.hpp"
#include "user_stack.hpp"

namespace user_programs {

struct FaultReport {
    static constexpr int end_wanted = 0;  // instead of a signal: the user wants to stop (own_signal.hpp)
    int signal = 0;
    bool unaligned = false;      // the address was unaligned, and the program had enabled alignment checks
    bool overwritten = false;    // no signal: UserStack::is_overwritten()
    std::uintptr_t address = 0;  // the address read, written or executed
    bool has_address = false, written = false, executed = false;
    bool stack_used_up = false;           // the stack pointer had left the stack
    std::uintptr_t code = 0;              // the instruction
    std::vector<std::uintptr_t> callers;  // candidates for return addresses, innermost first
};

class FaultCatcher {
public:
    // Reports a system call that is refused or that ends the function. False: abandon the function. It runs in the signal
    // handler, as if the function had called it.
    using Tell = bool (*)(const SystemCall& call, Verdict verdict);
    static void install(Tell tell);  // call it once a process
    static void catch_too(int signal);
    // A signal that another handler has got, as if it had come here.
    static void handle_signal(int number, const siginfo_t& info, void* its_context);
    static void after_fork();  // call it in the child, which lacks the timer for endless functions

    // Between these two calls a signal is the fault of the code on `stack`. Without `watched` there is no timeout.
    static void begin(UserStack& stack, bool watched = true) {
        running_ = &stack;
        watched_ = watched;
        ++pieces_;
    }
    static bool watched() { return watched_; }
    static void end() {
        running_ = nullptr;
        lands_ = false;
    }
    // True from the end of an abandoned function until its caller continues.
    static bool lands() { return lands_; }
    static void land() { lands_ = true; }
    static UserStack* running() { return running_; }
    static void moves() { ++pieces_; }
    static std::uint64_t pieces() { return pieces_; }  // number of resumptions of functions
    static Tell tell() { return tell_; }

    // The report of the last fault.
    static FaultReport take();

private:
    static void watch();

    static bool installed_, watched_, lands_;
    static UserStack* running_;
    static std::uint64_t pieces_;
    static Tell tell_;
};

// Finds return addresses of the program's active functions, innermost first, at most a few dozen. On a destroyed stack it takes
// words that look like return addresses.
void find_callers(const UserStack& stack, std::vector<std::uintptr_t>& callers);

}  // namespace user_programs
