#include <instrumentation/message_seal.hpp>

#include <algorithm>
#include <boost/crc.hpp>

namespace instrumentation {
namespace {

constexpr std::size_t body_sum = 5, body_length = 6, pouch_sum = 7;

std::int32_t sum_of(const void* data, std::size_t bytes) {
    boost::crc_32_type crc;
    if (bytes > 0) crc.process_bytes(data, bytes);
    return static_cast<std::int32_t>(crc.checksum());
}

std::int32_t sum_of_body(const trollius_os::Message& message) {
    return sum_of(message.body.data(), std::min<std::size_t>(message.length, message.body.size()));
}

std::int32_t sum_of_pouch(const trollius_os::Message& message) {
    return sum_of(message.data.data(), pouch_sum * sizeof message.data[0]);
}

}  // namespace

void seal(trollius_os::Message& message) {
    message.data[body_sum] = sum_of_body(message);
    message.data[body_length] = static_cast<std::int32_t>(message.length);
    message.data[pouch_sum] = sum_of_pouch(message);
}

Seal check_seal(const trollius_os::Message& message) {
    if (message.data[pouch_sum] != sum_of_pouch(message)) return Seal::Damaged;
    const bool whole = message.data[body_length] == static_cast<std::int32_t>(message.length) &&
                       message.data[body_sum] == sum_of_body(message);
    return whole ? Seal::Whole : Seal::BodyDamaged;
}

}  // namespace instrumentation
