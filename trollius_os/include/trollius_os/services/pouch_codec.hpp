// Encodes a service's message into the words of the pouch. A request or answer is a struct with the pouch's layout: whole
// words, no gaps, its size asserted beside it. A struct without sound() accepts any words in decode(). A struct with sound()
// refuses damaged words.
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

// Unused words become 0.
template <InPouch Words>
constexpr Pouch encode(const Words& words) {
    const auto plain = std::bit_cast<std::array<std::int32_t, sizeof(Words) / sizeof(std::int32_t)>>(words);
    Pouch pouch{};
    std::copy(plain.begin(), plain.end(), pouch.begin());
    return pouch;
}

// Returns `Words`; for a struct with sound(), std::optional<Words>, empty on damage.
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
