// MessageTag: the name of a message, unique in a run. The sender's node counts its tagged messages from 1. A message has one
// when the probe point of the sender's node wants it (ProbePoint::tags()). Whoever must name messages uses the same tag.
//
// It travels behind the header of the message's first packet. Its modelled length is cost kernel.message_tag, on each link. A
// bad link may change it as any other bytes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <trollius_os/node_port.hpp>

namespace trollius_os {

struct MessageTag {
    NodeId sender{};
    std::uint16_t unused = 0;
    std::uint32_t number = 0;
    friend auto operator<=>(const MessageTag&, const MessageTag&) = default;
};
static_assert(sizeof(MessageTag) == 8 && std::has_unique_object_representations_v<MessageTag>);

// The packet with the tag behind its header. `wire_bytes`: modelled length of the tag. `room` gets both, and must outlive the
// send.
inline LinkPacket with_tag(LinkPacket packet, const MessageTag& tag, std::uint32_t wire_bytes, std::vector<std::byte>& room) {
    const auto bytes = std::as_bytes(std::span(&tag, 1));
    room.assign(packet.header.begin(), packet.header.end());
    room.insert(room.end(), bytes.begin(), bytes.end());
    packet.header = room;
    packet.wire_bytes += wire_bytes;
    return packet;
}

// The tag behind a header of `header_bytes` in `room`, where `got` has arrived. Then got.header_bytes is that of the header
// alone. Empty: the header has another length, or no tag.
inline std::optional<MessageTag> take_tag(LinkReceived& got, std::size_t header_bytes, std::span<const std::byte> room) {
    if (got.header_bytes != header_bytes + sizeof(MessageTag)) return std::nullopt;
    got.header_bytes = static_cast<std::uint32_t>(header_bytes);
    MessageTag tag;
    std::memcpy(&tag, room.data() + header_bytes, sizeof tag);
    return tag;
}

// Room for a header with or without a tag.
template <class Header>
struct TaggedRoom {
    Header header{};
    MessageTag tag{};
    static_assert(sizeof(Header) % alignof(MessageTag) == 0, "nothing between header and tag");

    std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(this, 1)); }
    std::optional<MessageTag> take(LinkReceived& got) const {
        return take_tag(got, sizeof header, std::as_bytes(std::span(this, 1)));
    }
};

}  // namespace trollius_os
