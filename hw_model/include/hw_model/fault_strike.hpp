// The recorded actions of faults. Plain values, without SystemC.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <hw_model/channel.hpp>
#include <vocabulary/account.hpp>
#include <vocabulary/sim_time.hpp>

namespace hw_model {

using vocabulary::SimTime;

// The effect of a fault on a packet or a message.
enum class FaultEffect : std::uint8_t {
    Stopped,          // it was on the wire and never ends
    Refused,          // it was offered and never begins
    ByteChanged,      // the receiver gets another byte
    PacketLost,       // a data packet was not recognised: the transfer never ends
    AcknowledgeLost,  // an acknowledge was lost: the sender waits for ever
};

// One action of a fault, on a node, a switch or a wire (no `message`), or on a message on the wire.
struct FaultStrike {
    struct Message {
        FaultEffect effect = FaultEffect::Stopped;
        bool from_a = true;  // direction: from the wire's end a to its end b
        vocabulary::Account account{};
        Channel channel = Channel::Datalink;
        std::uint32_t bytes = 0, position = 0;
        std::array<std::byte, 32> header{};  // as the sender wrote it, cut to the room here
        std::size_t header_bytes = 0;
    };
    std::size_t fault = 0;  // index into the plan
    SimTime when;
    bool ended = false;  // the fault ended at that time
    std::optional<Message> message;
};

struct FaultTally {
    std::uint64_t struck = 0;    // packets hit, for a fault of packets; else 1 once it struck
    std::uint64_t messages = 0;  // messages hit on the wire
    std::optional<SimTime> first;
    std::optional<SimTime> ended;
};

}  // namespace hw_model
