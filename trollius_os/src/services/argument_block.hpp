// A program's arguments as a block of flatd: each word with a zero behind it. A one stands at the end, because flatd keeps no
// zeros there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <trollius_os/programs.hpp>

#include "body_text.hpp"

namespace trollius_os::services {

inline std::vector<std::byte> block_of(const Arguments& words) {
    std::vector<std::byte> block;
    for (const std::string& word : words) {
        const std::vector<std::byte> bytes = bytes_of(word);
        block.insert(block.end(), bytes.begin(), bytes.end());
        block.push_back(std::byte{0});
    }
    block.push_back(std::byte{1});
    return block;
}

inline Arguments words_in(std::span<const std::byte> block) {
    Arguments words;
    for (auto zero = std::find(block.begin(), block.end(), std::byte{0}); zero != block.end();
         zero = std::find(block.begin(), block.end(), std::byte{0})) {
        const auto length = static_cast<std::size_t>(zero - block.begin());
        words.push_back(text_in(block.first(length)));
        block = block.subspan(length + 1);
    }
    return words;
}

}  // namespace trollius_os::services
