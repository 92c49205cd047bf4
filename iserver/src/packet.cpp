#include <iserver/packet.hpp>

#include <utility>

#include <fmt/format.h>

#include <vocabulary/errors.hpp>

namespace iserver {
namespace {

std::size_t length_of(std::span<const std::byte> bytes) {
    return std::to_integer<std::size_t>(bytes[0]) | std::to_integer<std::size_t>(bytes[1]) << 8;
}

}  // namespace

std::span<const std::byte> Fields::take(std::size_t count) {
    if (!whole_ || rest_.size() < count) {
        whole_ = false;
        return {};
    }
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
}

std::uint8_t Fields::byte() {
    const auto bytes = take(1);
    return bytes.empty() ? std::uint8_t{0} : std::to_integer<std::uint8_t>(bytes[0]);
}

std::uint16_t Fields::int16() {
    const auto bytes = take(2);
    return bytes.empty() ? std::uint16_t{0} : static_cast<std::uint16_t>(length_of(bytes));
}

std::int32_t Fields::int32() {
    const auto bytes = take(4);
    std::uint32_t value = 0;
    for (std::size_t i = bytes.size(); i > 0; --i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[i - 1]);
    return static_cast<std::int32_t>(value);
}

std::string Fields::text() {
    const auto bytes = take(int16());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Reply& Reply::byte(std::uint8_t value) {
    bytes_.push_back(static_cast<std::byte>(value));
    return *this;
}

Reply& Reply::int16(std::uint16_t value) {
    return byte(static_cast<std::uint8_t>(value)).byte(static_cast<std::uint8_t>(value >> 8));
}

Reply& Reply::int32(std::int32_t value) {
    const auto bits = static_cast<std::uint32_t>(value);
    return int16(static_cast<std::uint16_t>(bits)).int16(static_cast<std::uint16_t>(bits >> 16));
}

Reply& Reply::block(std::string_view bytes) {
    const std::string_view fits = bytes.substr(0, most_block);
    int16(static_cast<std::uint16_t>(fits.size()));
    for (const char c : fits) bytes_.push_back(static_cast<std::byte>(c));
    return *this;
}

std::vector<std::byte> Reply::packet() const {
    const std::size_t length = (bytes_.size() + 1) / 2 * 2;
    std::vector<std::byte> packet;
    packet.reserve(length + 2);
    packet.push_back(static_cast<std::byte>(length & 0xff));
    packet.push_back(static_cast<std::byte>(length >> 8));
    packet.insert(packet.end(), bytes_.begin(), bytes_.end());
    packet.resize(length + 2);
    return packet;
}

std::size_t PacketReader::wants() const {
    return bytes_.size() < 2 ? 2 - bytes_.size() : 2 + length_of(bytes_) - bytes_.size();
}

std::optional<std::vector<std::byte>> PacketReader::take(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    if (bytes_.size() < 2) return std::nullopt;
    const std::size_t length = length_of(bytes_);
    if (length < least_request || length > most_request || length % 2 != 0) {
        throw vocabulary::RequestError(fmt::format(
            "the program sends the host a packet of {} bytes, and one of the iserver protocol has {} to {} and an even number; "
            "for a program that sends plain bytes use --raw",
            length, least_request, most_request));
    }
    if (wants() > 0) return std::nullopt;
    std::vector<std::byte> packet(bytes_.begin() + 2, bytes_.end());
    bytes_.clear();
    return packet;
}

}  // namespace iserver
