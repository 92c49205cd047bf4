// The message struct of all layers, like the network descriptor of Trollius. The kernel uses event, type, length and body. The
// datalink adds the event of the next process on the way; the network layer adds the node. Reserved events and flags are those
// of LAM 7.1.4, the direct descendant.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <trollius_os/accounts.hpp>
#include <trollius_os/message_tag.hpp>
#include <vocabulary/ids.hpp>

namespace trollius_os {

using vocabulary::EventNo;
using vocabulary::LinkNo;
using vocabulary::NodeId;

// Reserved events: 0x80000000 + a small number; EVDL0 + link is the output process of a link.
constexpr EventNo system_event(std::int32_t number) {
    return EventNo(INT32_MIN + number);
}
namespace events {
inline constexpr EventNo router = system_event(3), boot = system_event(4), filed = system_event(7), loadd = system_event(8),
                         kenyad = system_event(10), echod = system_event(12), bufferd = system_event(13),
                         flatd = system_event(14), datalink0 = system_event(19);
inline constexpr EventNo castd = system_event(40);  // its number in Trollius is not known
inline constexpr EventNo traced = system_event(15);
inline constexpr EventNo mallocd = system_event(41),
                         route_orders = system_event(42);  // their numbers in Trollius are not known
// A process that waits for a signal shows one of these events in `state`. Nobody can send to it.
inline constexpr EventNo pause = system_event(17), stop = system_event(18);
}  // namespace events
// An event of no process: the router's answer for an unreachable node. A process that sends to it blocks for ever, as on the
// real machine.
inline constexpr EventNo nowhere = system_event(2);
constexpr EventNo datalink_event(LinkNo link) {
    return EventNo(events::datalink0.value() + link.value());
}

// The event on which a link's buffer worker receives the messages it fetches.
constexpr EventNo buffer_worker_event(LinkNo link) {
    return EventNo(datalink_event(link).value() + 100);
}
// Events of the processes that move messages; a message from another node to one of them is damaged.
constexpr bool is_internal(EventNo event) {
    const auto link_event = [](EventNo e, EventNo first) { return e >= first && e.value() < first.value() + 4; };
    return event == events::router || event == events::bufferd || event == nowhere ||
           link_event(event, datalink_event(LinkNo(0))) || link_event(event, buffer_worker_event(LinkNo(0)));
}

namespace flags {
inline constexpr std::uint32_t no_buffer = 0x10;       // bypass the buffers everywhere on the path
inline constexpr std::uint32_t second = 0x40;          // not the first packet of its message
inline constexpr std::uint32_t numbered = 0x400;       // nsend() numbers the packets in pouch word 6, and nrecv() checks them
inline constexpr std::uint32_t more = 0x1000;          // more packets follow
inline constexpr std::uint32_t account = 0x3c00000;    // four bits: the message's account (not a Trollius flag)
inline constexpr std::uint32_t from_afar = 0x4000000;  // it came over a link, for payer_of() (not a Trollius flag)
inline constexpr std::uint32_t circuit = 0x8000000;    // it opens a circuit (circuits.hpp; not a Trollius flag)
constexpr std::uint32_t of(Account whose) {
    return std::uint32_t{whose.value()} << 22;
}
static_assert(vocabulary::accounts == 16, "flags::account holds each of them");
}  // namespace flags

// A cast is a node number that stands for a list of nodes: every one of them gets what is sent there (services/castd.hpp).
inline constexpr NodeId::value_type first_cast = 0x8000;
constexpr bool is_cast(NodeId node) {
    return node.value() >= first_cast;
}
// The type of castd's packets that carry messages of users. Its requests have type 0.
inline constexpr std::int32_t cast_packet = 2;

// Types that forwarding processes use among themselves to select messages.
namespace classes {
inline constexpr std::int32_t user = 1, system = 2, control = 8;
inline constexpr std::int32_t circuit = 16;  // passes a link that a circuit holds (not a class of Trollius)
}  // namespace classes

struct Message {
    EventNo datalink_event{};  // next process on the way; filled by routing
    NodeId node{};             // destination
    EventNo event{};
    std::int32_t type = 0;  // 0 matches everything
    std::uint32_t flags = 0;
    std::array<std::int32_t, 8> data{};          // the pouch: travels with the header at no cost
    std::optional<MessageTag> tag{};             // of a tagged message, in its first packet; the calls that send set it
    std::uint32_t length = 0;                    // body bytes to send; after a receive, bytes received
    std::span<std::byte> body{};                 // data to send, or room to receive into
    std::vector<std::byte>* any_body = nullptr;  // for a receive, instead of `body`: takes any length; `body` then refers to it
};

// Two processes meet when their events are equal and their types do.
constexpr bool types_meet(std::int32_t a, std::int32_t b) {
    return a == 0 || b == 0 || (a & b) != 0;
}

constexpr Account account_of(const Message& message) {
    return Account(static_cast<std::uint8_t>((message.flags & flags::account) >> 22));
}
// The account that pays when node `here` moves a message to `message.node`. For messages of the work itself it is the default
// account.
constexpr Account payer_of(const Message& message, NodeId here) {
    const Account account = account_of(message);
    if (!vocabulary::is_tool(account)) return accounts::system;
    return (message.flags & flags::from_afar) != 0 && message.node != here ? vocabulary::in_transit(account) : account;
}

// Interrupted: a signal has ended the call before anything happened (signals.hpp). Broken: the packets of a numbered message
// were not in order, because those of another came between them, or one was lost.
enum class Outcome { Done, WouldBlock, Interrupted, Broken };

}  // namespace trollius_os
