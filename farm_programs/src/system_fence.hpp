// SystemFence: keeps the system calls of a user's function away from the host.
//
// First fence: syscall user dispatch (Linux 5.11). A byte says whether the user's code runs. While it does, the kernel refuses
// every system call and sends SIGSYS instead (fault_catcher.cpp). Opening and closing cost one store, no system call.
//
// Second fence: a seccomp filter. It sends SIGSYS for every system call that an instruction of the program itself makes,
// whatever the byte says. The filter stays for the life of the process, in its children and in programs that they execute,
// where nothing lies at those addresses.
//
// One thread: the one that arms it.
#pragma once

#include <atomic>
#include <cstdint>

#include <farm_programs/own_signal.hpp>

namespace farm_programs {

class SystemFence {
public:
    static void arm();         // once a process; says on standard error when the kernel has neither fence
    static void after_fork();  // in the child, which inherits the filter only
    // The second fence around instructions from `begin` to `end`.
    static void guard(std::uintptr_t begin, std::uintptr_t end);
    static void unload(std::uintptr_t begin, std::uintptr_t end);  // they no longer belong to a program
    static bool is_of_a_program(std::uintptr_t instruction);

    // close(): the user's code begins or goes on. open(): it ends or calls Magicwire.
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

}  // namespace farm_programs
