// Witness: observes every act of a kernel. It takes no modelled time, and no process waits for it, so a run with a witness is
// the same run. It serves knowledge that only the simulator has; programs and probes never use it.
#pragma once

#include <cstdint>

#include <trollius_os/probe_point.hpp>
#include <vocabulary/sim_time.hpp>

namespace trollius_os {

class Process;
struct Message;

// A message that no process on the node could use, or that was lost on its way. T800 links have no error detection: damage
// shows up here or nowhere.
struct MessageDropped {
    vocabulary::NodeId node;
    vocabulary::SimTime time;
    const char* where = "";  // the process that dropped it: "dli", "bufferd", "trek.in"
    const char* why = "";
    // number of the lost task or result in it, if known
    std::int64_t task = -1;
    std::uint32_t subtask = 0;
};

// A packet of the datalink has come over a link, for this node or for another.
struct PacketArrived {
    vocabulary::NodeId node;
    vocabulary::LinkNo link;
    vocabulary::SimTime time;  // arrival of its last byte
    const Message& packet;
};

class Witness {
public:
    virtual ~Witness() = default;
    // Called before the probe point of the same act.
    virtual void on_event(const KernelEvent&, const Process&, vocabulary::SimTime) {}
    virtual void on_dropped(const MessageDropped&) {}
    virtual void on_packet(const PacketArrived&) {}
};

}  // namespace trollius_os
