#include "fault_catcher.hpp"

#include <linux/audit.h>
#include <setjmp.h>  // NOLINT(modernize-deprecated-headers): sigsetjmp
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>

#include <array>
#include <utility>

#include <user_programs/loaded_program.hpp>

#include <user_programs/processor_flags.hpp>
#include <user_programs/system_fence.hpp>
#include "shell.hpp"

namespace user_programs {

UserStack* FaultCatcher::running_ = nullptr;
std::uint64_t FaultCatcher::pieces_ = 0;
bool FaultCatcher::installed_ = false;
bool FaultCatcher::watched_ = false;
bool FaultCatcher::lands_ = false;
FaultCatcher::Tell FaultCatcher::tell_ = nullptr;

namespace {

constexpr std::array signals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGVTALRM, SIGSYS};
constexpr long seconds_between_looks = 2;
constexpr std::size_t most_callers = 48, handler_stack_bytes = 256 * 1024;
using Addresses = std::array<std::uintptr_t, most_callers>;

alignas(16) std::array<std::byte, handler_stack_bytes> handler_stack;

sigjmp_buf no_instruction;

// The place where the C library keeps errno and the like. On some processors a program can move it with one instruction. Only
// a try shows that: in some virtual machines the instruction works although the kernel does not announce it.
class ThreadBase {
public:
    void take() {
        struct sigaction probe {};
        struct sigaction earlier {};
        probe.sa_handler = [](int) { siglongjmp(no_instruction, 1); };
        sigemptyset(&probe.sa_mask);
        sigaction(SIGILL, &probe, &earlier);
        if (sigsetjmp(no_instruction, 1) == 0) asm volatile("rdfsbase %0" : "=r"(base_));
        sigaction(SIGILL, &earlier, nullptr);
    }
    // Works for the one thread that runs programs; only its handlers have this stack.
    [[gnu::always_inline]] void put_back(const void* frame) const {
        const auto* const at = static_cast<const std::byte*>(frame);
        if (base_ == 0 || at < &handler_stack.front() || at > &handler_stack.back()) return;
        asm volatile("wrfsbase %0" : : "r"(base_));
    }

private:
    std::uintptr_t base_ = 0;
};
ThreadBase thread_base;

// Filled by the handler, which may call next to nothing.
struct Caught {
    int signal;
    std::uintptr_t address, code;
    bool has_address, written, executed, stack_used_up, unaligned;
    std::size_t callers;
    Addresses caller;
};
Caught caught{};
std::array<struct sigaction, signals.size()> before{};

// It also looks between the variables, which AddressSanitizer would not allow.
[[gnu::no_sanitize_address]] std::size_t scan(const UserStack& stack, const void* from, Addresses& found) {
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

// The way back from a walk over a stack that a program has destroyed.
sigjmp_buf off_the_stack;
volatile std::sig_atomic_t walking = 0;

struct Walk {
    const UserStack& stack;
    Addresses& found;
    std::size_t count = 0;
};

_Unwind_Reason_Code note(_Unwind_Context* frame, void* of) {
    auto& walk = *static_cast<Walk*>(of);
    const std::uintptr_t address = _Unwind_GetIP(frame);
    if (address >= walk.stack.code().begin && address < walk.stack.code().end) walk.found[walk.count++] = address;
    return walk.count == most_callers ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// Follows the tables that the compiler made for exceptions, also through a signal's handler.
std::size_t walk_up(const UserStack& stack, Addresses& found) {
    static Walk* current = nullptr;
    Walk walk{stack, found};
    current = &walk;
    if (sigsetjmp(off_the_stack, 0) == 0) {
        walking = 1;
        _Unwind_Backtrace(note, current);
    }
    walking = 0;
    const std::size_t count = current->count;
    current = nullptr;
    return count;
}

std::size_t find(const UserStack& stack, const void* from, Addresses& found) {
    const std::size_t count = walk_up(stack, found);
    return count > 0 ? count : scan(stack, from, found);
}

void landing() {
    FaultCatcher::running()->abandon();
}

// True when it has reached no counting block since the last look.
bool stands() {
    static std::uint64_t pieces_before = 0;
    static const UserStack* stack_before = nullptr;
    const bool same = FaultCatcher::running() == stack_before && FaultCatcher::pieces() == pieces_before;
    stack_before = FaultCatcher::running();
    pieces_before = FaultCatcher::pieces();
    return same && stack_before != nullptr;
}

// Restores the handlers as if this one had never been there.
void give_signals_back() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before[i], nullptr);
}

// A fault on the way back from a fault: nothing can be reported in the usual way any more.
[[noreturn]] void end_at_once() {
    static constexpr char words[] =
        "magicwire: the program has overwritten memory that Magicwire needs, so the run ends here; look for pointers to "
        "variables of functions that have returned\n";
    give_signals_back();
    constexpr int found = 1;  // as for a problem found in a program
    if (::write(STDERR_FILENO, words, sizeof words - 1) > 0) _exit(found);
    _exit(found);
}

// Goes on at landing(), at the top of the stack: the function's frames are no longer needed.
void go_to_landing(const UserStack& stack, gregset_t& registers) {
    constexpr std::size_t reserve = 1024;
    FaultCatcher::land();
    registers[REG_EFL] &= ~static_cast<greg_t>(flags_of_the_program);
    registers[REG_RSP] = static_cast<greg_t>((reinterpret_cast<std::uintptr_t>(stack.top()) - reserve) / 16 * 16 - 8);
    registers[REG_RIP] = reinterpret_cast<greg_t>(&landing);
}

long make(const SystemCall& call) {
    const auto& a = call.arguments;
    const long result = syscall(call.number, a[0], a[1], a[2], a[3], a[4], a[5]);
    return result == -1 ? -errno : result;
}

// A system call by a user's function, or by Magicwire from an address where an unloaded program lay.
void on_system_call(long number, bool of_32_bits, gregset_t& registers) {
    UserStack* stack = FaultCatcher::running();
    SystemCall call{number,
                    {static_cast<std::uint64_t>(registers[REG_RDI]), static_cast<std::uint64_t>(registers[REG_RSI]),
                     static_cast<std::uint64_t>(registers[REG_RDX]), static_cast<std::uint64_t>(registers[REG_R10]),
                     static_cast<std::uint64_t>(registers[REG_R8]), static_cast<std::uint64_t>(registers[REG_R9])},
                    of_32_bits};
    const int error = errno;
    greg_t& result = registers[REG_RAX];
    const auto code = static_cast<std::uintptr_t>(registers[REG_RIP]);
    if (stack == nullptr) {  // the C library has called a function that a program gave it
        result = SystemFence::is_of_a_program(code) ? -ENOSYS : make(call);
        errno = error;
        return;
    }
    SystemFence::open();
    call.by_the_program = code >= stack->code().begin && code < stack->code().end;
    const Judgement judgement = judge(call);
    if (judgement.verdict == Verdict::Make) {
        result = make(call);
    } else if (judgement.verdict == Verdict::Answer) {
        result = judgement.answer;
    } else {
        result = -ENOSYS;
        if (!FaultCatcher::tell()(call, judgement.verdict)) {
            caught = Caught();
            caught.signal = SIGSYS;
            caught.code = code;
            // NOLINTNEXTLINE(performance-no-int-to-ptr)
            caught.callers = find(*stack, reinterpret_cast<const void*>(registers[REG_RSP]), caught.caller);
            return go_to_landing(*stack, registers);
        }
    }
    errno = error;
    SystemFence::close();
}

// int $0x80. A kernel without system calls of 32 bits answers it with SIGSEGV and no address.
constexpr std::array<unsigned char, 2> call_of_32_bits = {0xcd, 0x80};

bool at_call_of_32_bits(const UserStack& stack, const siginfo_t& info, const gregset_t& registers) {
    const auto code = static_cast<std::uintptr_t>(registers[REG_RIP]);
    return info.si_signo == SIGSEGV && info.si_code == SI_KERNEL && code >= stack.code().begin &&
           code + call_of_32_bits.size() <= stack.code().end &&
           // NOLINTNEXTLINE(performance-no-int-to-ptr)
           std::memcmp(reinterpret_cast<const void*>(code), call_of_32_bits.data(), call_of_32_bits.size()) == 0;
}

[[gnu::noinline]] void handle(int number, const siginfo_t* info, void* its_context) {
    // The unwinder gives up with abort() where the frames have been overwritten.
    if (walking != 0 && (number == SIGSEGV || number == SIGBUS || number == SIGABRT)) siglongjmp(off_the_stack, 1);
    UserStack* stack = FaultCatcher::running();
    auto& registers = static_cast<ucontext_t*>(its_context)->uc_mcontext.gregs;
    const bool ends = number == SIGVTALRM && EndWanted::now();
    if (number == SIGVTALRM && (!SystemFence::closed() || !FaultCatcher::watched() || !(ends || stands()))) return;
    constexpr int by_the_kernel = 1;  // SYS_SECCOMP; SYS_USER_DISPATCH is 2
    if (number == SIGSYS && info->si_code >= by_the_kernel)
        return on_system_call(info->si_syscall, info->si_arch == AUDIT_ARCH_I386, registers);
    if (stack == nullptr) {  // no program runs: as if this handler were not there
        give_signals_back();
        return;
    }
    if (FaultCatcher::lands()) end_at_once();
    if (at_call_of_32_bits(*stack, *info, registers)) {
        registers[REG_RIP] += static_cast<greg_t>(call_of_32_bits.size());
        return on_system_call(static_cast<std::int32_t>(registers[REG_RAX]), true, registers);
    }
    const auto error = static_cast<std::uint64_t>(registers[REG_ERR]);
    caught.signal = ends ? FaultReport::end_wanted : number;
    caught.code = static_cast<std::uintptr_t>(registers[REG_RIP]);
    caught.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    // For an address outside the x86-64 range, the kernel does not give the value.
    caught.has_address = number != SIGSEGV || info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR;
    caught.unaligned = number == SIGBUS && info->si_code == BUS_ADRALN;
    caught.written = (error & 2U) != 0;
    caught.executed = number == SIGSEGV && caught.has_address && caught.address == caught.code;
    const auto stack_pointer = static_cast<std::uintptr_t>(registers[REG_RSP]);
    caught.stack_used_up = stack_pointer < reinterpret_cast<std::uintptr_t>(stack->bottom());
    SystemFence::open();
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    caught.callers = find(*stack, reinterpret_cast<const void*>(stack_pointer), caught.caller);
    go_to_landing(*stack, registers);
}

// It calls nothing and guards nothing before the base of the thread's variables is back in place.
__attribute__((no_stack_protector, no_sanitize_address)) void on_signal(int number, siginfo_t* info, void* its_context) {
    clear_flags_of_the_program();
    thread_base.put_back(__builtin_frame_address(0));
    handle(number, info, its_context);
}

}  // namespace

