#include "network_branch.hpp"

#include <cstring>

namespace trek_kernel {

using trollius_os::EventNo;
using trollius_os::Message;

namespace {

constexpr std::size_t size_words = sizeof(SizeMessage) / sizeof(std::int32_t);  // then the number of messages
static_assert(size_words < std::tuple_size_v<decltype(Message::data)>);

// One event for each sender, since a node has several neighbours in the tree.
EventNo event_from(NodeId sender) {
    return EventNo(0x54000000 + sender.value());
}

}  // namespace

Task<> send_over_network(Calls& calls, NodeId to, const SizeBytes& size, std::uint32_t messages, std::span<std::byte> body) {
    Message message{.node = to,
                    .event = event_from(calls.node()),
                    .flags = trollius_os::flags::of(trollius_os::accounts::application),
                    .length = static_cast<std::uint32_t>(body.size()),
                    .body = body};
    std::memcpy(message.data.data(), size.data(), size.size());
    message.data[size_words] = static_cast<std::int32_t>(messages);
    co_await calls.nsend(message);
}

Task<trollius_os::LinkReceived> receive_over_network(Calls& calls, NodeId from, SizeBytes& header, Bytes& body) {
    Message message{.event = event_from(from), .any_body = &body};
    co_await calls.nrecv(message);
    std::memcpy(header.data(), message.data.data(), header.size());
    co_return trollius_os::LinkReceived{.header_bytes = static_cast<std::uint32_t>(header.size()),
                                        .body_bytes = message.length,
                                        .messages = static_cast<std::uint32_t>(message.data[size_words]),
                                        .account = trollius_os::accounts::application,
                                        .arrived = calls.port().now()};
}

}  // namespace trek_kernel
