// The seam to the probes (D7). The kernel calls an observer, if there is one, at each point. An observer charges its own cost
// and may make the process wait. Without observer the kernel behaves as if this type did not exist.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace trollius_os {

class Api;

// Messages are those of the network layer (Api::nsend, nrecv) and of circuits (Api::circuit_send, circuit_receive). The local
// rendez-vous below them, with services and link processes, are no events of their own.
enum class KernelAct : std::uint8_t {
    MessageSend,     // has left the process
    MessageReceive,  // has arrived
    ReceiveCall,     // a receive begins, and perhaps waits
    ProcessStart,
    ProcessEnd,  // its code has returned; a process that was doomed, or whose node died, has no such event
};

struct KernelEvent {
    KernelAct act = KernelAct::MessageSend;
    std::optional<vocabulary::NodeId> peer = {};  // the other node; a message of the network does not say where it comes from
    vocabulary::EventNo event = {};               // of the message; of a circuit that of its link's output process
    std::uint32_t bytes = 0;                      // of the body; 0 for a call of a receive
};

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
using DropObserver = std::function<void(const MessageDropped&)>;  // truth: charges nothing

struct Message;
// A packet of the datalink has come over a link, for this node or for another.
struct PacketArrived {
    vocabulary::NodeId node;
    vocabulary::LinkNo link;
    vocabulary::SimTime time;  // of its last byte on the wire
    const Message& packet;
};
using PacketObserver = std::function<void(const PacketArrived&)>;  // truth: charges nothing

class KernelObserver {
public:
    virtual ~KernelObserver() = default;
    // Called by the process that acts.
    virtual void on(const KernelEvent& what, Api& api) = 0;
};

// Calls of the monitor for programs on its node (thesis, section 5.3.2: user-defined events, switching from the program).
class MonitorCalls {
public:
    virtual void user_event(Api& api, std::uint32_t number, std::uint64_t value) = 0;
    // `classes`: names with '+' between; "all": each of them. False: a name is no class.
    virtual bool switch_classes(Api& api, const std::string& classes, bool on) = 0;

protected:
    ~MonitorCalls() = default;
};

}  // namespace trollius_os
