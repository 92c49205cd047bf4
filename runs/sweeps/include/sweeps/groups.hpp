// Groups of stored points: by the values of one or two axes, with the spread of a measure over everything else. Tables,
// pictures and comparisons rest on them. Cost: linear in the rows, and a sort of each group.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sweeps/study_database.hpp>

namespace sweeps {

// Place of a name in the study. Throws vocabulary::RequestError for one that is not there, with the nearest and all of them.
// `where`: the option that has it, as "--x"; empty: none.
std::size_t axis_index(const StoredStudy& stored, const std::string& name, const std::string& where = {});
std::size_t measure_index(const StoredStudy& stored, const std::string& name, const std::string& where = {});

// The number of a measure in a row. Empty: it is a text, the run does not have it, or the point failed.
std::optional<double> number_of(const PointRow& row, std::size_t measure);

struct Spread {
    double least = 0, mean = 0, median = 0, most = 0;
    std::size_t count = 0;  // values; 0: the others mean nothing
};
Spread spread_of(std::vector<double> values);

// The values of an axis that the rows have, in the order of the study: that of their first points.
std::vector<std::string> values_of(const std::vector<PointRow>& rows, std::size_t axis);

// By the value of `first` and that of `second` (empty without one): the numbers of the measure, in the order of the rows.
using Cells = std::map<std::pair<std::string, std::string>, std::vector<double>>;
Cells cells_of(const std::vector<PointRow>& rows, std::size_t first, std::optional<std::size_t> second, std::size_t measure);

}  // namespace sweeps
