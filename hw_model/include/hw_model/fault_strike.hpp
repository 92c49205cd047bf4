// The action of each fault of a plan, noted as it happens. Plain values, without SystemC.
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
    Stopped,          // it was on the wire, and never ends
    Refused,          // it was offered, and never begins
    ByteChanged,      // the receiver gets another byte
    PacketLost,       // a data packet was not recognised: the transfer never ends
    AcknowledgeLost,  // the sender waits for ever
};

// One thing that a fault did: to a node, a switch or a wire (no `message`), or to something that was on the wire.
struct FaultStrike {
    struct Message {
        FaultEffect effect = FaultEffect::Stopped;
        bool from_a = true;  // it went from the wire's end a to its end b
        vocabulary::Account account{};
        Channel channel = Channel::Datalink;
        std::uint32_t bytes = 0, position = 0;
        std::array<std::byte, 32> header{};  // as the sender wrote it, as far as there is room
        std::size_t header_bytes = 0;
    };
    std::size_t fault = 0;  // index into the plan
    SimTime when;
    bool ended = false;  // it was over then
    std::optional<Message> message;
};

struct FaultTally {
    std::uint64_t struck = 0;    // a fault of packets: those it hit; any other: 1 when its moment came
    std::uint64_t messages = 0;  // hit on the wire
    std::optional<SimTime> first;
    std::optional<SimTime> ended;
};

}  // namespace hw_model
