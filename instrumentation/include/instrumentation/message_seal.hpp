// MessageSeal: detects damage to the monitor's own messages. The links have no error detection, and an accepted record with a
// wrong bit could make an analysis certain and wrong. Two checksums (CRC-32) travel in unused words of the pouch: one of the
// body, one of the pouch itself. So even a message with a damaged body tells which records are lost. Tmon-de had no seal. The
// pouch travels with every header anyway, so the seal costs no link byte and no modelled time.
#pragma once

#include <array>
#include <cstdint>

#include <trollius_os/services/pouch_codec.hpp>

namespace instrumentation {

struct SealedPouch {
    std::array<std::int32_t, 5> words{};  // words of the sender
    std::int32_t body_sum = 0, body_length = 0, pouch_sum = 0;
};
static_assert(trollius_os::InPouch<SealedPouch> && sizeof(SealedPouch) == sizeof(trollius_os::Pouch));

// A struct that leaves the seal's words free.
template <class Words>
concept Sealable = trollius_os::InPouch<Words> && sizeof(Words) <= sizeof(SealedPouch::words);

void seal(trollius_os::Message& message);

enum class Seal { Whole, BodyDamaged, Damaged };       // Damaged: the pouch itself is damaged
Seal check_seal(const trollius_os::Message& message);  // message.body: the received part; message.length: its length

}  // namespace instrumentation
