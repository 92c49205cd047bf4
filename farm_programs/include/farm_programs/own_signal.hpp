// Shared by the tool's handlers of signals and the fences around programs (system_fence.hpp).
#pragma once

#include <atomic>
#include <csignal>

namespace farm_programs {

// While it is `closed`, the kernel refuses every system call of this process.
struct FenceSelector {
    static constexpr unsigned char open = 0, closed = 1;  // as the kernel wants them
    alignas(64) inline static volatile unsigned char value = open;
};

// Used in a handler of the tool's own. The handler may have interrupted a user's function, which does not make the handler's
// calls its own.
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

// Set by the tool: points to a value that is not 0 when the user wants an end. A user's function that does not return by itself
// is then abandoned.
struct EndWanted {
    inline static const volatile std::sig_atomic_t* where = nullptr;
    static bool now() { return where != nullptr && *where != 0; }
};

}  // namespace farm_programs
