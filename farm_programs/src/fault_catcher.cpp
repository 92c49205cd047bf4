#include "fault_catcher.hpp"

#include <sys/time.h>
#include <ucontext.h>
#include <csignal>
#include <cstddef>

#include <array>
#include <utility>

#include <farm_programs/loaded_program.hpp>

namespace farm_programs {

UserStack* FaultCatcher::running_ = nullptr;
std::uint64_t FaultCatcher::pieces_ = 0;
bool FaultCatcher::installed_ = false;

namespace {

constexpr std::array signals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGVTALRM};
constexpr long seconds_between_looks = 10;
constexpr std::size_t most_callers = 48, handler_stack_bytes = 64 * 1024;

// Filled by the handler, which may call next to nothing.
struct Caught {
    int signal;
    std::uintptr_t address, code;
    bool has_address, written, executed, stack_used_up;
    std::size_t callers;
    std::array<std::uintptr_t, most_callers> caller;
};
Caught caught{};
std::array<struct sigaction, signals.size()> before{};

// It looks between the variables, too, which AddressSanitizer would not have.
[[gnu::no_sanitize_address]] std::size_t scan(const UserStack& stack, const void* from,
                                              std::array<std::uintptr_t, most_callers>& found) {
    const auto align = sizeof(std::uintptr_t);
    auto at = reinterpret_cast<std::uintptr_t>(from);
    const auto bottom = reinterpret_cast<std::uintptr_t>(stack.bottom()), top = reinterpret_cast<std::uintptr_t>(stack.top());
    at = (at < bottom || at >= top ? bottom : at) & ~(align - 1);
    std::size_t count = 0;
    for (; at + align <= top && count < most_callers; at += align) {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): walks a stack
        const std::uintptr_t word = *reinterpret_cast<const volatile std::uintptr_t*>(at);
        if (word >= stack.code().begin && word < stack.code().end) found[count++] = word;
    }
    return count;
}

void landing() {
    FaultCatcher::running()->abandon();
}

// Whether it has not come to a counting block since the last look.
bool stands() {
    static std::uint64_t pieces_before = 0;
    static const UserStack* stack_before = nullptr;
    const bool same = FaultCatcher::running() == stack_before && FaultCatcher::pieces() == pieces_before;
    stack_before = FaultCatcher::running();
    pieces_before = FaultCatcher::pieces();
    return same && stack_before != nullptr;
}

void on_signal(int number, siginfo_t* info, void* its_context) {
    UserStack* stack = FaultCatcher::running();
    if (number == SIGVTALRM && !stands()) return;
    if (stack == nullptr) {  // not of a program: as if this handler were not there
        for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before[i], nullptr);
        return;
    }
    auto& registers = static_cast<ucontext_t*>(its_context)->uc_mcontext.gregs;
    const auto error = static_cast<std::uint64_t>(registers[REG_ERR]);
    caught.signal = number;
    caught.code = static_cast<std::uintptr_t>(registers[REG_RIP]);
    caught.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    // An address that no x86-64 has comes without its value.
    caught.has_address = number != SIGSEGV || info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR;
    caught.written = (error & 2U) != 0;
    caught.executed = number == SIGSEGV && caught.has_address && caught.address == caught.code;
    const auto stack_pointer = static_cast<std::uintptr_t>(registers[REG_RSP]);
    caught.stack_used_up = stack_pointer < reinterpret_cast<std::uintptr_t>(stack->bottom());
    caught.callers =
        scan(*stack, reinterpret_cast<const void*>(stack_pointer), caught.caller);  // NOLINT(performance-no-int-to-ptr)
    // Goes on at landing(), at the top of the stack: the function's frames are not needed any more.
    constexpr std::size_t reserve = 1024;
    registers[REG_RSP] = static_cast<greg_t>((reinterpret_cast<std::uintptr_t>(stack->top()) - reserve) / 16 * 16 - 8);
    registers[REG_RIP] = reinterpret_cast<greg_t>(&landing);
}

}  // namespace

void FaultCatcher::install() {
    if (std::exchange(installed_, true)) return;
    static std::array<std::byte, handler_stack_bytes> room;
    stack_t own{};
    own.ss_sp = room.data();
    own.ss_size = room.size();
    sigaltstack(&own, nullptr);
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &before[i]);
    watch();
}

void FaultCatcher::watch() {
    const itimerval looks{{seconds_between_looks, 0}, {seconds_between_looks, 0}};
    setitimer(ITIMER_VIRTUAL, &looks, nullptr);
}

void FaultCatcher::after_fork() {
    if (installed_) watch();
}

void watch_after_fork() {
    FaultCatcher::after_fork();
}

FaultReport FaultCatcher::take() {
    return {.signal = caught.signal,
            .address = caught.address,
            .has_address = caught.has_address,
            .written = caught.written,
            .executed = caught.executed,
            .stack_used_up = caught.stack_used_up,
            .code = caught.code,
            .callers = {caught.caller.begin(), caught.caller.begin() + static_cast<std::ptrdiff_t>(caught.callers)}};
}

void find_callers(const UserStack& stack, const void* from, std::vector<std::uintptr_t>& callers) {
    std::array<std::uintptr_t, most_callers> found{};
    const std::size_t count = scan(stack, from, found);
    callers.assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace farm_programs
