// bufferd stores the node's messages until a process takes them. A request is a message of class control. A process of the node
// asks for a message; the answer is that message. A worker for each link fetches the messages for that link. Any process on any
// node asks about the pool, or changes it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <trollius_os/services/request.hpp>

namespace trollius_os {

namespace services {

// The numbers are those of LAM 7.1.4.
enum class BufferCall : std::int32_t {
    Wipe = 0,
    Receive = 1,
    Probe = 2,
    State = 3,
    Sweep = 4,
    SweepOne = 5,
    SetSpace = 6,
    Look = 7
};

struct BufferRequest {
    BufferCall call = BufferCall::Receive;
    EventNo event{};
    std::int32_t type = 0;
    BufferAsker asker{};
    constexpr bool sound() const { return call == BufferCall::Receive; }
};
static_assert(sizeof(BufferRequest) == 20);

// Every call but Receive. `event` and `type` are for Probe, `event` for SweepOne, the spaces in bytes for SetSpace.
struct BufferQuery {
    BufferCall call = BufferCall::State;
    Caller caller{};
    EventNo event{};
    std::int32_t type = 0;
    std::uint32_t first = 0;  // State: number of the first packet to list; Look: number of the packet
    std::uint32_t space = 0, user_space = 0;
    constexpr bool sound() const {
        return call != BufferCall::Receive && call >= BufferCall::Wipe && call <= BufferCall::Look && caller.node.fits() &&
               caller.reply.value() < 0 && !is_internal(caller.reply);
    }
};
static_assert(sizeof(BufferQuery) == 32);

// Body: for State a BufferedPacket each, for Look the packet's body.
struct BufferAnswer {
    std::uint32_t packets =
        0;  // Wipe, Sweep, SweepOne: discarded; Probe, Look: 1 if there is one; SetSpace: 1 if done; else stored
    std::uint32_t used = 0, space = 0, user_space = 0;  // bytes, headers included
    std::int32_t type = 0;                              // Probe, Look: the packet's
    std::uint32_t length = 0;                           // likewise
    std::int32_t more = 0;                              // likewise: 1 if its message has more packets
};
static_assert(sizeof(BufferAnswer) == 28);

// A stored packet as State lists it.
struct BufferedPacket {
    NodeWord node{};
    EventNo event{};
    std::int32_t type = 0;
    std::uint32_t length = 0;
    std::uint32_t flags = 0;  // flags::more and flags::second
};
static_assert(sizeof(BufferedPacket) == 20 && std::has_unique_object_representations_v<BufferedPacket>);

Task<> bufferd(Calls& calls);                     // the process; never returns
Task<> buffer_worker(Calls& calls, LinkNo link);  // likewise

// The packets in the pool of a node, oldest first, read from the simulator's memory: for its user, not for programs. Valid
// until time goes on.
std::vector<const Message*> buffered_packets(const Kernel& kernel);

// Asks the bufferd of the caller's node; two rendez-vous. `caller` of the query is filled in. `room` takes the answer's body.
Task<BufferAnswer> ask_buffers(Calls& calls, BufferQuery query, std::vector<std::byte>* room = nullptr);

}  // namespace services

// First half of a buffered receive: asks bufferd for a message of this event and type. A process passes its request's number in
// `asker.request`. A link's worker receives from bufferd only and passes 0.
Task<Outcome> request_from_buffers(Calls& calls, EventNo event, std::int32_t type, const BufferAsker& asker);

// The pool of a node. These calls go to any node, and wait for its answer without a time-out. Answers that wait for their link
// have a space of four packets beside the pool's. One that finds no room there is dropped.
struct BufferState {
    std::uint32_t used = 0, space = 0, user_space = 0;  // bytes, headers included
    std::vector<services::BufferedPacket> packets;      // oldest first
};
BufferState buffer_state(Api& api, NodeId node);
// Discards packets that no process has taken: those of users, those for one event, or all. Returns their number.
std::uint32_t sweep_buffers(Api& api, NodeId node, std::optional<EventNo> only = std::nullopt);
std::uint32_t wipe_buffers(Api& api, NodeId node);
// False: a space is less than one packet takes, the users' is more than all, or all is more than the node's memory. Packets
// that are stored already stay.
bool set_buffer_space(Api& api, NodeId node, std::uint32_t space, std::uint32_t user_space);
// The body of a stored packet, by its place in the state's list; empty when there is no such packet.
std::optional<std::vector<std::byte>> look_into_buffers(Api& api, NodeId node, std::uint32_t number);

}  // namespace trollius_os
