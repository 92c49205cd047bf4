// Event: the record of one observation of a probe. Its size is pinned: a change needs a new trace_version
// (docs/formats/event_record.md). Probes make it, TraceBuffers and the modelled links carry it, the collector keeps it, and
// every analysis reads it.
#pragma once

#include <cstdint>
#include <type_traits>

namespace trace_record {

// The bytes are the same in each version. Version 1 has the kinds Send and Receive only, version 2 those up to User.
inline constexpr std::uint32_t trace_version = 3;

// Kinds of Event. The meaning of the fields for each: docs/formats/event_record.md.
enum class EventKind : std::uint8_t {
    Send = 1,            // an abstract send: size and data of a task or result have left (thesis, section 5.2)
    Receive = 2,         // an abstract receive: both have arrived
    MessageSend = 3,     // a program has sent a message of the kernel: the end of the send
    MessageReceive = 4,  // a program has received one
    ReceiveCall = 5,     // a program calls a receive; the wait begins
    ProcessStart = 6,
    ProcessEnd = 7,
    NodeUsage = 8,    // processor and links since the last such record
    Synchronise = 9,  // a global interrupt; the record's time is the node's clock at the interrupt
    User = 10,
    SendCall = 11,         // a program calls a send; names the message
    Partner = 12,          // directly before a MessageReceive: sender and number of its message
    Member = 13,           // one for each node of a group, by rank, before the first operation of the group here
    CollectiveBegin = 14,  // a program begins an operation of a group
    CollectiveEnd = 15,    // the operation is over at this program
};

// Operations of a group (Kimelman and Zernik 1993, section 2.1): the low byte of the `task` of a CollectiveBegin or -End.
enum class Collective : std::uint8_t {
    Multicast = 1,
    Combine = 2,
    Concatenate = 3,
    Prefix = 4,
    Shift = 5,
    Exchange = 6,
    Barrier = 7,
    AllToAll = 8,  // each member gets something of each: a combination that all get, too
};

// SubTask id: one hexadecimal digit per split level; the rightmost digit is level 0 and unused (decoded from the thesis' logs).
using SubTaskId = std::uint32_t;

// Event::peer of a MessageReceive with an unknown sender: one that does not record its messages.
inline constexpr std::uint16_t unknown_peer = 0xFFFF;
// A peer from here on is no node but a cast: a list of nodes that each get the message.
inline constexpr std::uint16_t first_cast = 0x8000;

struct Event {
    std::uint64_t time_us = 0;  // clock of the recording node since its monitoring began; drifts, never adjusted in place
    std::uint32_t seq = 0;      // per node, from 0, without gaps at the probe: a gap at the reader is a loss
    std::uint32_t task = 0;     // main task number
    SubTaskId subtask = 0;
    std::uint32_t bytes = 0;  // length of the data message; of a SendCall: the number of the message
    std::uint16_t node = 0;   // the node that recorded it
    std::uint16_t peer = 0;   // destination of a send, source of a receive
    EventKind kind = EventKind::Send;
    std::uint8_t is_result = 0;  // 0 a task on its way down, 1 a result on its way up
    std::uint16_t reserved = 0;

    friend bool operator==(const Event&, const Event&) = default;
};
inline constexpr std::uint64_t most_time_us = 1'000'000'000'000'000;  // 31 years; larger times are damage

static_assert(sizeof(Event) == 32 && std::is_trivially_copyable_v<Event>, "docs/formats/event_record.md");

}  // namespace trace_record