void FaultCatcher::install(Tell tell) {
    if (std::exchange(installed_, true)) return;
    tell_ = tell;
    thread_base.take();
    keep_environment();
    stack_t own{};
    own.ss_sp = handler_stack.data();
    own.ss_size = handler_stack.size();
    sigaltstack(&own, nullptr);
    for (std::size_t i = 0; i < signals.size(); ++i) {
        sigaction(signals[i], nullptr, &before[i]);
        catch_too(signals[i]);
    }
    SystemFence::arm();
    watch();
}

void FaultCatcher::catch_too(int signal) {
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER;  // a walk over a stack may fail in a handler
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

void FaultCatcher::handle_signal(int number, const siginfo_t& info, void* its_context) {
    handle(number, &info, its_context);
}

void FaultCatcher::watch() {
    const itimerval looks{{seconds_between_looks, 0}, {seconds_between_looks, 0}};
    setitimer(ITIMER_VIRTUAL, &looks, nullptr);
}

void FaultCatcher::after_fork() {
    if (!installed_) return;
    SystemFence::after_fork();
    watch();
}

void watch_after_fork() {
    FaultCatcher::after_fork();
}

FaultReport FaultCatcher::take() {
    return {.signal = caught.signal,
            .unaligned = caught.unaligned,
            .overwritten = false,
            .address = caught.address,
            .has_address = caught.has_address,
            .written = caught.written,
            .executed = caught.executed,
            .stack_used_up = caught.stack_used_up,
            .code = caught.code,
            .callers = {caught.caller.begin(), caught.caller.begin() + static_cast<std::ptrdiff_t>(caught.callers)}};
}

void find_callers(const UserStack& stack, std::vector<std::uintptr_t>& callers) {
    Addresses found{};
    const std::size_t count = find(stack, __builtin_frame_address(0), found);
    callers.assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace user_programs
