// Derived measures: expressions over the measures before them (muParser: + - * / ^, comparisons, ?:, and functions as sqrt).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sweeps/study.hpp>

namespace sweeps {

bool is_name(const std::string& text);  // a letter, then letters, digits and '_'

// The place in the file of a character of the expression.
using PlaceOf = std::function<vocabulary::SourcePosition(std::size_t offset)>;
// Throws vocabulary::InputError for a mistake, a name that is not in `known`, an assignment, or several values.
void check_expression(const Measure& measure, const std::vector<std::string>& known, const PlaceOf& place);

struct Evaluated {
    std::optional<double> value;
    bool is_undefined = false;  // all that it uses has a value, and it has no finite one
};
Evaluated evaluate(const std::string& expression, const std::vector<std::pair<std::string, std::optional<double>>>& known);

}  // namespace sweeps
