#include "system_calls.hpp"

#include <linux/futex.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "system_call_names.hpp"

namespace user_programs {
namespace {

constexpr Judgement refuse{Verdict::Refuse}, make{Verdict::Make}, end{Verdict::End};
constexpr Judgement answer(std::int64_t value) {
    return {Verdict::Answer, value};
}

bool waits_for_a_lock(const SystemCall& call) {
    const auto operation = call.arguments[1] & static_cast<std::uint64_t>(FUTEX_CMD_MASK);
    return call.number == SYS_futex && operation != FUTEX_WAKE && operation != FUTEX_WAKE_BITSET &&
           operation != FUTEX_REQUEUE && operation != FUTEX_CMP_REQUEUE;
}

bool aborts(const SystemCall& call) {
    if (call.number == SYS_tgkill) return call.arguments[2] == SIGABRT;
    return (call.number == SYS_tkill || call.number == SYS_kill) && call.arguments[1] == SIGABRT;
}

bool ends(const SystemCall& call) {
    return call.number == SYS_exit || call.number == SYS_exit_group || call.number == SYS_rt_sigreturn;
}

// The C library looks for the time zone where it makes a date of a time. A node has none: dates are those of UTC.
bool looks_for_the_time_zone(const SystemCall& call) {
    if (call.number != SYS_openat || call.arguments[1] == 0) return false;
    const std::string_view path(reinterpret_cast<const char*>(call.arguments[1]));  // NOLINT(performance-no-int-to-ptr)
    return path == "/etc/localtime" || path.starts_with("/usr/share/zoneinfo/") || path.starts_with("/usr/share/locale/");
}

// The message that the C library writes on standard error before it aborts: "*** stack smashing detected ***: terminated". Kept
// for the diagnosis.
struct LastWords {
    std::array<char, 256> text{};
    std::size_t bytes = 0;
};
LastWords last_words;

std::int64_t keep_last_words(const SystemCall& call) {
    last_words.bytes = 0;
    std::int64_t all = 0;
    const auto* part = reinterpret_cast<const iovec*>(call.arguments[1]);  // NOLINT(performance-no-int-to-ptr)
    for (std::uint64_t i = 0; i < call.arguments[2]; ++i) {
        const std::size_t count = std::min(part[i].iov_len, last_words.text.size() - last_words.bytes);
        std::memcpy(last_words.text.data() + last_words.bytes, part[i].iov_base, count);
        last_words.bytes += count;
        all += static_cast<std::int64_t>(part[i].iov_len);
    }
    return all;
}

std::string taken_last_words() {
    std::string text(last_words.text.data(), std::exchange(last_words.bytes, 0));
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

// System calls that the C library makes for itself: for its allocator, when it sorts or writes floating-point numbers. Its
// questions about the host get the same answer everywhere. A program that calls such a function by its name finds that of the
// support code instead.
Judgement judge_library(const SystemCall& call) {
    const auto& a = call.arguments;
    switch (call.number) {
        case SYS_brk:
        case SYS_munmap:
        case SYS_mremap:
        case SYS_madvise:
        case SYS_getrandom:
            return make;
        case SYS_mmap:
            return (a[3] & MAP_ANONYMOUS) != 0 && (a[3] & MAP_FIXED) == 0 ? make : refuse;
        case SYS_rt_sigprocmask:  // by siglongjmp() and abort(): a node has no signals that could be held
            // NOLINTNEXTLINE(performance-no-int-to-ptr)
            if (a[2] != 0) std::memset(reinterpret_cast<void*>(a[2]), 0, sizeof(std::uint64_t));
            return answer(0);
        case SYS_futex:
        case SYS_sched_yield:
            return answer(0);  // FUTEX_WAKE: nobody waits
        case SYS_getpid:
        case SYS_gettid:
            return answer(1);
        case SYS_writev:
            return a[0] == STDERR_FILENO ? answer(keep_last_words(call)) : refuse;
        case SYS_sysinfo:
        case SYS_sched_getaffinity:
        case SYS_prlimit64:
            return answer(-ENOSYS);
        case SYS_ioctl:
            return a[1] == TCGETS ? answer(-ENOTTY) : refuse;
        case SYS_openat:
            return looks_for_the_time_zone(call) ? answer(-ENOENT) : refuse;
        default:
            return refuse;
    }
}

}  // namespace

Judgement judge(const SystemCall& call) {
    if (call.of_32_bits) return refuse;
    if (waits_for_a_lock(call) || aborts(call) || ends(call)) return end;
    return call.by_the_program ? refuse : judge_library(call);
}

std::string what_it_does(const SystemCall& call) {
    if (call.of_32_bits)
        return "makes the 32-bit system call " + std::to_string(call.number) + " by int $0x80, which a node does not have";
    if (waits_for_a_lock(call)) return "waits for a lock or for another thread, and nothing can ever wake it";
    if (aborts(call)) {
        const std::string words = taken_last_words();
        return words.empty() ? "is ended by abort()" : "is ended by the C library, which says: " + words;
    }
    if (ends(call)) return "ends itself by the system call " + system_call_name(call.number);
    return "makes the system call " + system_call_name(call.number) + ", which a node does not have";
}

std::string advice_about(const SystemCall& call, const ProgramKind& kind) {
    if (!call.of_32_bits && waits_for_a_lock(call)) return kind.one_thread;
    if (!call.of_32_bits && (aborts(call) || ends(call))) return kind.instead_of_ending;
    return std::string("a node has no files and no operating system of that kind; ") + kind.manual + " says what it has";
}

}  // namespace user_programs
