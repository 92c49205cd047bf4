#include "expression.hpp"

#include <cctype>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <muParser.h>

namespace sweeps {

bool is_name(const std::string& text) {
    if (text.empty() || std::isalpha(static_cast<unsigned char>(text[0])) == 0) return false;
    for (const char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return false;
    return true;
}

void check_expression(const Measure& measure, const std::vector<std::string>& known) {
    std::vector<double> values(known.size(), 1);
    mu::Parser parser;
    try {
        for (std::size_t i = 0; i < known.size(); ++i) parser.DefineVar(known[i], &values[i]);
        parser.SetExpr(measure.expression);
        parser.Eval();
    } catch (const mu::Parser::exception_type& error) {
        throw vocabulary::InputError(measure.where, fmt::format("'{}' is no expression over the measures before it: {}",
                                                                measure.expression, error.GetMsg()));
    }
}

std::optional<double> evaluate(const std::string& expression,
                               const std::vector<std::pair<std::string, std::optional<double>>>& known) {
    std::vector<double> values;
    values.reserve(known.size());
    mu::Parser parser;
    for (const auto& [name, value] : known) {
        // A measure without a value makes what uses it one without a value, too.
        values.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
        parser.DefineVar(name, &values.back());
    }
    parser.SetExpr(expression);
    const double result = parser.Eval();
    return std::isfinite(result) ? std::optional(result) : std::nullopt;
}

}  // namespace sweeps
