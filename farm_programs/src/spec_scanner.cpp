#include "spec_scanner.hpp"

#include <cctype>

namespace farm_programs {
namespace {

using vocabulary::InputError;

bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("_./+-:").find(c) != std::string_view::npos;
}

}  // namespace

std::string SpecToken::shown() const {
    if (kind == Kind::End) return "the end of the file";
    return kind == Kind::Quoted ? "\"" + text + "\"" : "'" + text + "'";
}

void SpecScanner::step() {
    if (text_[at_] == '\n') {
        ++where_.line;
        where_.column = 1;
    } else {
        ++where_.column;
    }
    ++at_;
}

void SpecScanner::skip_blanks() {
    while (at_ < text_.size()) {
        if (text_[at_] == '#') {
            while (at_ < text_.size() && text_[at_] != '\n') step();
        } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
            step();
        } else {
            return;
        }
    }
}

SpecToken SpecScanner::quoted() {
    const auto opening = where_;
    step();
    SpecToken token{.kind = SpecToken::Kind::Quoted, .text = {}, .where = where_, .behind = {}};
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
        token.text += text_[at_];
        step();
    }
    if (at_ == text_.size() || text_[at_] == '\n')
        throw InputError(opening, "this text has no closing quotation mark; put one at its end, on the same line");
    step();
    token.behind = where_;
    return token;
}

SpecToken SpecScanner::next() {
    skip_blanks();
    if (at_ == text_.size()) return {.kind = SpecToken::Kind::End, .text = {}, .where = where_, .behind = where_};
    const char first = text_[at_];
    if (first == '"') return quoted();
    SpecToken token{.kind = SpecToken::Kind::Word, .text = {}, .where = where_, .behind = {}};
    if (std::string_view("=;,").find(first) != std::string_view::npos) {
        token.kind = SpecToken::Kind::Sign;
        token.text = first;
        step();
    } else {
        while (at_ < text_.size() && in_word(text_[at_])) {
            token.text += text_[at_];
            step();
        }
    }
    if (token.text.empty()) {
        const bool printable = std::isprint(static_cast<unsigned char>(first)) != 0;
        throw InputError(where_, (printable ? "the letter '" + std::string(1, first) + "'" : std::string("this byte")) +
                                     " has no meaning here; put quotation marks around a value that is more than a plain word");
    }
    token.behind = where_;
    return token;
}

}  // namespace farm_programs
