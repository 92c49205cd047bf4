// The words of a service's message. A request or an answer is a struct as it lies in the pouch: whole words, without gaps, its
// size pinned beside it. A struct that any words make sense for has no sound(); decode() then gives it as it came. A struct
// with sound() refuses the others.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <trollius_os/message.hpp>

namespace trollius_os {

using Pouch = decltype(Message::data);

template <class Words>
concept InPouch = std::is_trivially_copyable_v<Words> && std::has_unique_object_representations_v<Words> && sizeof(Words) %
                          sizeof(std::int32_t) ==
                      0 &&
                  sizeof(Words) <= sizeof(Pouch);

// The words behind those of the struct are 0.
template <InPouch Words>
constexpr Pouch encode(const Words& words) {
    const auto plain = std::bit_cast<std::array<std::int32_t, sizeof(Words) / sizeof(std::int32_t)>>(words);
    Pouch pouch{};
    std::copy(plain.begin(), plain.end(), pouch.begin());
    return pouch;
}

// `Words`, or std::optional<Words> where the struct can refuse: then nothing means damage.
template <InPouch Words>
constexpr auto decode(const Message& message) {
    std::array<std::int32_t, sizeof(Words) / sizeof(std::int32_t)> plain{};
    std::copy_n(message.data.begin(), plain.size(), plain.begin());
    const auto words = std::bit_cast<Words>(plain);
    if constexpr (requires { words.sound(); }) {
        return words.sound() ? std::optional<Words>(words) : std::nullopt;
    } else {
        return words;
    }
}

}  // namespace trollius_os
