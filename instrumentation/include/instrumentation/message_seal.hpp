// MessageSeal: shows whether the monitor's own messages are as they were sent. The links have no error detection. A record that
// is believed though one of its bits is wrong makes an analysis certain and wrong. Two check sums (CRC-32) travel in words of
// the pouch that nothing else uses: one of the body, one of the pouch itself. So it is known even with a damaged body which
// records are gone. Tmon-de had nothing of the kind. The pouch travels with every header anyway, so the seal takes no byte of a
// link and no modelled time.
#pragma once

#include <array>
#include <cstdint>

#include <trollius_os/services/pouch_codec.hpp>

namespace instrumentation {

struct SealedPouch {
    std::array<std::int32_t, 5> words{};  // the sender's
    std::int32_t body_sum = 0, body_length = 0, pouch_sum = 0;
};
static_assert(trollius_os::InPouch<SealedPouch> && sizeof(SealedPouch) == sizeof(trollius_os::Pouch));

// A struct that leaves the words of the seal free.
template <class Words>
concept Sealable = trollius_os::InPouch<Words> && sizeof(Words) <= sizeof(SealedPouch::words);

void seal(trollius_os::Message& message);

enum class Seal { Whole, BodyDamaged, Damaged };       // Damaged: even the pouch cannot be trusted
Seal check_seal(const trollius_os::Message& message);  // message.body is the part received, message.length its length

}  // namespace instrumentation
