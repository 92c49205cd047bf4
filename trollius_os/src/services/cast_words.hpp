// Words of the body of a message.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include <trollius_os/services/castd.hpp>

namespace trollius_os::services {

template <class Word>
std::vector<Word> words_of(std::span<const std::byte> body) {
    std::vector<Word> words(body.size() / sizeof(Word));
    if (!words.empty()) std::memcpy(words.data(), body.data(), words.size() * sizeof(Word));
    return words;
}

inline std::vector<NodeId> ids(std::span<const NodeWord> words) {
    std::vector<NodeId> nodes(words.size());
    std::transform(words.begin(), words.end(), nodes.begin(), [](NodeWord word) { return word.id(); });
    return nodes;
}

}  // namespace trollius_os::services
