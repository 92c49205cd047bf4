// Reads an expression.
#include <cctype>
#include <charconv>
#include <utility>

#include "expressions.hpp"

namespace rank_debugger {
namespace {

using Kind = Expression::Kind;
using Node = std::unique_ptr<Expression>;

class Reader {
public:
    explicit Reader(const std::string& text) : text_(text) {}

    Node whole() {
        Node node = sum();
        if (!at_end()) fail("this cannot stand here; an expression is like x, x[3], x[0..99], p->size or *p + 1");
        return node;
    }

private:
    [[noreturn]] void fail(const std::string& what) const { throw ExpressionError(at_ + 1, what); }
    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    }
    bool at_end() {
        skip();
        return at_ == text_.size();
    }
    bool sees(const char* word) {
        skip();
        return text_.compare(at_, std::string(word).size(), word) == 0;
    }
    bool take(const char* word) {
        if (!sees(word)) return false;
        at_ += std::string(word).size();
        return true;
    }
    Node make(Kind kind, std::size_t column, std::string text = {}) const {
        auto node = std::make_unique<Expression>();
        node->kind = kind;
        node->column = column + 1;
        node->text = std::move(text);
        return node;
    }
    static Node with(Node node, Node one, Node other = nullptr) {
        node->parts.push_back(std::move(one));
        if (other) node->parts.push_back(std::move(other));
        return node;
    }

    // Deep nesting would use up the stack.
    class Depth {
    public:
        explicit Depth(const Reader& reader, int& depth) : depth_(depth) {
            constexpr int most = 200;
            if (++depth_ > most) reader.fail("the expression has too many parts inside each other");
        }
        ~Depth() { --depth_; }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;

    private:
        int& depth_;
    };

    Node sum() {
        const Depth depth(*this, depth_);
        Node left = product();
        while (sees("+") || (sees("-") && !sees("->"))) {
            const std::size_t column = at_;
            const std::string sign(1, text_[at_++]);
            left = with(make(Kind::Binary, column, sign), std::move(left), product());
        }
        return left;
    }
    Node product() {
        Node left = prefixed();
        while (sees("*") || sees("/") || sees("%")) {
            const std::size_t column = at_;
            const std::string sign(1, text_[at_++]);
            left = with(make(Kind::Binary, column, sign), std::move(left), prefixed());
        }
        return left;
    }
    Node prefixed() {
        const Depth depth(*this, depth_);
        skip();
        const std::size_t column = at_;
        if (take("-")) return with(make(Kind::Negative, column), prefixed());
        if (take("+")) return prefixed();
        if (take("*")) return with(make(Kind::Target, column), prefixed());
        if (take("&")) return with(make(Kind::Address, column), prefixed());
        return suffixed();
    }
    Node suffixed() {
        Node node = primary();
        while (true) {
            skip();
            const std::size_t column = at_;
            if (take("[")) {
                Node index = sum();
                Kind kind = Kind::Index;
                Node last;
                if (take("..")) {
                    kind = Kind::Range;
                    last = sum();
                }
                if (!take("]")) fail(kind == Kind::Index ? "expected ']', or '..' and the last index" : "expected ']'");
                Node whole = with(make(kind, column), std::move(node), std::move(index));
                if (last) whole->parts.push_back(std::move(last));
                node = std::move(whole);
            } else if (take("->")) {
                node = with(make(Kind::Arrow, column, identifier("the name of a member")), std::move(node));
            } else if (!sees("..") && take(".")) {
                node = with(make(Kind::Member, column, identifier("the name of a member")), std::move(node));
            } else {
                return node;
            }
        }
    }
    Node primary() {
        skip();
        const std::size_t column = at_;
        if (at_end()) fail("the expression ends here; expected a variable or a number");
        if (take("(")) {
            Node node = sum();
            if (!take(")")) fail("expected ')'");
            return node;
        }
        if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return number();
        return make(Kind::Name, column, name());
    }
    Node number() {
        const std::size_t column = at_;
        const char* const end = text_.data() + text_.size();
        const bool is_hex = sees("0x") || sees("0X");
        Node node = make(Kind::Whole, column);
        const char* const begin = text_.data() + at_ + (is_hex ? 2 : 0);
        auto [after, error] = std::from_chars(begin, end, node->whole, is_hex ? 16 : 10);
        if (error == std::errc::result_out_of_range) fail("the number is too large");
        const bool has_point = after < end && *after == '.' && (after + 1 == end || after[1] != '.');
        if (!is_hex && (has_point || (after < end && (*after == 'e' || *after == 'E')))) {
            node->kind = Kind::Real;
            const auto real = std::from_chars(text_.data() + at_, end, node->real);
            after = real.ptr;
            error = real.ec;
        }
        if (error != std::errc()) fail("this is no number");
        at_ = static_cast<std::size_t>(after - text_.data());
        return node;
    }
    std::string identifier(const char* what) {
        skip();
        const std::size_t begin = at_;
        const auto is_letter = [this](std::size_t i) {
            const auto c = static_cast<unsigned char>(text_[i]);
            return std::isalnum(c) != 0 || c == '_' || c >= 0x80 || c == '$';
        };
        while (at_ < text_.size() && is_letter(at_)) ++at_;
        if (begin == at_ || std::isdigit(static_cast<unsigned char>(text_[begin])) != 0) {
            at_ = begin;
            fail(std::string("expected ") + what);
        }
        return text_.substr(begin, at_ - begin);
    }
    // "x", "main::x", "grid::x", "'grid.c'::x"
    std::string name() {
        std::string whole;
        if (take("'")) {
            const std::size_t end = text_.find('\'', at_);
            if (end == std::string::npos) fail("the name of the file has no end; expected '");
            whole = "'" + text_.substr(at_, end - at_) + "'::";
            at_ = end + 1;
            if (!take("::")) fail("expected '::' and the name of a variable of that file");
        }
        whole += identifier("a variable or a number");
        while (take("::")) whole += "::" + identifier("a name behind '::'");
        return whole;
    }

    const std::string& text_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

Node parse_expression(const std::string& text) {
    return Reader(text).whole();
}

std::size_t ranges_in(const Expression& expression) {
    std::size_t count = expression.kind == Kind::Range ? 1 : 0;
    for (const Node& part : expression.parts) count += ranges_in(*part);
    return count;
}

}  // namespace rank_debugger
