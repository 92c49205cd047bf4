#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <study_pictures/page.hpp>
#include <study_pictures/scales.hpp>
#include <sweeps/groups.hpp>
#include <vocabulary/errors.hpp>

#include "study_page_parts.hpp"

namespace study_pictures {

using nlohmann::ordered_json;
using sweeps::PointRow;

namespace {

// {"name", "unit", "values", "numbers", "of"}: `of` has each row's value as its place in `values`.
ordered_json axis_json(const std::string& name, const std::vector<PointRow>& rows, std::size_t axis) {
    const std::vector<std::string> values = sweeps::values_of(rows, axis);
    std::map<std::string, std::size_t> place;
    for (std::size_t i = 0; i < values.size(); ++i) place[values[i]] = i;
    const auto numbers = numbered(values);
    ordered_json json = {{"name", name}, {"unit", numbers ? numbers->unit : ""}, {"values", values}, {"numbers", nullptr}};
    if (numbers) json["numbers"] = numbers->numbers;
    json["of"] = ordered_json::array();
    for (const PointRow& row : rows) json["of"].push_back(place.at(row.axis_values[axis]));
    return json;
}

ordered_json measure_json(const std::string& name, const std::string& source, const std::vector<PointRow>& rows,
                          std::size_t measure) {
    ordered_json json = {{"name", name}, {"unit", unit_of(source)}, {"source", source}, {"values", ordered_json::array()}};
    for (const PointRow& row : rows) {
        ordered_json value;
        if (measure < row.values.size() && row.values[measure].is_text)
            value = row.values[measure].text;
        else if (const auto number = sweeps::number_of(row, measure))
            value = *number;
        json["values"].push_back(std::move(value));
    }
    return json;
}

// `what` stands once in the page as we wrote it; texts of a study come last, so that they cannot hold one of these words.
void put(std::string& page, const std::string& what, const std::string& by) {
    page.replace(page.find(what), what.size(), by);
}

}  // namespace

std::string study_page(const sweeps::StoredStudy& stored, const std::vector<PointRow>& rows, const std::string& only) {
    if (rows.empty()) throw vocabulary::RequestError("no point is there to show; run the study, or leave a --where out");
    if (rows.size() > most_page_rows)
        throw vocabulary::RequestError(fmt::format(
            "{} points are too many for a page, which holds {}; choose some with --where", rows.size(), most_page_rows));
    ordered_json data = {{"name", stored.name},
                         {"version", stored.version},
                         {"whole", stored.points},
                         {"only", only},
                         {"points", ordered_json::array()},
                         {"axes", ordered_json::array()},
                         {"measures", ordered_json::array()},
                         {"failures", ordered_json::object()},
                         {"repeat", ordered_json::array()}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        data["points"].push_back(rows[i].number);
        data["repeat"].push_back(rows[i].repeat);
        if (!rows[i].failure.empty()) data["failures"][std::to_string(i)] = rows[i].failure;
    }
    for (std::size_t i = 0; i < stored.axes.size(); ++i) data["axes"].push_back(axis_json(stored.axes[i], rows, i));
    for (std::size_t i = 0; i < stored.measures.size(); ++i)
        data["measures"].push_back(measure_json(stored.measures[i], stored.sources[i], rows, i));
    const std::string text = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    // Nothing in it may close the element that it lies in.
    std::string safe;
    safe.reserve(text.size());
    for (const char c : text) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
    std::string page = study_page_html;
    put(page, "@CHARTS@", study_page_charts);
    put(page, "@SCRIPT@", study_page_script);
    put(page, "@DATA@", safe);
    return page;
}

}  // namespace study_pictures
