// The messages of users that nobody has received: those in the pools of the nodes, and those that a process waits to send. Read
// from the simulator's memory, for its user. A message that a link carries at the moment is not counted.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <trollius_hosted/multicomputer.hpp>

namespace trollius_hosted {

// Messages of one destination that wait in one place.
struct Unreceived {
    vocabulary::NodeId at, node;  // where they wait; their destination, a node or cast
    vocabulary::EventNo event;
    std::int32_t type = 0;
    std::string held_by;         // the process that waits to send; empty: bufferd has them
    std::uint64_t messages = 0;  // packets of one message count once
    std::uint64_t bytes = 0;     // of their bodies, as far as they have come
    auto key() const { return std::tie(at, node, event, type, held_by); }
};

// By the place where they wait, then by destination. Cost: linear in the processes and packets.
std::vector<Unreceived> unreceived_messages(Multicomputer& machine);
// "2 messages for event 77, type 0, of n3 (96 bytes): held by the buffers of n3".
std::string unreceived_text(const Unreceived& messages, vocabulary::NodeId host);

}  // namespace trollius_hosted
