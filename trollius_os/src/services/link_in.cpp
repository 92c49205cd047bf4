#include <vector>

#include <trollius_os/circuits.hpp>
#include <trollius_os/services/datalink.hpp>

namespace trollius_os::services {

Task<> link_in(Calls& calls, LinkNo link) {
    std::vector<std::byte> body;
    while (true) {
        TaggedRoom<PacketHeader> head;
        LinkReceived got =
            co_await calls.link_receive(link, LinkChannel::Datalink, {.header = head.bytes(), .any_body = &body});
        const std::optional<MessageTag> tag = head.take(got);
        Message packet = decode_header(head.header);
        packet.tag = tag;
        if (const char* why = damage_in(packet, got, calls.node(), calls.kernel().costs().most_packet)) {
            calls.kernel().drop("dli", why);
            continue;
        }
        packet.flags |= flags::from_afar;
        packet.body = body;
        packet.datalink_event = events::bufferd;
        calls.kernel().packet_arrived(link, got.arrived, packet);
        if (is_clear(packet)) {
            co_await send_clear(calls, packet);
            continue;
        }
        if ((packet.flags & flags::no_buffer) != 0) {
            packet.datalink_event = packet.event;
            if (packet.node != calls.node()) packet.datalink_event = co_await calls.route(packet.node);
        }
        if (packet.datalink_event == nowhere) {
            calls.kernel().drop("dli", "a packet for an unreachable node");
            continue;
        }
        if (circuit_in(packet)) {
            co_await carry_circuit_in(calls, link, packet);
            continue;
        }
        co_await calls.dsend(packet);
    }
}

}  // namespace trollius_os::services
