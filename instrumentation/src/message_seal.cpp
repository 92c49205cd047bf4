#include <instrumentation/message_seal.hpp>

#include <algorithm>
#include <boost/crc.hpp>
#include <cstddef>

namespace instrumentation {
namespace {

std::int32_t sum_of(const void* data, std::size_t bytes) {
    boost::crc_32_type crc;
    if (bytes > 0) crc.process_bytes(data, bytes);
    return static_cast<std::int32_t>(crc.checksum());
}

std::int32_t sum_of_body(const trollius_os::Message& message) {
    return sum_of(message.body.data(), std::min<std::size_t>(message.length, message.body.size()));
}

// All words before the sum itself.
std::int32_t sum_of_pouch(const SealedPouch& pouch) {
    return sum_of(&pouch, offsetof(SealedPouch, pouch_sum));
}

}  // namespace

void seal(trollius_os::Message& message) {
    auto pouch = trollius_os::decode<SealedPouch>(message);
    pouch.body_sum = sum_of_body(message);
    pouch.body_length = static_cast<std::int32_t>(message.length);
    pouch.pouch_sum = sum_of_pouch(pouch);
    message.data = trollius_os::encode(pouch);
}

Seal check_seal(const trollius_os::Message& message) {
    const auto pouch = trollius_os::decode<SealedPouch>(message);
    if (pouch.pouch_sum != sum_of_pouch(pouch)) return Seal::Damaged;
    const bool whole = pouch.body_length == static_cast<std::int32_t>(message.length) && pouch.body_sum == sum_of_body(message);
    return whole ? Seal::Whole : Seal::BodyDamaged;
}

}  // namespace instrumentation
