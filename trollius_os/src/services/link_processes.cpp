// The datalink: one process that writes a link and one that reads it, both of high priority. Each holds at most one packet.
// Header and body go as one message of the link: the two follow each other without a gap, because both ends are of high
// priority.
#include <cstring>
#include <type_traits>
#include <vector>

#include <trollius_os/services.hpp>

namespace trollius_os::services {
namespace {

// The part of a Message that travels in front of the body (13 words in LAM 7.1.4; its modelled length is
// kernel.datalink_header).
struct WireHeader {
    std::uint16_t node;
    std::int32_t event, type;
    std::uint32_t flags, length;
    std::int32_t data[8];
};
static_assert(std::is_trivially_copyable_v<WireHeader>);

}  // namespace

void link_out(Api& api, LinkNo link) {
    std::vector<std::byte> body;  // grows with the arriving packets; most links of a large machine see none
    while (true) {
        Message packet{.any_body = &body};
        api.frecv(packet, datalink_event(link), 0);
        WireHeader header{packet.node.value(), packet.event.value(), packet.type, packet.flags, packet.length, {}};
        std::memcpy(header.data, packet.data.data(), sizeof header.data);
        const bool arrived = api.port().link_send(link, {.channel = LinkChannel::Datalink,
                                                         .account = account_of(packet),
                                                         .header = std::as_bytes(std::span(&header, 1)),
                                                         .body = std::span(body).first(packet.length),
                                                         .wire_bytes = api.kernel().costs().datalink_header + packet.length,
                                                         .messages = packet.length > 0 ? 2U : 1U});
        if (!arrived) api.kernel().drop("dlo", "the link's path was changed under a packet");
    }
}

// Whatever bytes come, only a packet that has a meaning goes on. The length in the header is not believed. On the machine the
// reader would be out of step with the wire from there on. Here it takes the packet as it came off the wire, and drops it.
const char* what_is_wrong(const Api& api, const Message& packet, const LinkReceived& got) {
    if (got.header_bytes != sizeof(WireHeader)) return "what has no packet header";
    if (packet.length != got.body_bytes) return "a packet with a length that is not its own";
    if (got.body_bytes > api.kernel().costs().most_packet) return "a packet longer than any";
    if (packet.node == api.node() && is_internal(packet.event)) return "a packet for a process that takes none from outside";
    return nullptr;
}

void link_in(Api& api, LinkNo link) {
    std::vector<std::byte> body;
    while (true) {
        WireHeader header{};
        const LinkReceived got = api.port().link_receive(
            link, LinkChannel::Datalink, {.header = std::as_writable_bytes(std::span(&header, 1)), .any_body = &body});
        Message packet{.datalink_event = events::bufferd,
                       .node = NodeId(header.node),
                       .event = EventNo(header.event),
                       .type = header.type,
                       .flags = header.flags | flags::from_afar,
                       .length = header.length,
                       .body = body};
        std::memcpy(packet.data.data(), header.data, sizeof header.data);
        if (const char* why = what_is_wrong(api, packet, got)) {
            api.kernel().drop("dli", why);
            continue;
        }
        api.kernel().packet_arrived(link, got.arrived, packet);
        if ((packet.flags & flags::no_buffer) != 0)
            packet.datalink_event = packet.node == api.node() ? packet.event : api.route(packet.node);
        if (packet.datalink_event == nowhere) {
            api.kernel().drop("dli", "a packet for a node that no way leads to");
            continue;
        }
        api.dsend(packet);
    }
}

}  // namespace trollius_os::services
