// Witness: sees everything that a kernel does, as it happens. It takes no modelled time, and no process waits for it. So a run
// with a witness is the same run. It is for what only the simulator knows; programs and probes never ask it.
#pragma once

#include <cstdint>

#include <trollius_os/probe_point.hpp>
#include <vocabulary/sim_time.hpp>

namespace trollius_os {

class Process;
struct Message;

// A message that nobody on the node could use, or that was lost on its way. A link of the T800 has no error detection: damage
// on it shows up here, or nowhere.
struct MessageDropped {
    vocabulary::NodeId node;
    vocabulary::SimTime time;
    const char* where = "";  // the process that dropped it: "dli", "bufferd", "trek.in"
    const char* why = "";
    // the task or result in it, if known where it is dropped: one that was sent and lost
    std::int64_t task = -1;
    std::uint32_t subtask = 0;
};

// A packet of the datalink has come over a link, for this node or for another.
struct PacketArrived {
    vocabulary::NodeId node;
    vocabulary::LinkNo link;
    vocabulary::SimTime time;  // of its last byte on the wire
    const Message& packet;
};

class Witness {
public:
    virtual ~Witness() = default;
    // Comes before the probe point of the same act.
    virtual void on_event(const KernelEvent&, const Process&, vocabulary::SimTime) {}
    virtual void on_dropped(const MessageDropped&) {}
    virtual void on_packet(const PacketArrived&) {}
};

}  // namespace trollius_os
