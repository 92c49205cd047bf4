// UnloadPolicy: when a node's trace leaves it. The buffer manager asks at each of its looks and whenever the buffers hold more
// than limit(). A user's own policy is a class with these two functions (MonitorSettings::unload_policy).
#pragma once

#include <cstddef>
#include <cstdint>

namespace instrumentation {

struct BufferState {
    std::size_t records = 0, room = 0;  // of both buffers together
    std::uint64_t clock_us = 0;         // the node's, since its monitoring began
    bool processor_idle = false;        // no process of low priority wants it now
    bool links_idle = false;            // now
    double processor_load = 0;          // 0 to 1, of the time since the manager's last look
    double link_load = 0;               // likewise, of the busiest outgoing link
};

class UnloadPolicy {
public:
    virtual ~UnloadPolicy() = default;
    // Never called with empty buffers. Takes no modelled time itself: a look costs monitor.manager_check.
    virtual bool unload(const BufferState& state) = 0;
    // With more records than this the manager looks at once; `room`: never before a look.
    virtual std::size_t limit(std::uint64_t clock_us, std::size_t room) const = 0;
};

}  // namespace instrumentation
