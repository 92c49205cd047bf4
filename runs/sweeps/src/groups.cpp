#include <sweeps/groups.hpp>

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include <vocabulary/errors.hpp>
#include <vocabulary/nearest_name.hpp>

namespace sweeps {
namespace {

std::size_t index_of(const std::vector<std::string>& names, const std::string& name, const char* what,
                     const std::string& where) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    std::string all;
    for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
    throw vocabulary::RequestError(fmt::format("{}{}'{}' is no {} of this study{}; there are {}", where,
                                               where.empty() ? "" : ": ", name, what, vocabulary::did_you_mean(name, names),
                                               all));
}

}  // namespace

std::size_t axis_index(const StoredStudy& stored, const std::string& name, const std::string& where) {
    return index_of(stored.axes, name, "axis", where);
}
std::size_t measure_index(const StoredStudy& stored, const std::string& name, const std::string& where) {
    return index_of(stored.measures, name, "measure", where);
}

std::optional<double> number_of(const PointRow& row, std::size_t measure) {
    return measure < row.values.size() ? row.values[measure].number : std::nullopt;
}

Spread spread_of(std::vector<double> values) {
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    const double middle = values.size() % 2 == 1 ? values[half] : values[half - 1] + (values[half] - values[half - 1]) / 2;
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    const double mean = std::clamp(sum / static_cast<double>(values.size()), values.front(), values.back());
    return {values.front(), mean, middle, values.back(), values.size()};
}

std::vector<std::string> values_of(const std::vector<PointRow>& rows, std::size_t axis) {
    std::set<std::string> seen;
    std::vector<const PointRow*> by_number;
    for (const PointRow& row : rows) by_number.push_back(&row);
    std::stable_sort(by_number.begin(), by_number.end(),
                     [](const PointRow* a, const PointRow* b) { return a->number < b->number; });
    std::vector<std::string> values;
    for (const PointRow* row : by_number)
        if (seen.insert(row->axis_values[axis]).second) values.push_back(row->axis_values[axis]);
    return values;
}

Cells cells_of(const std::vector<PointRow>& rows, std::size_t first, std::optional<std::size_t> second, std::size_t measure) {
    Cells cells;
    for (const PointRow& row : rows)
        if (const auto number = number_of(row, measure))
            cells[{row.axis_values[first], second ? row.axis_values[*second] : std::string()}].push_back(*number);
    return cells;
}

}  // namespace sweeps
