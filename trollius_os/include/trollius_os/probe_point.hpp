// ProbePoint: the interface to the probes. Each acting process calls it at its acts. It may charge its cost and make the
// process wait, both through its calls. Without a probe point the kernel behaves as if this type did not exist.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <coroutines/task.hpp>
#include <trollius_os/message_tag.hpp>
#include <vocabulary/ids.hpp>

namespace trollius_os {

class Calls;
class Process;
struct Message;

// Messages are those of the network layer (Api::nsend, nrecv) and of circuits (Api::circuit_send, circuit_receive). The local
// rendez-vous below them, with services and link processes, are not events.
enum class KernelAct : std::uint8_t {
    SendCall,         // a send begins and may wait; nothing has left yet
    MessageSend,      // the message has left the process
    MessageReceive,   // the message has arrived
    ReceiveCall,      // a receive begins and may wait
    CollectiveBegin,  // a program begins an operation of a group (ncombine)
    CollectiveEnd,    // it has what the operation gives
    ProcessStart,
    ProcessEnd,  // its code has returned; a doomed process, or one on a crashed node, has no such event
};

// The operations of a group.
inline constexpr vocabulary::EventNo all_to_all(8);  // each member gets something of each

struct KernelEvent {
    KernelAct act = KernelAct::MessageSend;
    // The other node, or the cast that the message goes to. Empty for a received network message without a tag.
    std::optional<vocabulary::NodeId> peer = {};
    // The message's event; for a circuit, that of its link's output process; for a collective, the operation.
    vocabulary::EventNo event = {};
    std::uint32_t bytes = 0;  // body length; 0 for a call of a receive; for a collective, its number in the group, from 1
    std::optional<MessageTag> tag = {};
    const Message* message = nullptr;  // of a send or receive by the network layer; for witnesses, while they are called
};

class ProbePoint {
public:
    virtual ~ProbePoint() = default;
    // The acting process calls this.
    virtual coroutines::Task<> on(const KernelEvent& what, Calls& calls) = 0;
    // True: a message that the process sends now has a MessageTag. Asked once a message, right before its SendCall is told.
    virtual bool tags(const Process&) const { return false; }
};

// Calls of a program to its node's monitor (thesis, section 5.3.2: user-defined events, switching from the program).
class MonitorCalls {
public:
    virtual coroutines::Task<> user_event(Calls& calls, std::uint32_t number, std::uint64_t value) = 0;
    // `classes`: names with '+' between; "all": each of them. False: unknown name.
    virtual bool switch_classes(Calls& calls, const std::string& classes, bool on) = 0;

protected:
    ~MonitorCalls() = default;
};

}  // namespace trollius_os
