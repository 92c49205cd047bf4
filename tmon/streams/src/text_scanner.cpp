#include "text_scanner.hpp"

#include <algorithm>

#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

namespace tmon_streams {

TextScanner::TextScanner(std::string file, std::string_view text, std::string layout)
    : file_(std::move(file)),
      layout_(std::move(layout)),
      begin_(text.data()),
      end_(text.data() + text.size()),
      at_(begin_),
      field_(begin_) {
    // Without its newline the last number may not be whole.
    if (!text.empty() && text.back() != '\n') {
        field_ = begin_ + (text.find_last_of('\n') == std::string_view::npos ? 0 : text.find_last_of('\n') + 1);
        fail("the last line is cut: it has no end of line; copy the file again or remove the line and accept its loss");
    }
}

bool TextScanner::next_line() {
    while (at_ != end_) {
        skip_blanks();
        if (at_ == end_) break;
        if (*at_ != '\n') return true;
        ++at_;
    }
    return false;
}

std::string_view TextScanner::word(std::string_view name) {
    begin_field(name);
    take_field();
    return last_field();
}

std::uint32_t TextScanner::hexadecimal(std::string_view name) {
    begin_field(name);
    std::uint32_t value = 0;
    for (; in_field(); ++at_) {
        const char digit = *at_;
        std::uint32_t nibble = 0;
        if (digit >= '0' && digit <= '9') {
            nibble = static_cast<std::uint32_t>(digit - '0');
        } else if (digit >= 'a' && digit <= 'f') {
            nibble = static_cast<std::uint32_t>(digit - 'a' + 10);
        } else if (digit >= 'A' && digit <= 'F') {
            nibble = static_cast<std::uint32_t>(digit - 'A' + 10);
        } else {
            take_field();
            fail(std::string(name) + " '" + std::string(last_field()) +
                 "' is not a hexadecimal number; use the digits 0-9 and a-f");
        }
        value = (value << 4) | nibble;
    }
    if (at_ - field_ > 8) fail(std::string(name) + " '" + std::string(last_field()) + "' has more than 8 hexadecimal digits");
    return value;
}

std::size_t TextScanner::one_of(std::string_view name, const std::vector<std::string>& names) {
    const std::string_view text = word(name);
    const auto found = std::find(names.begin(), names.end(), text);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    std::string hint = vocabulary::did_you_mean(text, names);
    if (hint.empty()) {
        for (const std::string& each : names) hint += (hint.empty() ? "; use one of " : ", ") + each;
    }
    fail("unknown " + std::string(name) + " '" + std::string(text) + "'" + hint);
}

bool TextScanner::takes(std::string_view word) {
    skip_blanks();
    const char* const before = at_;
    field_ = at_;
    take_field();
    if (last_field() == word) return true;
    at_ = before;
    return false;
}

bool TextScanner::at_end_of_line() {
    skip_blanks();
    return at_ == end_ || *at_ == '\n';
}

void TextScanner::end_of_line() {
    if (at_end_of_line()) return;
    field_ = at_;
    take_field();
    fail("'" + std::string(last_field()) + "' is one field too many; a line is '" + layout_ + "'");
}

void TextScanner::bad_number(std::string_view name, std::uint64_t most) {
    take_field();
    const std::string text(last_field());
    const bool digits = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits) fail(std::string(name) + " " + text + " is out of range; the most is " + std::to_string(most));
    const bool negative = text.size() > 1 && text[0] == '-';
    fail(std::string(name) + " '" + text + "' is " + (negative ? "negative" : "not a whole number") + "; give one from 0 to " +
         std::to_string(most));
}

void TextScanner::fail(const std::string& message) const {
    const auto line = 1 + std::count(begin_, field_, '\n');
    const char* start = field_;
    while (start != begin_ && start[-1] != '\n') --start;
    throw vocabulary::InputError({file_, static_cast<int>(line), static_cast<int>(field_ - start) + 1}, message);
}

}  // namespace tmon_streams
