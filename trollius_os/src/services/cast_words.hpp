// Words of the body of a message.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace trollius_os::services {

template <class Word>
std::vector<Word> words_of(std::span<const std::byte> body) {
    std::vector<Word> words(body.size() / sizeof(Word));
    if (!words.empty()) std::memcpy(words.data(), body.data(), words.size() * sizeof(Word));
    return words;
}

}  // namespace trollius_os::services
