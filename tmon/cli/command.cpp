#include "command.hpp"

#include <charconv>
#include <cstdio>
#include <limits>

#include <fmt/format.h>

namespace tmon_cli {

void put(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (text.empty() || text.back() != '\n') std::fputc('\n', stdout);
}

std::string folded(std::string_view text) {
    constexpr std::size_t indent = 4, width = 128;
    std::string result(indent, ' ');
    std::size_t column = indent;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (column > indent && column + 1 + end - at > width) {
            result += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            result += ' ';
            ++column;
        }
        result += text.substr(at, end - at);
        column += end - at;
        at = end + 1;
    }
    return result;
}

std::uint64_t whole_number(const char* option, const std::string& text) {
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    std::uint64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stopped != end || number > most)
        throw CLI::ValidationError(option, fmt::format("'{}' is no whole number from 0 to {}", text, most));
    return number;
}

}  // namespace tmon_cli
