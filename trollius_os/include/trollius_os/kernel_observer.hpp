// The seam to the probes (D7). The kernel calls an observer, if there is one, at each point; the cycles it returns are charged
// to the running process. Without observer the kernel behaves as if this type did not exist; truth is an observer that returns
// 0.
#pragma once

#include <cstdint>

#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace trollius_os {

struct MessageMatched {
    vocabulary::NodeId node;
    vocabulary::ProcessId sender, receiver;
    vocabulary::EventNo event;
    std::int32_t type = 0;
    std::uint32_t bytes = 0;
};

struct ProcessStarted {
    vocabulary::NodeId node;
    vocabulary::ProcessId process;
    const char* name = "";
};

class KernelObserver {
public:
    virtual ~KernelObserver() = default;
    virtual vocabulary::Cycles on(const MessageMatched& what) = 0;
    virtual vocabulary::Cycles on(const ProcessStarted& what) = 0;
};

}  // namespace trollius_os
