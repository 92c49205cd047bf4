// The seam to the probes (D7). The kernel calls an observer, if there is one, at each point; the cycles it returns are charged
// to the running process. Without observer the kernel behaves as if this type did not exist; truth is an observer that returns
// 0.
#pragma once

#include <cstdint>
#include <functional>

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

// A message that somebody on the node could not use, or that was lost on its way. A link of the T800 has no error detection:
// what is damaged on it shows up here, or nowhere.
struct MessageDropped {
    vocabulary::NodeId node;
    vocabulary::SimTime time;
    const char* where = "";  // who dropped it: "dli", "bufferd", "trek.in"
    const char* why = "";
    std::int64_t task = -1;  // the task or result in it, when the one who dropped it knows: one that was sent and lost
    std::uint32_t subtask = 0;
};
using DropObserver = std::function<void(const MessageDropped&)>;  // truth: charges nothing

class KernelObserver {
public:
    virtual ~KernelObserver() = default;
    virtual vocabulary::Cycles on(const MessageMatched& what) = 0;
    virtual vocabulary::Cycles on(const ProcessStarted& what) = 0;
};

}  // namespace trollius_os
