// TextScanner: fields of a line-oriented text file, without copies, and errors with their position. Lines are counted only for
// an error, so a good file costs one pass over its bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tmon_streams {

constexpr std::uint64_t most_number = 0xFFFF'FFFF;  // of a field that has 32 bits in a record

class TextScanner {
public:
    // The text must outlive the scanner. layout: the fields of a line, for messages, e.g. "Ptime Sid Type Did MainTid SubTid".
    TextScanner(std::string file, std::string_view text, std::string layout);

    // Goes to the first field of the next line that is not blank; false when there is none. The last line must end with a
    // newline.
    bool next_line();
    // The next field of this line; it is an error when there is none.
    std::string_view word(std::string_view name);
    // A decimal number of digits only, at most `most`.
    std::uint64_t number(std::string_view name, std::uint64_t most);
    std::uint32_t hexadecimal(std::string_view name);
    // The index of the next field in a list of names.
    std::size_t one_of(std::string_view name, const std::vector<std::string>& names);
    // No further field may follow on this line.
    void end_of_line();
    // Skips the next field and returns true when it is this word.
    bool takes(std::string_view word);
    // True when the line has no further field.
    bool at_end_of_line();

    // Throws vocabulary::InputError at the field read last.
    [[noreturn]] void fail(const std::string& message) const;
    // The field read last, as written in the file.
    std::string_view last_field() const { return {field_, static_cast<std::size_t>(at_ - field_)}; }

private:
    void skip_blanks() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
    }
    bool in_field() const { return at_ != end_ && *at_ != ' ' && *at_ != '\t' && *at_ != '\n' && *at_ != '\r'; }
    void begin_field(std::string_view name);
    void take_field() {
        while (in_field()) ++at_;
    }
    [[noreturn]] void bad_number(std::string_view name, std::uint64_t most);

    std::string file_;
    std::string layout_;
    const char* begin_;
    const char* end_;
    const char* at_;
    const char* field_;
};

inline void TextScanner::begin_field(std::string_view name) {
    skip_blanks();
    field_ = at_;
    if (!in_field()) fail("the line ends where " + std::string(name) + " should be; a line is '" + layout_ + "'");
}

inline std::uint64_t TextScanner::number(std::string_view name, std::uint64_t most) {
    begin_field(name);
    std::uint64_t value = 0;
    const char* const first = at_;
    while (at_ != end_ && static_cast<unsigned char>(*at_ - '0') <= 9)
        value = value * 10 + static_cast<unsigned char>(*at_++ - '0');
    if (in_field() || at_ - first > 18 || value > most) bad_number(name, most);
    return value;
}

}  // namespace tmon_streams
