#include <expression.hpp>

#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace t800_assembly {
namespace {

using vocabulary::InputError;
using vocabulary::SourcePosition;

class Reader {
public:
    Reader(const Text& expression, const Lookup& lookup, std::int64_t here)
        : text_(expression.text), where_(expression.where), lookup_(lookup), here_(here) {}

    std::int64_t whole() {
        const std::int64_t value = binary(0);
        skip();
        if (at_ < text_.size())
            fail("unexpected '" + std::string(1, text_[at_]) + "' in an expression; operands are separated by commas");
        return value;
    }

private:
    [[noreturn]] void fail(const std::string& message) const { throw InputError(position(), message); }
    [[noreturn]] void fail_at(std::size_t place, const std::string& message) const {
        throw InputError(position(place), message);
    }
    SourcePosition position() const { return position(at_); }
    SourcePosition position(std::size_t place) const {
        SourcePosition where = where_;
        where.column += static_cast<int>(place);
        return where;
    }
    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    }
    bool take(std::string_view wanted) {
        skip();
        if (text_.compare(at_, wanted.size(), wanted) != 0) return false;
        at_ += wanted.size();
        return true;
    }
    // Levels, loosest first: | ^ & shifts sums products.
    std::int64_t binary(int level) {
        if (level == 6) return unary();
        std::int64_t left = binary(level + 1);
        while (const char sign = operator_of(level)) {
            skip();
            const std::size_t first = at_;
            left = apply(sign, left, binary(level + 1), first);
        }
        return left;
    }
    char operator_of(int level) {
        static constexpr std::string_view signs[6] = {"|", "^", "&", "<>", "+-", "*/%"};
        if (level == 3) return take("<<") ? '<' : take(">>") ? '>' : '\0';
        for (const char sign : signs[level]) {
            if (take(std::string_view(&sign, 1))) return sign;
        }
        return '\0';
    }
    // `first`: where the right operand begins.
    std::int64_t apply(char sign, std::int64_t left, std::int64_t right, std::size_t first) const {
        const auto a = static_cast<std::uint64_t>(left), b = static_cast<std::uint64_t>(right);
        if ((sign == '<' || sign == '>') && (right < 0 || right > 63))
            fail_at(first, "a shift by " + std::to_string(right) + " places; a value shifts by 0 to 63");
        switch (sign) {
            case '|':
                return left | right;
            case '^':
                return left ^ right;
            case '&':
                return left & right;
            case '<':
                return static_cast<std::int64_t>(a << b);
            case '>':
                return static_cast<std::int64_t>((a & 0xFFFFFFFFU) >> b);
            case '+':
                return static_cast<std::int64_t>(a + b);
            case '-':
                return static_cast<std::int64_t>(a - b);
            case '*':
                return static_cast<std::int64_t>(a * b);
            default:
                break;
        }
        if (right == 0) fail("division by zero");
        if (right == -1) return sign == '/' ? static_cast<std::int64_t>(0 - a) : 0;
        return sign == '/' ? left / right : left % right;
    }
    std::int64_t unary() {
        if (++depth_ > 200) fail("this expression is nested too deeply");
        std::int64_t value = 0;
        if (take("-")) {
            value = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(unary()));
        } else if (take("~")) {
            value = ~unary();
        } else if (take("(")) {
            value = binary(0);
            if (!take(")")) fail("a ')' is missing");
        } else {
            value = primary();
        }
        --depth_;
        return value;
    }
    std::int64_t primary() {
        skip();
        if (at_ >= text_.size()) fail("a value is missing");
        const char c = text_[at_];
        if (c == '#' || c == '$') return ++at_, digits(16);
        if (c == '0' && at_ + 1 < text_.size() && (text_[at_ + 1] == 'x' || text_[at_ + 1] == 'X')) return at_ += 2, digits(16);
        if (std::isdigit(static_cast<unsigned char>(c)) != 0) return digits(10);
        if (c == '\'') return character();
        if (c == '.' && (at_ + 1 == text_.size() || !is_name_part(text_[at_ + 1]))) return ++at_, here_;
        if (!is_name_start(c)) fail("'" + std::string(1, c) + "' begins neither a number nor a name");
        const SourcePosition where = position();
        const std::size_t first = at_;
        while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
        return lookup_(std::string_view(text_).substr(first, at_ - first), where);
    }
    std::int64_t digits(int base) {
        const std::size_t first = at_;
        std::uint64_t value = 0;
        for (; at_ < text_.size() && std::isxdigit(static_cast<unsigned char>(text_[at_])) != 0; ++at_) {
            const char c = static_cast<char>(std::tolower(static_cast<unsigned char>(text_[at_])));
            const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
            if (digit >= base) fail("'" + std::string(1, c) + "' is no decimal digit; hexadecimal numbers begin with # or 0x");
            value = value * static_cast<unsigned>(base) + static_cast<unsigned>(digit);
            if (value > 0xFFFFFFFFU) fail("this number has more than 32 bits");
        }
        if (at_ == first) fail("digits are missing");
        return static_cast<std::int64_t>(value);
    }
    std::int64_t character() {
        const SourcePosition where = position();
        ++at_;
        if (at_ + 1 >= text_.size()) fail("a character is missing, as in 'a'");
        char c = text_[at_++];
        if (c == '\\') c = unescaped(text_[at_++], where);
        if (at_ >= text_.size() || text_[at_] != '\'') throw InputError(where, "a character ends with ', as in 'a'");
        ++at_;
        return static_cast<unsigned char>(c);
    }

    const std::string& text_;
    const SourcePosition& where_;
    const Lookup& lookup_;
    std::int64_t here_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

std::int64_t evaluate(const Text& expression, const Lookup& lookup, std::int64_t here) {
    return Reader(expression, lookup, here).whole();
}

bool is_name_start(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_name_part(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}
char unescaped(char c, const SourcePosition& where) {
    switch (c) {
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        case '0':
            return '\0';
        case '\\':
        case '\'':
        case '"':
            return c;
        default:
            throw InputError(where, std::string("unknown escape '\\") + c + "'; there are \\n \\r \\t \\0 \\\\ \\' \\\"");
    }
}

}  // namespace t800_assembly
