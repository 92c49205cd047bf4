#include <sweeps/study_tables.hpp>

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sweeps/groups.hpp>
#include <text/csv_field.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/nearest_name.hpp>

namespace sweeps {

using vocabulary::RequestError;
using Row = PointRow;

namespace {

std::string number_text(double number) {
    return fmt::format("{:.6g}", number);
}
std::string value_text(const Row& row, std::size_t measure) {
    if (measure >= row.values.size()) return "-";
    const Value& value = row.values[measure];
    return value.is_text ? value.text : value.number ? number_text(*value.number) : "-";
}

// The last lines of a failed point, each line behind a mark.
std::string quoted_lines(const std::string& lines) {
    std::string text;
    for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', at), lines.size());
        text += "    | " + lines.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return text;
}

using Lines = std::vector<std::vector<std::string>>;

// Columns as wide as their widest entry; all but the first `left` to the right.
std::string aligned(const Lines& lines, std::size_t left) {
    std::vector<std::size_t> widths;
    for (const auto& line : lines) {
        widths.resize(std::max(widths.size(), line.size()));
        for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
    }
    std::string text;
    for (const auto& line : lines) {
        std::string out;
        for (std::size_t i = 0; i < line.size(); ++i)
            out += (i == 0 ? "" : "  ") +
                   (i < left ? fmt::format("{:<{}}", line[i], widths[i]) : fmt::format("{:>{}}", line[i], widths[i]));
        out.erase(out.find_last_not_of(' ') + 1);
        text += out + "\n";
    }
    return text;
}

std::vector<std::string> heads(const StoredStudy& stored) {
    std::vector<std::string> line{"point"};
    line.insert(line.end(), stored.axes.begin(), stored.axes.end());
    line.insert(line.end(), stored.measures.begin(), stored.measures.end());
    return line;
}

std::string spread_text(const Spread& spread) {
    if (spread.count == 0) return "-";
    return spread.least == spread.most
               ? number_text(spread.least)
               : fmt::format("{} ({}-{})", number_text(spread.mean), number_text(spread.least), number_text(spread.most));
}

}  // namespace

namespace {

void refuse_unknown_value(const StoredStudy& stored, std::size_t axis, const std::string& value) {
    constexpr std::size_t most = 24;
    const std::vector<std::string> known = values_of(stored.rows, axis);
    if (std::find(known.begin(), known.end(), value) != known.end()) return;
    std::string all;
    for (std::size_t i = 0; i < std::min(most, known.size()); ++i) all += (i == 0 ? "" : ", ") + known[i];
    if (known.size() > most) all += fmt::format(" and {} more", known.size() - most);
    throw RequestError(fmt::format("--where: no stored point has {}={}{}; there are {}", stored.axes[axis], value,
                                   vocabulary::did_you_mean(value, known), all.empty() ? "no points at all" : all));
}

}  // namespace

std::vector<Row> select(const StoredStudy& stored, const Selection& selection) {
    std::vector<Row> rows = stored.rows;
    for (const auto& [name, value] : selection.only) {
        const std::size_t axis = axis_index(stored, name, "--where");
        refuse_unknown_value(stored, axis, value);
        std::erase_if(rows, [&, wanted = value](const Row& row) { return row.axis_values[axis] != wanted; });
    }
    if (!selection.sort_by.empty()) {
        const std::size_t measure = measure_index(stored, selection.sort_by, selection.falling ? "--best" : "--worst");
        std::erase_if(rows, [measure](const Row& row) { return !number_of(row, measure); });
        std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
            const double x = *number_of(a, measure), y = *number_of(b, measure);
            return selection.falling ? y < x : x < y;
        });
    }
    if (selection.most > 0 && rows.size() > selection.most) rows.resize(selection.most);
    return rows;
}

