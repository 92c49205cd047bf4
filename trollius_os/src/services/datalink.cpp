#include <trollius_os/services/datalink.hpp>

namespace trollius_os::services {

PacketHeader encode_header(const Message& packet) {
    return {.node = packet.node,
            .event = packet.event,
            .type = packet.type,
            .flags = packet.flags,
            .length = packet.length,
            .data = packet.data};
}

Message decode_header(const PacketHeader& header) {
    return {.node = header.node,
            .event = header.event,
            .type = header.type,
            .flags = header.flags,
            .data = header.data,
            .length = header.length};
}

// Only a plausible packet goes on; the length in the header is not trusted. On the real machine the reader would be out of step
// with the wire from there on. Here it takes the packet off the wire and drops it.
const char* damage_in(const Message& packet, const LinkReceived& got, NodeId here, std::uint32_t most_packet) {
    if (got.header_bytes != sizeof(PacketHeader)) return "a packet without a header";
    if (packet.length != got.body_bytes) return "a packet with a wrong length";
    if (got.body_bytes > most_packet) return "a packet that is too long";
    const bool about_pool = packet.event == events::bufferd && packet.type == classes::control;  // bufferd checks the rest
    if (packet.node == here && is_internal(packet.event) && !about_pool)
        return "a packet for a process that takes none from other nodes";
    return nullptr;
}

}  // namespace trollius_os::services
