#include <trollius_os/calls.hpp>

#include <algorithm>
#include <utility>

#include <trollius_os/services/bufferd.hpp>
#include <trollius_os/services/router.hpp>

#include "packet_number.hpp"

namespace trollius_os {
namespace {

// The packet is not the one of that number. Packets without numbers are never out of order.
bool is_out_of_order(const Message& packet, std::uint32_t number) {
    return (packet.flags & flags::numbered) != 0 && packet.data[packet_number_word] != static_cast<std::int32_t>(number);
}

}  // namespace

Task<> Calls::yield() {
    co_await port_.settle();
    co_await port_.yield();
}

Task<EventNo> Calls::route(NodeId node) {
    if (node == kernel_.node()) co_return events::bufferd;
    charge(kernel_.costs().route_look_up);
    if (const EventNo* known = process_.routes_.find(node)) co_return *known;
    const EventNo next = co_await ask_router(*this, node);
    process_.routes_[node] = next;
    co_return next;
}

Task<Outcome> Calls::dsend(Message& message, bool wait) {
    const bool delivery = message.node == kernel_.node() && message.datalink_event == message.event;
    const bool of_user = message.event.value() >= 0 || (message.event == events::castd && message.type == cast_packet);
    const std::int32_t user_class = of_user ? classes::user : classes::system;
    return kernel_.send(process_, message.datalink_event, delivery ? message.type : user_class, message, wait);
}

Task<Calls::Left> Calls::send_packet(Message& packet, SendMode mode) {
    const bool local = packet.node == kernel_.node();
    if (local) {
        packet.datalink_event = (packet.flags & flags::no_buffer) != 0 ? packet.event : events::bufferd;
    } else {
        packet.datalink_event = co_await route(packet.node);
    }
    if (mode.drop_unroutable && (packet.datalink_event == nowhere || (local && is_internal(packet.event))))
        co_return Left::NoWay;
    const Outcome outcome = co_await dsend(packet, mode.wait);
    if (outcome == Outcome::Done) co_return Left::Sent;
    co_return outcome == Outcome::WouldBlock ? Left::WouldBlock : Left::Interrupted;
}

Task<Outcome> Calls::nsend(Message& message) {
    return send_message(message, true);
}

Task<Outcome> Calls::ntry_send(Message& message) {
    return send_message(message, false);
}

Task<Outcome> Calls::send_message(Message& message, bool wait) {
    const std::optional<MessageTag> tag = kernel_.next_tag(process_);
    co_await tell(KernelAct::SendCall, message, tag);
    const Left left = co_await send_packets(message, {.wait = wait, .tag = tag});
    if (left == Left::WouldBlock) co_return Outcome::WouldBlock;
    if (left == Left::Interrupted) co_return Outcome::Interrupted;
    co_await tell(KernelAct::MessageSend, message, tag);
    co_return Outcome::Done;
}

Task<bool> Calls::link_send(LinkNo link, const LinkPacket& packet) {
    co_await start_send(packet.messages);
    co_return co_await port_.link_send(link, packet);
}

Task<LinkReceived> Calls::link_receive(LinkNo link, LinkChannel channel, const LinkRoom& room) {
    co_await settle();
    LinkReceived got;
    do {
        got = co_await port_.link_receive(link, channel, room);
    } while (got.dropped);
    co_return got;
}

Task<bool> Calls::circuit_send(LinkNo link, NodeId peer, LinkPacket packet) {
    std::vector<std::byte> tagged;
    co_await circuit_sends(link, peer, packet, tagged);
    const bool arrived = co_await link_send(link, packet);
    co_await circuit_sent(link, peer, packet.body.size());
    co_return arrived;
}

Task<LinkReceived> Calls::circuit_receive(LinkNo link, NodeId peer, LinkRoom room) {
    std::vector<std::byte> header(room.header.size() + sizeof(MessageTag));
    const std::span<std::byte> its = std::exchange(room.header, header);
    co_await circuit_receives(link, peer);
    LinkReceived got = co_await link_receive(link, LinkChannel::Circuit, room);
    const std::optional<MessageTag> tag = take_tag(got, its.size(), header);
    std::copy_n(header.begin(), its.size(), its.begin());
    co_await circuit_received(link, peer, got.body_bytes, tag);
    co_return got;
}

Task<bool> Calls::answer(Message& message, const std::optional<MessageTag>& tag) {
    Left left = Left::Interrupted;
    const SendMode mode{.drop_unroutable = true, .tag = tag};
    while (left == Left::Interrupted) left = co_await send_packets(message, mode);
    if (left == Left::Sent) co_return true;
    kernel_.drop("answer", "a request without a caller");  // a literal: the process may be gone when it is read
    co_return false;
}

Task<Calls::Left> Calls::send_packets(Message& message, SendMode mode) {
    if (is_cast(message.node)) co_return co_await send_to_cast(message, mode);
    const std::uint32_t most = kernel_.costs().most_packet;
    std::uint32_t sent = 0;
    do {
        Message packet = message;
        packet.tag = sent == 0 ? mode.tag : std::nullopt;
        packet.length = std::min(message.length - sent, most);
        packet.body = message.body.subspan(sent, packet.length);
        if (sent > 0) packet.flags |= flags::second;
        if ((message.flags & flags::numbered) != 0) packet.data[packet_number_word] = static_cast<std::int32_t>(sent / most);
        sent += packet.length;
        if (sent < message.length) packet.flags |= flags::more;
        Left left = co_await send_packet(packet, mode);
        // The rest of a message that has begun goes in any case.
        while (left == Left::Interrupted && mode.begun) left = co_await send_packet(packet, mode);
        if (left != Left::Sent) co_return left;
        mode.wait = mode.begun = true;
    } while (sent < message.length);
    co_return Left::Sent;
}

Task<Outcome> Calls::nrecv(Message& message) {
    co_await kernel_.tell({.act = KernelAct::ReceiveCall, .event = message.event}, *this);
    const std::span<std::byte> room = message.body;
    const std::int32_t type = message.type;
    std::vector<std::byte> earlier;  // packets of a message of any length
    std::uint32_t got = 0, number = 0;
    bool broken = false, stray = false;
    std::optional<MessageTag> tag;
    do {
        if (message.any_body != nullptr && got > 0) earlier.insert(earlier.end(), message.body.begin(), message.body.end());
        Outcome outcome = Outcome::Done;
        do {
            const bool buffered = (message.flags & flags::no_buffer) == 0;
            if (buffered) {
                process_.asks_buffers_ = true;
                ++process_.buffer_requests_;
            }
            // A message that came past the buffers may wait already. Then bufferd is not asked: it may be the one that offers
            // the message.
            if (buffered && !kernel_.is_offered(message.event, type))
                outcome = co_await request_from_buffers(*this, message.event, type, {pid(), process_.buffer_requests_});
            message.type = type;
            if (message.any_body == nullptr) message.body = room.subspan(got);
            if (outcome == Outcome::Done) outcome = co_await krecv(message);
            process_.asks_buffers_ = false;
        } while (outcome == Outcome::Interrupted && goes_on_receiving(got > 0));
        if (outcome == Outcome::Interrupted) co_return outcome;
        stray = is_out_of_order(message, number);
        if (stray) [[unlikely]] {
            kernel_.drop("nrecv", number == 0 ? "a packet of a message whose beginning is lost" : "a packet out of order");
            broken = number > 0;
            if (message.any_body != nullptr) message.any_body->clear();
            continue;
        }
        if (number == 0) tag = message.tag;
        ++number;
        got += message.length;
    } while (!broken && (stray || (message.flags & flags::more) != 0));
    if (message.any_body != nullptr) {
        message.any_body->insert(message.any_body->begin(), earlier.begin(), earlier.end());
        message.body = *message.any_body;
    } else {
        message.body = room;
    }
    message.length = got;
    message.tag = tag;
    if (broken) co_return Outcome::Broken;
    const auto sender = tag ? std::optional(tag->sender) : std::nullopt;
    co_await kernel_.tell({.act = KernelAct::MessageReceive,
                           .peer = sender,
                           .event = message.event,
                           .bytes = got,
                           .tag = tag,
                           .message = &message},
                          *this);
    co_return Outcome::Done;
}

}  // namespace trollius_os
