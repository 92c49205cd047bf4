// ProbePoint: the seam to the probes (D7). A process of the kernel calls it at each of its acts. It may charge its cost and may
// make the process wait, both through the Api. Without it the kernel behaves as if this type did not exist.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <vocabulary/ids.hpp>

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

class ProbePoint {
public:
    virtual ~ProbePoint() = default;
    // Called by the process that acts.
    virtual void on(const KernelEvent& what, Api& api) = 0;
};

// Requests of a program to the monitor of its node (thesis, section 5.3.2: user-defined events, switching from the program).
class MonitorCalls {
public:
    virtual void user_event(Api& api, std::uint32_t number, std::uint64_t value) = 0;
    // `classes`: names with '+' between; "all": each of them. False: a name is no class.
    virtual bool switch_classes(Api& api, const std::string& classes, bool on) = 0;

protected:
    ~MonitorCalls() = default;
};

}  // namespace trollius_os
