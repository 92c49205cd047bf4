// SystemFence: keeps the system calls of a user's function away from the host.
//
// First fence: syscall user dispatch (Linux 5.11). A byte is set while the user's code runs. Linux then refuses every system
// call and sends SIGSYS instead (fault_catcher.cpp). Opening and closing cost one store, no system call.
//
// Second fence: a seccomp filter. It sends SIGSYS for every system call from an instruction of the program itself, whatever the
// byte's value. The filter stays for the life of the process. Its children and the programs they execute inherit it, but have
// nothing at those addresses.
//
// Only the thread that arms it is fenced.
#pragma once

#include <atomic>
#include <cstdint>

#include <user_programs/own_signal.hpp>

namespace user_programs {

class SystemFence {
public:
    static void arm();         // call it once a process; prints a warning to standard error when Linux has neither fence
    static void after_fork();  // call it in the child, which inherits the filter only
    // Puts the second fence around instructions from `begin` to `end`.
    static void guard(std::uintptr_t begin, std::uintptr_t end);
    static void unload(std::uintptr_t begin, std::uintptr_t end);  // removes the addresses from the fence
    static bool is_of_a_program(std::uintptr_t instruction);

    // close(): the user's code begins or continues. open(): it ends or calls Magicwire.
    static void close() {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        FenceSelector::value = FenceSelector::closed;
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    static void open() {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        FenceSelector::value = FenceSelector::open;
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    static bool closed() { return FenceSelector::value == FenceSelector::closed; }

private:
    static bool dispatch();

    static bool armed_, dispatches_;
};

}  // namespace user_programs
