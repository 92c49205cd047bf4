// UnloadPolicy: decides when a node sends its trace. The buffer manager asks at each check, and whenever the buffers exceed
// limit(). A user's own policy is a class with these two functions (MonitorSettings::unload_policy).
#pragma once

#include <cstddef>
#include <cstdint>

namespace instrumentation {

struct BufferState {
    std::size_t records = 0, room = 0;  // both buffers together
    std::uint64_t clock_us = 0;         // the node's, since its monitoring began
    bool processor_idle = false;        // no low-priority process runs or is ready now
    bool links_idle = false;            // no link is sending now
    double processor_load = 0;          // 0 to 1, since the manager's last check
    double link_load = 0;               // likewise, for the busiest outgoing link
};

class UnloadPolicy {
public:
    virtual ~UnloadPolicy() = default;
    // Never called with empty buffers. It takes no modelled time itself; a check costs monitor.manager_check.
    virtual bool unload(const BufferState& state) = 0;
    // With more records than this the manager checks at once. `room`: only periodic checks.
    virtual std::size_t limit(std::uint64_t clock_us, std::size_t room) const = 0;
};

}  // namespace instrumentation
