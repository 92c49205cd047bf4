// FaultCatcher: the host's signals that a user's function causes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) become a
// FaultReport, and the function's stack is abandoned. A signal while no user's function runs is Magicwire's own and is passed
// on.
//
// So does a function that uses two to four seconds of the host's processor without coming to a block that counts, as `for
// (;;);` does not: then the signal is SIGVTALRM. What is stopped so would never have ended, so no result depends on the host's
// speed.
//
// SIGSYS comes from the fences (system_fence.hpp): the function has made a system call. It is judged (system_calls.hpp), and
// the function goes on behind it or is abandoned like one that fails.
//
// Nothing of what the function has made of the processor reaches Magicwire's code: its flags, and the base of the thread's
// variables, are put right when a signal comes, the flags also where a call or the function's end leads to Magicwire.
#pragma once

#include <cstdint>
#include <vector>

#include <farm_programs/own_signal.hpp>

#include "system_calls.hpp"
#include "user_stack.hpp"

namespace farm_programs {

struct FaultReport {
    static constexpr int end_wanted = 0;  // instead of a signal: the tool is to end (own_signal.hpp)
    int signal = 0;
    bool unaligned = false;      // and the processor was told to refuse that
    bool overwritten = false;    // no signal either: UserStack::is_overwritten()
    std::uintptr_t address = 0;  // that was read, written or executed
    bool has_address = false, written = false, executed = false;
    bool stack_used_up = false;           // the stack pointer had left the stack
    std::uintptr_t code = 0;              // the instruction
    std::vector<std::uintptr_t> callers;  // candidates for return addresses, innermost first
};

class FaultCatcher {
public:
    // Tells a system call that is refused, or that ends the function; false: the function is to be abandoned. It runs in the
    // signal's handler, as if the function had called it.
    using Tell = bool (*)(const SystemCall& call, Verdict verdict);
    static void install(Tell tell);  // once a process
    static void catch_too(int signal);
    static void after_fork();  // in the child, which begins without the timer that finds functions that do not end

    // Between these two, a signal is the fault of what runs on `stack`. Not `watched`: it may stand still.
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

    // Of the last fault.
    static FaultReport take();

private:
    static void watch();

    static bool installed_, watched_, lands_;
    static UserStack* running_;
    static std::uint64_t pieces_;
    static Tell tell_;
};

// Return addresses of the active functions of the program, innermost first; at most a few dozen. Where the stack has been
// destroyed: words on it that may be such.
void find_callers(const UserStack& stack, std::vector<std::uintptr_t>& callers);

}  // namespace farm_programs
