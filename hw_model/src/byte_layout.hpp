// Which byte of a message a data packet carries, at byte level.
#pragma once

#include <algorithm>
#include <cstdint>

#include <hw_model/link_protocol.hpp>

namespace hw_model {

inline constexpr std::uint32_t word_bytes = 4;

// The body's bytes come last on the wire. Bytes beyond the wire's modelled length come with the last byte.
struct Layout {
    std::uint32_t body_at, header_bytes, body_bytes;  // on the wire: where the body begins, and how much of each is sent

    explicit Layout(const LinkMessage& message)
        : body_at(message.wire_bytes - std::min(message.wire_bytes, static_cast<std::uint32_t>(message.body.size()))),
          header_bytes(std::min(body_at, static_cast<std::uint32_t>(message.header.size()))),
          body_bytes(message.wire_bytes - body_at) {}
};

inline std::uint8_t byte_of(const LinkMessage& message, std::uint32_t position) {
    const Layout layout(message);
    if (position >= layout.body_at) return static_cast<std::uint8_t>(message.body[position - layout.body_at]);
    return position < layout.header_bytes ? static_cast<std::uint8_t>(message.header[position]) : 0;
}

// The byte before which the second of two messages that are timed as one is set up.
inline std::uint32_t second_message_at(const LinkMessage& message) {
    return std::min(Layout(message).body_at, message.wire_bytes - 1);
}

}  // namespace hw_model
