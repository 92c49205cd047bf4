#include <user_programs/system_fence.hpp>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace user_programs {

bool SystemFence::armed_ = false;
bool SystemFence::dispatches_ = false;

namespace {

#ifndef PR_SET_SYSCALL_USER_DISPATCH
constexpr int PR_SET_SYSCALL_USER_DISPATCH = 59;
#endif
constexpr unsigned long dispatch_on = 1;

// For tests of a kernel without one of the fences: MAGICWIRE_WITHOUT_FENCES=dispatch,seccomp.
bool wanted(std::string_view fence) {
    const char* without = std::getenv("MAGICWIRE_WITHOUT_FENCES");
    return without == nullptr || std::string_view(without).find(fence) == std::string_view::npos;
}

// The instruction with which a signal handler returns is a system call, too. Linux reports its address, which the C library
// registered with a handler.
std::uintptr_t return_of_handlers() {
    struct {
        void* handler;
        unsigned long flags;
        std::uintptr_t restorer;
        std::uint64_t mask;
    } action{};
    if (syscall(SYS_rt_sigaction, SIGSYS, nullptr, &action, sizeof action.mask) != 0) return 0;
    return action.restorer;
}

bool has_filters() {
    const std::uint32_t trap = SECCOMP_RET_TRAP;
    return wanted("seccomp") && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &trap) == 0;
}

// Instructions of a filter: the next `then` or `otherwise` of them are skipped.
sock_filter load(std::uint32_t at) {
    return {BPF_LD | BPF_W | BPF_ABS, 0, 0, at};
}
sock_filter jump(std::uint16_t how, std::uint32_t value, std::uint8_t then, std::uint8_t otherwise) {
    return {static_cast<std::uint16_t>(BPF_JMP | how | BPF_K), then, otherwise, value};
}
sock_filter answer(std::uint32_t what) {
    return {BPF_RET | BPF_K, 0, 0, what};
}

struct Range {
    std::uintptr_t begin = 0, end = 0;
    bool operator==(const Range&) const = default;
};
std::vector<Range> loaded;  // read by signal handlers: no program is loaded or unloaded while one runs

// The ends of the range have the same half above bit 32: filters compute with 32 bits.
bool install_filter(Range range) {
    constexpr std::uint32_t low = offsetof(seccomp_data, instruction_pointer), high = low + sizeof(std::uint32_t);
    const auto last = static_cast<std::uint32_t>(range.end - 1), first = static_cast<std::uint32_t>(range.begin);
    sock_filter code[] = {load(high),
                          jump(BPF_JEQ, static_cast<std::uint32_t>(range.begin >> 32U), 0, 4),
                          load(low),
                          jump(BPF_JGE, first, 0, 2),
                          jump(BPF_JGT, last, 1, 0),
                          answer(SECCOMP_RET_TRAP),
                          answer(SECCOMP_RET_ALLOW)};
    const sock_fprog program{sizeof code / sizeof code[0], code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
    // With this flag the kernel leaves the processor's speculation as it is; older kernels do not know it.
    for (const unsigned flags : {unsigned{SECCOMP_FILTER_FLAG_SPEC_ALLOW}, 0U}) {
        if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0) return true;
    }
    return false;
}

}  // namespace

void SystemFence::arm() {
    if (std::exchange(armed_, true)) return;
    dispatches_ = wanted("dispatch") && dispatch();
    if (dispatches_ || has_filters()) return;
    std::fputs(
        "magicwire: this Linux kernel has neither user dispatch nor seccomp to keep a program's system calls from the host; "
        "only known calls of the C library are refused, so run only programs that you trust\n",
        stderr);
}

bool SystemFence::dispatch() {
    // The kernel gets the address behind an instruction, and a length of one byte.
    constexpr std::uintptr_t length_of_return = 9;  // mov $15, %rax; syscall
    const std::uintptr_t restorer = return_of_handlers();
    return restorer != 0 && prctl(PR_SET_SYSCALL_USER_DISPATCH, dispatch_on, restorer + length_of_return, 1UL,
                                  const_cast<unsigned char*>(&FenceSelector::value)) == 0;
}

void SystemFence::after_fork() {
    if (dispatches_) dispatch();
}

void SystemFence::unload(std::uintptr_t begin, std::uintptr_t end) {
    std::erase(loaded, Range{begin, end});
}

bool SystemFence::is_of_a_program(std::uintptr_t instruction) {
    return std::any_of(loaded.begin(), loaded.end(),
                       [instruction](const Range& r) { return instruction >= r.begin && instruction <= r.end; });
}

void SystemFence::guard(std::uintptr_t begin, std::uintptr_t end) {
    loaded.push_back({begin, end});
    // Every filter costs every system call a little, so their number is limited. Programs loaded again lie where they lay.
    constexpr std::size_t most = 64;
    static std::vector<Range> guarded;
    const bool is_there =
        std::any_of(guarded.begin(), guarded.end(), [&](const Range& r) { return r.begin <= begin && end <= r.end; });
    if (is_there || guarded.size() >= most || !has_filters()) return;
    for (std::uintptr_t at = begin; at < end;) {
        const std::uintptr_t next = std::min(end, ((at >> 32U) + 1) << 32U);
        if (!install_filter({at, next})) return;
        at = next;
    }
    guarded.push_back({begin, end});
}

}  // namespace user_programs
