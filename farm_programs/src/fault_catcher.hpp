// FaultCatcher: turns each signal that a user's function causes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) into a FaultReport,
// and abandons the function's stack. A signal while no user's function runs is Magicwire's own and is passed on.
//
// The same happens to a function that uses two to four seconds of the host's processor without coming to a counting block, like
// `for (;;);`. Then the signal is SIGVTALRM. A function stopped so would never have ended, so no result depends on the host's
// speed.
//
// SIGSYS comes from the fences (system_fence.hpp): the function has made a system call. The call is judged (system_calls.hpp).
// The function goes on behind it, or is abandoned like one that fails.
//
// The function's changes to the processor do not reach Magicwire's code. Its flags, and the base of the thread's
// variables, are put right when a signal comes. The flags are also put right where a call or the function's end leads to
// Magicwire.
#pragma once

#include <cstdint>
#include <vector>

#include <farm_programs/own_signal.hpp>

#include "system_calls.hpp"
#include "user_stack.hpp"

namespace farm_programs {

struct FaultReport {
    static constexpr int end_wanted = 0;  // instead of a signal: the tool shall end (own_signal.hpp)
    int signal = 0;
    bool unaligned = false;      // the address was, and the processor was told to refuse that
    bool overwritten = false;    // no signal either: UserStack::is_overwritten()
    std::uintptr_t address = 0;  // the address read, written or executed
    bool has_address = false, written = false, executed = false;
    bool stack_used_up = false;           // the stack pointer had left the stack
    std::uintptr_t code = 0;              // the instruction
    std::vector<std::uintptr_t> callers;  // candidates for return addresses, innermost first
};

class FaultCatcher {
public:
    // Reports a system call that is refused, or that ends the function. False: the function shall be abandoned. It runs in the
    // signal's handler, as if the function had called it.
    using Tell = bool (*)(const SystemCall& call, Verdict verdict);
    static void install(Tell tell);  // once a process
    static void catch_too(int signal);
    static void after_fork();  // in the child, which lacks the timer that finds functions that do not end

    // Between these two, a signal is the fault of the code on `stack`. Not `watched`: it may stand still.
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
    // A function is given up, and its caller has not gone on yet.
    static bool lands() { return lands_; }
    static void land() { lands_ = true; }
    static UserStack* running() { return running_; }
    static void moves() { ++pieces_; }
    static std::uint64_t pieces() { return pieces_; }  // how often a function has gone on
    static Tell tell() { return tell_; }

    // Report on the last fault.
    static FaultReport take();

private:
    static void watch();

    static bool installed_, watched_, lands_;
    static UserStack* running_;
    static std::uint64_t pieces_;
    static Tell tell_;
};

// Return addresses of the active functions of the program, innermost first; at most a few dozen. Where the stack has been
// destroyed: words on it that look like such addresses.
void find_callers(const UserStack& stack, std::vector<std::uintptr_t>& callers);

}  // namespace farm_programs
