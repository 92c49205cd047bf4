// Numbers and addresses as words of a command.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

namespace cli {

// The whole word, or nothing.
template <class Number>
std::optional<Number> number_in(const std::string& word, int base = 10) {
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    return error == std::errc() && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

// "#80000070" or "0x80000070".
inline std::optional<std::uint32_t> address_in(const std::string& word) {
    if (!word.starts_with('#') && !word.starts_with("0x")) return std::nullopt;
    return number_in<std::uint32_t>(word.substr(word.starts_with('#') ? 1 : 2), 16);
}

}  // namespace cli
