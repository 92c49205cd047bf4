// The words of a specification file: names and plain values, quoted texts, and the signs = ; ,
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <vocabulary/source_position.hpp>

namespace farm_programs {

struct SpecToken {
    enum class Kind : std::uint8_t { Word, Quoted, Sign, End };
    Kind kind = Kind::End;
    std::string text;
    vocabulary::SourcePosition where, behind;  // position of the first character; position after the last one

    bool is(std::string_view sign) const { return kind == Kind::Sign && text == sign; }
    bool is_word(std::string_view word) const { return kind == Kind::Word && text == word; }
    bool is_value() const { return kind == Kind::Word || kind == Kind::Quoted; }
    std::string shown() const;  // for messages
};

class SpecScanner {
public:
    SpecScanner(std::string_view text, const std::string& file) : text_(text), where_{file, 1, 1} {}
    // Throws vocabulary::InputError for an unexpected character and for an unterminated quoted text.
    SpecToken next();

private:
    void step();
    void skip_blanks();
    SpecToken quoted();

    std::string_view text_;
    std::size_t at_ = 0;
    vocabulary::SourcePosition where_;
};

}  // namespace farm_programs
