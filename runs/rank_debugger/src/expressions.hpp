// Expressions over the variables of a program: names, [ ], [FIRST..LAST], ., ->, *, &, + - * / %, parentheses.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "frames.hpp"
#include "values.hpp"

namespace rank_debugger {

// A wrong expression. `column` counts from 1.
struct ExpressionError : std::runtime_error {
    ExpressionError(std::size_t where, const std::string& what) : std::runtime_error(what), column(where) {}
    std::size_t column;
};

struct Expression {
    // Whole, Real: a number. Range: an index from .. to.
    enum class Kind : std::uint8_t { Name, Whole, Real, Negative, Target, Address, Binary, Index, Range, Member, Arrow };
    Kind kind = Kind::Name;
    std::string text{};  // name, member or operator
    std::int64_t whole = 0;
    double real = 0;
    std::size_t column = 0;
    std::vector<std::unique_ptr<Expression>> parts{};
};
std::unique_ptr<Expression> parse_expression(const std::string& text);  // throws ExpressionError
std::size_t ranges_in(const Expression& expression);

// The place of a rank: its frames of the user's functions, the innermost first.
struct Scope {
    const DebugInfo& info;
    const std::vector<Frame>& frames;
    const Activation& globals;  // without a function
};
struct Item {
    std::vector<std::int64_t> indices{};  // one for each range
    Value value;
    const Activation* in = nullptr;
    const Frame* of = nullptr;  // whose variable it is, if it is not one of the innermost frame; null: of that, or global
};
// Throws ExpressionError for what makes no sense. A value that is not there now is an Item with Value::missing.
std::vector<Item> evaluate_expression(const Expression& expression, const Scope& scope);

}  // namespace rank_debugger