std::string table_text(const StoredStudy& stored, const std::vector<Row>& rows) {
    Lines lines{heads(stored)};
    for (const Row& row : rows) {
        std::vector<std::string> line{std::to_string(row.number)};
        line.insert(line.end(), row.axis_values.begin(), row.axis_values.end());
        for (std::size_t i = 0; i < stored.measures.size() && row.failure.empty(); ++i) line.push_back(value_text(row, i));
        lines.push_back(std::move(line));
    }
    std::string text = aligned(lines, 1 + stored.axes.size());
    for (const Row& row : rows)
        if (!row.failure.empty())
            text += fmt::format("point {} failed: {}\n    {}\n{}", row.number, row.failure, row.repeat,
                                quoted_lines(row.last_lines));
    return text;
}

std::string table_csv(const StoredStudy& stored, const std::vector<Row>& rows) {
    const auto joined = [](const std::vector<std::string>& line) {
        std::string text;
        for (const std::string& field : line) text += (text.empty() ? "" : ",") + text::csv_field(field);
        return text + "\n";
    };
    std::vector<std::string> head = heads(stored);
    head.insert(head.end(), {"exit_code", "failure", "repeat"});
    std::string text = joined(head);
    for (const Row& row : rows) {
        std::vector<std::string> line{std::to_string(row.number)};
        line.insert(line.end(), row.axis_values.begin(), row.axis_values.end());
        for (std::size_t i = 0; i < stored.measures.size(); ++i) {
            const auto number = number_of(row, i);
            const std::string shown = value_text(row, i);
            line.push_back(number ? fmt::format("{}", *number) : shown == "-" ? "" : shown);
        }
        line.insert(line.end(), {std::to_string(row.exit_code), row.failure, row.repeat});
        text += joined(line);
    }
    return text;
}

std::string table_json(const StoredStudy& stored, const std::vector<Row>& rows) {
    nlohmann::ordered_json json = {{"schema", "magicwire.study/1"}, {"name", stored.name},
                                   {"version", stored.version},     {"points", stored.points},
                                   {"stored", stored.rows.size()},  {"rows", nlohmann::ordered_json::array()}};
    for (const Row& row : rows) {
        nlohmann::ordered_json one = {{"point", row.number},
                                      {"settings", nlohmann::ordered_json::object()},
                                      {"measures", nlohmann::ordered_json::object()}};
        for (std::size_t i = 0; i < stored.axes.size(); ++i) one["settings"][stored.axes[i]] = row.axis_values[i];
        for (std::size_t i = 0; i < row.values.size(); ++i) {
            const Value& value = row.values[i];
            auto& place = one["measures"][stored.measures[i]];
            if (value.is_text)
                place = value.text;
            else if (value.number)
                place = *value.number;
        }
        one["exit_code"] = row.exit_code;
        if (!row.failure.empty()) one["failure"] = row.failure;
        if (!row.last_lines.empty()) one["stderr"] = row.last_lines;
        one["repeat"] = row.repeat;
        json["rows"].push_back(std::move(one));
    }
    return json.dump();
}

std::string pivot_text(const StoredStudy& stored, const std::vector<Row>& rows, const std::string& down,
                       const std::string& across, const std::string& measure) {
    const std::size_t row_axis = axis_index(stored, down, "--pivot"), which = measure_index(stored, measure, "--pivot");
    const std::optional<std::size_t> column_axis =
        across.empty() ? std::nullopt : std::optional(axis_index(stored, across, "--pivot"));
    const Cells cells = cells_of(rows, row_axis, column_axis, which);
    const std::vector<std::string> columns = column_axis ? values_of(rows, *column_axis) : std::vector<std::string>{""};
    Lines lines{{down}};
    for (const std::string& column : columns) lines[0].push_back(across.empty() ? measure : across + " " + column);
    for (const std::string& value : values_of(rows, row_axis)) {
        lines.push_back({value});
        for (const std::string& column : columns) {
            const auto found = cells.find({value, column});
            lines.back().push_back(spread_text(found == cells.end() ? Spread{} : spread_of(found->second)));
        }
    }
    return aligned(lines, 1);
}

