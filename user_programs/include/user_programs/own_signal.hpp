// Shared by the tool's handlers of signals and the fences around programs (system_fence.hpp).
#pragma once

#include <atomic>
#include <csignal>

namespace user_programs {

// While it is `closed`, the kernel refuses every system call of this process.
struct FenceSelector {
    static constexpr unsigned char open = 0, closed = 1;  // values of the Linux interface
    alignas(64) inline static volatile unsigned char value = open;
};

// Guards a signal handler of Magicwire. The handler may have interrupted a user's function, but its system calls must not count
// as that function's.
class OwnSignal {
public:
    OwnSignal() : was_(FenceSelector::value) {
        FenceSelector::value = FenceSelector::open;
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    ~OwnSignal() {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        FenceSelector::value = was_;
    }
    OwnSignal(const OwnSignal&) = delete;
    OwnSignal& operator=(const OwnSignal&) = delete;

private:
    unsigned char was_;
};

// Set by the command line: points to a value that is nonzero once the user wants to stop. A user's function that does not
// return is then abandoned.
struct EndWanted {
    inline static const volatile std::sig_atomic_t* where = nullptr;
    static bool now() { return where != nullptr && *where != 0; }
};

}  // namespace user_programs
