#include <study_pictures/pictures.hpp>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <study_pictures/scales.hpp>
#include <sweeps/groups.hpp>
#include <vocabulary/errors.hpp>

namespace study_pictures {

using sweeps::PointRow;
using sweeps::Spread;
using sweeps::StoredStudy;
using tmon_pictures::Scale;
using vocabulary::RequestError;

namespace {

double middle_of(const Spread& spread, Middle middle) {
    return middle == Middle::Mean ? spread.mean : spread.median;
}
const char* word_of(Middle middle) {
    return middle == Middle::Mean ? "mean" : "median";
}

// The values of an axis, numbers in rising order.
struct Ordered {
    std::vector<std::string> values;
    std::optional<NumberedValues> numbers;
};
Ordered ordered(const std::vector<PointRow>& rows, std::size_t axis) {
    Ordered result{sweeps::values_of(rows, axis), {}};
    result.numbers = numbered(result.values);
    if (!result.numbers) return result;
    std::vector<std::size_t> order(result.values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::vector<double> numbers = result.numbers->numbers;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
    std::vector<std::string> values;
    result.numbers->numbers.clear();
    for (const std::size_t i : order) {
        values.push_back(result.values[i]);
        result.numbers->numbers.push_back(numbers[i]);
    }
    result.values = std::move(values);
    return result;
}
std::string unit_text(const Ordered& values) {
    return values.numbers ? values.numbers->unit : std::string();
}

void refuse_no_numbers(const StoredStudy& stored, const std::vector<PointRow>& rows, std::size_t measure, const char* where) {
    if (rows.empty()) throw RequestError("no point is left to draw; leave a --where out");
    const auto has = [&](std::size_t which) {
        return std::any_of(rows.begin(), rows.end(),
                           [which](const PointRow& row) { return sweeps::number_of(row, which).has_value(); });
    };
    if (has(measure)) return;
    std::string others;
    for (std::size_t i = 0; i < stored.measures.size(); ++i)
        if (has(i)) others += (others.empty() ? "" : ", ") + stored.measures[i];
    throw RequestError(fmt::format("{}: '{}' has no number in these points; {}", where, stored.measures[measure],
                                   others.empty() ? "no other measure has, either" : "those that have: " + others));
}

// "mean, least to most, over seed; farm.tree=binary; 2 points without a value".
std::string note_of(const StoredStudy& stored, const std::vector<PointRow>& rows, const std::vector<std::string>& shown,
                    std::size_t measure, Middle middle, const std::string& only, bool with_range) {
    std::string over;
    for (std::size_t i = 0; i < stored.axes.size(); ++i) {
        const bool is_shown = std::find(shown.begin(), shown.end(), stored.axes[i]) != shown.end();
        if (!is_shown && sweeps::values_of(rows, i).size() > 1) over += (over.empty() ? "" : ", ") + stored.axes[i];
    }
    std::string note =
        over.empty() ? std::string() : fmt::format("{}{} over {}", word_of(middle), with_range ? ", least to most," : "", over);
    const auto add = [&](const std::string& part) { note += (note.empty() ? "" : "; ") + part; };
    if (!only.empty()) add(only);
    const auto without = std::count_if(rows.begin(), rows.end(),
                                       [measure](const PointRow& row) { return !sweeps::number_of(row, measure).has_value(); });
    if (without > 0) add(fmt::format("{} of {} points have no value", without, rows.size()));
    return note;
}

void refuse_not_positive(const std::string& what, double value, const char* remedy) {
    if (value > 0) return;
    throw RequestError(fmt::format("a logarithmic axis has no place for {} {:.6g}; {}", what, value, remedy));
}

}  // namespace

namespace {

struct CurveParts {
    Ordered xs, bys;
    std::size_t x, y;
    std::optional<std::size_t> by;
};

CurveParts parts_of(const StoredStudy& stored, const std::vector<PointRow>& rows, const CurveRequest& request) {
    CurveParts parts;
    parts.x = sweeps::axis_index(stored, request.x, "--x");
    parts.y = sweeps::measure_index(stored, request.y, "--y");
    if (!request.by.empty()) parts.by = sweeps::axis_index(stored, request.by, "--by");
    if (parts.by == parts.x) throw RequestError("--by: the axis is that of --x already; name another, or leave --by out");
    refuse_no_numbers(stored, rows, parts.y, "--y");
    parts.xs = ordered(rows, parts.x);
    parts.bys = parts.by ? ordered(rows, *parts.by) : Ordered{{""}, {}};
    if (parts.bys.values.size() > most_curves)
        throw RequestError(fmt::format("--by: {} would make {} curves, and {} can be told apart; choose with --where",
                                       request.by, parts.bys.values.size(), most_curves));
    return parts;
}

void put_axes(tmon_pictures::CurvePicture& picture, const StoredStudy& stored, const CurveRequest& request,
              const CurveParts& parts) {
    const LogAxes log = request.logarithmic;
    const bool x_wanted = log == LogAxes::X || log == LogAxes::Both, y_wanted = log == LogAxes::Y || log == LogAxes::Both;
    const auto& numbers = parts.xs.numbers;
    if (!numbers && x_wanted) throw RequestError(fmt::format("--log: the values of {} are no numbers; leave x out", request.x));
    const bool x_fits = numbers && log == LogAxes::Fitting && tmon_pictures::fitting_scale(numbers->numbers) == Scale::Log;
    picture.x = {label_of(request.x, unit_text(parts.xs)), x_fits || x_wanted ? Scale::Log : Scale::Linear,
                 numbers ? std::vector<std::string>{} : parts.xs.values};
    picture.y = {label_of(request.y, unit_of(stored.sources[parts.y])), y_wanted ? Scale::Log : Scale::Linear};
}

}  // namespace

tmon_pictures::CurvePicture curves(const StoredStudy& stored, const std::vector<PointRow>& rows, const CurveRequest& request) {
    const CurveParts parts = parts_of(stored, rows, request);
    const auto& numbers = parts.xs.numbers;
    tmon_pictures::CurvePicture picture;
    picture.title = stored.name;
    picture.note = note_of(stored, rows, {request.x, request.by}, parts.y, request.middle, request.only, true);
    put_axes(picture, stored, request, parts);
    const sweeps::Cells cells = sweeps::cells_of(rows, parts.x, parts.by, parts.y);
    for (const std::string& value : parts.bys.values) {
        tmon_pictures::Curve curve{parts.by ? request.by + "=" + value : std::string(), {}};
        for (std::size_t i = 0; i < parts.xs.values.size(); ++i) {
            const auto found = cells.find({parts.xs.values[i], value});
            if (found == cells.end()) continue;
            const Spread spread = sweeps::spread_of(found->second);
            tmon_pictures::CurvePoint point{numbers ? numbers->numbers[i] : static_cast<double>(i),
                                            middle_of(spread, request.middle)};
            if (spread.least < spread.most) point.spread = tmon_pictures::Range{spread.least, spread.most};
            if (picture.x.scale == Scale::Log) refuse_not_positive(request.x, point.x, "give --log y or --log none");
            if (picture.y.scale == Scale::Log) refuse_not_positive(request.y, spread.least, "leave y out of --log");
            curve.points.push_back(point);
        }
        picture.curves.push_back(std::move(curve));
    }
    return picture;
}

tmon_pictures::HeatPicture heat_map(const StoredStudy& stored, const std::vector<PointRow>& rows, const HeatRequest& request) {
    const std::size_t x = sweeps::axis_index(stored, request.x, "--heat"), y = sweeps::axis_index(stored, request.y, "--heat"),
                      measure = sweeps::measure_index(stored, request.measure, "--heat");
    if (x == y) throw RequestError("--heat: name two different axes, and a measure");
    refuse_no_numbers(stored, rows, measure, "--heat");
    const Ordered xs = ordered(rows, x), ys = ordered(rows, y);
    tmon_pictures::HeatPicture picture;
    picture.title = stored.name;
    picture.note = note_of(stored, rows, {request.x, request.y}, measure, request.middle, request.only, false);
    picture.x = {request.x, Scale::Linear, xs.values};
    picture.y = {request.y, Scale::Linear, ys.values};
    picture.label = label_of(request.measure, unit_of(stored.sources[measure]));
    picture.scale = request.logarithmic ? Scale::Log : Scale::Linear;
    const sweeps::Cells cells = sweeps::cells_of(rows, x, y, measure);
    for (const std::string& down : ys.values) {
        picture.cells.emplace_back();
        for (const std::string& across : xs.values) {
            const auto found = cells.find({across, down});
            picture.cells.back().emplace_back();
            if (found == cells.end()) continue;
            const double value = middle_of(sweeps::spread_of(found->second), request.middle);
            if (request.logarithmic) refuse_not_positive(request.measure, value, "leave --log out");
            picture.cells.back().back() = value;
        }
    }
    return picture;
}

}  // namespace study_pictures
