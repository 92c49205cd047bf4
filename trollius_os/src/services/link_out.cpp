#include <vector>

#include <trollius_os/circuits.hpp>
#include <trollius_os/services/datalink.hpp>

namespace trollius_os::services {

Task<> link_out(Calls& calls, LinkNo link) {
    std::vector<std::byte> body;  // grows with the arriving packets; most links of a large machine see none
    std::vector<std::byte> tagged;
    while (true) {
        Message packet{.any_body = &body};
        co_await calls.frecv(packet, datalink_event(link), 0);
        if (is_clear(packet)) --calls.kernel().circuits().way(link).clears;
        const PacketHeader header = encode_header(packet);
        LinkPacket on_wire{.channel = LinkChannel::Datalink,
                           .account = account_of(packet),
                           .header = std::as_bytes(std::span(&header, 1)),
                           .body = std::span(body).first(packet.length),
                           .wire_bytes = calls.kernel().costs().datalink_header + packet.length,
                           .messages = packet.length > 0 ? 2U : 1U};
        if (packet.tag) on_wire = with_tag(on_wire, *packet.tag, calls.kernel().costs().message_tag, tagged);
        const bool arrived = co_await calls.link_send(link, on_wire);
        if (!arrived) calls.kernel().drop("dlo", "the link's path changed during the packet");
        if (const auto circuit = circuit_in(packet)) co_await carry_circuit_out(calls, link, *circuit);
    }
}

}  // namespace trollius_os::services
