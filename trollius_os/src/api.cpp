#include <trollius_os/api.hpp>

#include <algorithm>

#include <trollius_os/services/bufferd.hpp>
#include <trollius_os/services/router.hpp>

namespace trollius_os {

EventNo Api::route(NodeId node) {
    if (node == kernel_.node()) return events::bufferd;
    charge(kernel_.costs().route_look_up);
    const auto known = process_.routes_.find(node);
    if (known != process_.routes_.end()) return known->second;
    const EventNo next = ask_router(*this, node);
    process_.routes_.emplace(node, next);
    return next;
}

Outcome Api::dsend(Message& message, bool wait) {
    const bool delivery = message.node == kernel_.node() && message.datalink_event == message.event;
    const std::int32_t user_class = message.event.value() >= 0 ? classes::user : classes::system;
    return kernel_.send(process_, message.datalink_event, delivery ? message.type : user_class, message, wait);
}

bool Api::send_packet(Message& packet, bool drop_unroutable) {
    const bool local = packet.node == kernel_.node();
    if (local) {
        packet.datalink_event = (packet.flags & flags::no_buffer) != 0 ? packet.event : events::bufferd;
    } else {
        packet.datalink_event = route(packet.node);
    }
    if (drop_unroutable && (packet.datalink_event == nowhere || (local && is_internal(packet.event)))) return false;
    dsend(packet);
    return true;
}

void Api::nsend(Message& message) {
    send_packets(message, false);
    kernel_.tell({.act = KernelAct::MessageSend, .peer = message.node, .event = message.event, .bytes = message.length}, *this);
}

bool Api::circuit_send(LinkNo link, NodeId peer, const LinkPacket& packet) {
    const bool arrived = port_.link_send(link, packet);
    kernel_.tell({.act = KernelAct::MessageSend,
                  .peer = peer,
                  .event = datalink_event(link),
                  .bytes = static_cast<std::uint32_t>(packet.body.size())},
                 *this);
    return arrived;
}

LinkReceived Api::circuit_receive(LinkNo link, NodeId peer, const LinkRoom& room) {
    kernel_.tell({.act = KernelAct::ReceiveCall, .peer = peer, .event = datalink_event(link)}, *this);
    const LinkReceived got = port_.link_receive(link, LinkChannel::Circuit, room);
    kernel_.tell({.act = KernelAct::MessageReceive, .peer = peer, .event = datalink_event(link), .bytes = got.body_bytes},
                 *this);
    return got;
}

bool Api::answer(Message& message) {
    if (send_packets(message, true)) return true;
    kernel_.drop("answer", "a request without a caller");  // a literal: the process may be gone when it is read
    return false;
}

bool Api::send_packets(Message& message, bool drop_unroutable) {
    const std::uint32_t most = kernel_.costs().most_packet;
    std::uint32_t sent = 0;
    do {
        Message packet = message;
        packet.length = std::min(message.length - sent, most);
        packet.body = message.body.subspan(sent, packet.length);
        if (sent > 0) packet.flags |= flags::second;
        sent += packet.length;
        if (sent < message.length) packet.flags |= flags::more;
        if (!send_packet(packet, drop_unroutable)) return false;
    } while (sent < message.length);
    return true;
}

void Api::nrecv(Message& message) {
    kernel_.tell({.act = KernelAct::ReceiveCall, .event = message.event}, *this);
    const std::span<std::byte> room = message.body;
    const std::int32_t type = message.type;
    std::vector<std::byte> earlier;  // packets of a message of any length
    std::uint32_t got = 0;
    do {
        if (message.any_body != nullptr && got > 0) earlier.insert(earlier.end(), message.body.begin(), message.body.end());
        // A message that came past the buffers may wait already. Then bufferd is not asked: it may be the one that offers the
        // message.
        const bool buffered = (message.flags & flags::no_buffer) == 0;
        if (buffered && !kernel_.is_offered(message.event, type)) {
            process_.asks_buffers_ = true;
            request_from_buffers(*this, message.event, type, {pid(), ++process_.buffer_requests_});
        }
        message.type = type;
        if (message.any_body == nullptr) message.body = room.subspan(got);
        krecv(message);
        process_.asks_buffers_ = false;
        got += message.length;
    } while ((message.flags & flags::more) != 0);
    if (message.any_body != nullptr) {
        message.any_body->insert(message.any_body->begin(), earlier.begin(), earlier.end());
        message.body = *message.any_body;
    } else {
        message.body = room;
    }
    message.length = got;
    kernel_.tell({.act = KernelAct::MessageReceive, .event = message.event, .bytes = got}, *this);
}

}  // namespace trollius_os
