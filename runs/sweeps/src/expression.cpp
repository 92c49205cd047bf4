#include "expression.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <muParser.h>

#include <vocabulary/nearest_name.hpp>

namespace sweeps {

bool is_name(const std::string& text) {
    if (text.empty() || std::isalpha(static_cast<unsigned char>(text[0])) == 0) return false;
    for (const char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return false;
    return true;
}

namespace {

constexpr const char* functions =
    "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh log2 log10 log ln exp sqrt sign rint abs min max sum "
    "avg";

[[noreturn]] void refuse(const Measure& measure, const vocabulary::SourcePosition& where, const std::string& why) {
    throw vocabulary::InputError(where,
                                 fmt::format("'{}' is no expression over the measures before it: {}", measure.expression, why));
}

// muParser would take "a = 3" and "1, 2", which no measure may be.
void refuse_statements(const Measure& measure, const PlaceOf& place) {
    const std::string& text = measure.expression;
    int open = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (text[i] == ',' && open <= 0)
            refuse(measure, place(i), "',' makes several values; write one, and a point in numbers");
        const bool is_double = i + 1 < text.size() && text[i + 1] == '=';
        if (text[i] != '=') continue;
        if (is_double) {
            ++i;
        } else if (i == 0 || std::string_view("<>!").find(text[i - 1]) == std::string_view::npos) {
            refuse(measure, place(i), "'=' sets a value; compare with '=='");
        }
    }
}

// "unexpected token found at position 3": the file's line and column stand before the text instead.
std::string without_position(std::string why) {
    constexpr std::string_view place = " at position ", found = " found";
    const std::size_t at = why.find(place);
    if (at == std::string::npos) return why;
    const std::size_t end = std::min(why.find_first_not_of("0123456789", at + place.size()), why.size());
    const bool is_found = why.substr(0, at).ends_with(found);
    const std::size_t begin = is_found ? at - found.size() : at;
    return why.erase(begin, end - begin);
}

std::string remedy(const mu::Parser::exception_type& error, const std::vector<std::string>& known) {
    std::vector<std::string> names = known;
    std::istringstream all(functions);
    for (std::string name; all >> name;) names.push_back(name);
    return is_name(error.GetToken()) ? vocabulary::did_you_mean(error.GetToken(), names) : std::string();
}

}  // namespace

void check_expression(const Measure& measure, const std::vector<std::string>& known, const PlaceOf& place) {
    refuse_statements(measure, place);
    std::vector<double> values(known.size(), 1);
    mu::Parser parser;
    try {
        for (std::size_t i = 0; i < known.size(); ++i) parser.DefineVar(known[i], &values[i]);
        parser.SetExpr(measure.expression);
        parser.Eval();
    } catch (const mu::Parser::exception_type& error) {
        const std::size_t at = error.GetPos() < 0 ? 0 : static_cast<std::size_t>(error.GetPos());
        std::string why = without_position(error.GetMsg());
        while (why.ends_with('.')) why.pop_back();
        refuse(measure, place(std::min(at, measure.expression.size())), why + remedy(error, known));
    }
    if (parser.GetNumResults() != 1) refuse(measure, place(0), "it has several values; write one");
}

Evaluated evaluate(const std::string& expression, const std::vector<std::pair<std::string, std::optional<double>>>& known) {
    std::vector<double> values;
    values.reserve(known.size());
    mu::Parser parser;
    for (const auto& [name, value] : known) {
        values.push_back(value.value_or(0));
        parser.DefineVar(name, &values.back());
    }
    parser.SetExpr(expression);
    const auto& used = parser.GetUsedVar();
    // A measure without a value makes what uses it one without a value, too.
    for (const auto& [name, value] : known)
        if (!value && used.count(name) > 0) return {};
    const double result = parser.Eval();
    if (!std::isfinite(result)) return {std::nullopt, true};
    return {result, false};
}

}  // namespace sweeps
