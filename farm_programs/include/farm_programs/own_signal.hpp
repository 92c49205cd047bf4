// What the tool's handlers of signals and the fences around programs (system_fence.hpp) know of each other.
#pragma once

#include <atomic>
#include <csignal>

namespace farm_programs {

// While it is `closed`, the kernel refuses every system call of this process.
struct FenceSelector {
    static constexpr unsigned char open = 0, closed = 1;  // as the kernel wants them
    alignas(64) inline static volatile unsigned char value = open;
};

// In a handler of the tool's own: it may have interrupted a user's function, and what it calls is not that function's doing.
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

// Set by the tool: what is not 0 when the user wants an end. A user's function that does not return by itself is abandoned
// then.
struct EndWanted {
    inline static const volatile std::sig_atomic_t* where = nullptr;
    static bool now() { return where != nullptr && *where != 0; }
};

}  // namespace farm_programs
