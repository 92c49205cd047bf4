// Derived measures: expressions over the measures before them (muParser: + - * / ^, comparisons, ?:, and functions as sqrt).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sweeps/study.hpp>

namespace sweeps {

bool is_name(const std::string& text);  // a letter, then letters, digits and '_'
// Throws vocabulary::InputError at the measure for a mistake, or for a name that is not in `known`.
void check_expression(const Measure& measure, const std::vector<std::string>& known);
// Empty: it has no finite value, or a measure that it uses has none.
std::optional<double> evaluate(const std::string& expression,
                               const std::vector<std::pair<std::string, std::optional<double>>>& known);

}  // namespace sweeps
