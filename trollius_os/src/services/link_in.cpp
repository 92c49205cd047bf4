#include <vector>

#include <trollius_os/services/datalink.hpp>

namespace trollius_os::services {

void link_in(Api& api, LinkNo link) {
    std::vector<std::byte> body;
    while (true) {
        PacketHeader header;
        const LinkReceived got = api.port().link_receive(
            link, LinkChannel::Datalink, {.header = std::as_writable_bytes(std::span(&header, 1)), .any_body = &body});
        Message packet = decode_header(header);
        if (const char* why = damage_in(packet, got, api.node(), api.kernel().costs().most_packet)) {
            api.kernel().drop("dli", why);
            continue;
        }
        packet.flags |= flags::from_afar;
        packet.body = body;
        packet.datalink_event = events::bufferd;
        api.kernel().packet_arrived(link, got.arrived, packet);
        if ((packet.flags & flags::no_buffer) != 0)
            packet.datalink_event = packet.node == api.node() ? packet.event : api.route(packet.node);
        if (packet.datalink_event == nowhere) {
            api.kernel().drop("dli", "a packet for an unreachable node");
            continue;
        }
        api.dsend(packet);
    }
}

}  // namespace trollius_os::services