namespace {

// The values of one measure in a group of points.
struct Group {
    std::vector<double> values;
    std::set<std::string> texts;
    Spread numbers() const { return spread_of(values); }
    bool overlaps(const Group& other) const {
        const Spread its = numbers(), others = other.numbers();
        if (its.count > 0 && others.count > 0) return others.least <= its.most && its.least <= others.most;
        if (texts.empty() && other.texts.empty()) return its.count == others.count;
        return std::any_of(texts.begin(), texts.end(), [&](const std::string& one) { return other.texts.count(one) > 0; });
    }
    std::string text() const {
        std::string all = values.empty() ? "" : spread_text(numbers());
        for (const std::string& one : texts) all += (all.empty() ? "" : " or ") + one;
        return all.empty() ? "none" : all;
    }
};

// By the settings without the seed. A point that failed has no values.
std::map<std::string, Group> groups(const StoredStudy& stored, const std::vector<std::string>& axes, std::size_t measure) {
    std::map<std::string, Group> all;
    for (const Row& row : stored.rows) {
        std::string name;
        for (const std::string& axis : axes)
            name += (name.empty() ? "" : " ") + axis + "=" + row.axis_values[axis_index(stored, axis)];
        Group& group = all[name];
        if (const auto number = number_of(row, measure)) group.values.push_back(*number);
        if (measure < row.values.size() && row.values[measure].is_text) group.texts.insert(row.values[measure].text);
    }
    return all;
}

std::size_t failures(const StoredStudy& stored) {
    return static_cast<std::size_t>(
        std::count_if(stored.rows.begin(), stored.rows.end(), [](const Row& row) { return !row.failure.empty(); }));
}

}  // namespace

Comparison compare(const StoredStudy& one, const StoredStudy& other) {
    const auto common = [](const std::vector<std::string>& a, const std::vector<std::string>& b) {
        std::vector<std::string> both;
        for (const std::string& name : a)
            if (std::find(b.begin(), b.end(), name) != b.end()) both.push_back(name);
        return both;
    };
    std::vector<std::string> axes = common(one.axes, other.axes);
    const std::vector<std::string> measures = common(one.measures, other.measures);
    if (axes.size() != one.axes.size() || axes.size() != other.axes.size() || measures.empty())
        throw RequestError("the two studies have other axes, or no measure in common, so their points cannot be compared");
    std::erase(axes, "seed");
    Comparison result;
    std::size_t same = 0, apart = 0, alone = 0;
    Lines lines{{"measure", "settings", "before", "after", "change"}};
    for (const std::string& name : measures) {
        const auto before = groups(one, axes, measure_index(one, name));
        auto after = groups(other, axes, measure_index(other, name));
        for (const auto& [group, its] : before) {
            const auto found = after.find(group);
            if (found == after.end()) {
                ++alone;
                continue;
            }
            const Group& new_one = found->second;
            const bool overlap = its.overlaps(new_one);
            ++(overlap ? same : apart);
            const bool has_change = !its.values.empty() && !new_one.values.empty() && its.numbers().mean != 0;
            const double change = has_change ? 100 * (new_one.numbers().mean / its.numbers().mean - 1) : 0;
            if (!overlap)
                lines.push_back({name, group, its.text(), new_one.text(), has_change ? fmt::format("{:+.2f} %", change) : ""});
            after.erase(found);
        }
        alone += after.size();
    }
    const std::size_t failed = failures(one), fails = failures(other);
    result.changed = apart > 0 || alone > 0 || failed != fails;
    if (apart > 0) result.text = aligned(lines, 2) + "\n";
    if (failed + fails > 0) result.text += fmt::format("{} points failed before, {} after\n", failed, fails);
    result.text += fmt::format("{} values changed beyond their spread, {} did not{}\n", apart, same,
                               alone > 0 ? fmt::format(", {} are in one of the two only", alone) : "");
    return result;
}

}  // namespace sweeps
