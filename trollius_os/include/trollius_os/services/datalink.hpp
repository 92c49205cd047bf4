// The datalink: one process that writes a link and one that reads it, both of high priority. Each holds at most one packet.
// Header and body go as one message of the link: they follow each other without a gap, because both ends have high priority.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <trollius_os/api.hpp>
#include <trollius_os/services/pouch_codec.hpp>

namespace trollius_os::services {

// The part of a Message that travels before the body (13 words in LAM 7.1.4; its modelled length is kernel.datalink_header).
struct PacketHeader {
    NodeId node{};
    std::uint16_t unused = 0;
    EventNo event{};
    std::int32_t type = 0;
    std::uint32_t flags = 0, length = 0;
    Pouch data{};
};
static_assert(sizeof(PacketHeader) == 52 && std::has_unique_object_representations_v<PacketHeader>);
static_assert(offsetof(PacketHeader, event) == 4 && offsetof(PacketHeader, length) == 16 && offsetof(PacketHeader, data) == 20);

PacketHeader encode_header(const Message& packet);
Message decode_header(const PacketHeader& header);  // without body; damage_in() says whether the bytes make sense

// A literal that names the damage of `packet`, which arrived as `got`; nullptr if it is sound.
const char* damage_in(const Message& packet, const LinkReceived& got, NodeId here, std::uint32_t most_packet);

Task<> link_out(Calls& calls, LinkNo link);  // the process; never returns
Task<> link_in(Calls& calls, LinkNo link);   // likewise

}  // namespace trollius_os::services
