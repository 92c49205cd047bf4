#include <instrumentation/record_codec.hpp>

namespace instrumentation {
namespace {

template <class Integer>
std::byte* put(std::byte* at, Integer value) {
    for (std::size_t i = 0; i < sizeof value; ++i) *at++ = static_cast<std::byte>(value >> (8 * i));
    return at;
}

template <class Integer>
Integer get(const std::byte*& at) {
    Integer value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i)
        value = static_cast<Integer>(value | static_cast<Integer>(std::to_integer<Integer>(*at++) << (8 * i)));
    return value;
}

constexpr std::uint8_t result_flag = 0x80;

}  // namespace

void encode(const trace_record::Event& event, std::span<std::byte, record_bytes> to, std::uint8_t missing) {
    std::byte* at = put(to.data(), static_cast<std::uint32_t>(event.time_us));
    at = put(at, static_cast<std::uint8_t>(static_cast<std::uint8_t>(event.kind) | (event.is_result != 0 ? result_flag : 0)));
    at = put(at, missing);
    at = put(at, event.peer);
    at = put(at, event.task);
    at = put(at, event.subtask);
    put(at, event.bytes);
}

trace_record::Event decode(std::span<const std::byte, record_bytes> from) {
    const std::byte* at = from.data();
    trace_record::Event event;
    event.time_us = get<std::uint32_t>(at);
    const auto kind = get<std::uint8_t>(at);
    event.kind = static_cast<trace_record::EventKind>(kind & ~result_flag);
    event.is_result = (kind & result_flag) != 0 ? 1 : 0;
    ++at;
    event.peer = get<std::uint16_t>(at);
    event.task = get<std::uint32_t>(at);
    event.subtask = get<std::uint32_t>(at);
    event.bytes = get<std::uint32_t>(at);
    return event;
}

std::uint8_t missing_before(std::span<const std::byte, record_bytes> record) {
    return std::to_integer<std::uint8_t>(record[5]);
}

}  // namespace instrumentation
