// The hashes of input files (InputFile).
#include <array>
#include <fstream>

#include <string_view>
#include "scenario_parts.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace scenario {

std::string text_hash(std::string_view content) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx",
                  static_cast<unsigned long long>(XXH3_64bits(content.data(), content.size())));
    return digits;
}

std::string content_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::string content;
    std::array<char, 65536> piece;
    while (in.read(piece.data(), piece.size()) || in.gcount() > 0)
        content.append(piece.data(), static_cast<std::size_t>(in.gcount()));
    return content;
}

std::string content_hash(const std::string& path) {
    return text_hash(content_of(path));
}

}  // namespace scenario
