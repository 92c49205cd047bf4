#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <text/csv_field.hpp>
#include <tmon_pictures/curve_picture.hpp>
#include <topologies/strict_yaml.hpp>
#include <twin/overhead_sweep.hpp>
#include <vocabulary/source_position.hpp>

namespace twin {
namespace {

using State = SweepRow::State;

double in_ms(vocabulary::SimTime time) {
    return static_cast<double>(time.in_ps()) * 1e-9;
}

std::string percent_text(const std::optional<double>& percent) {
    return percent ? fmt::format("{:.3f}", *percent) : "-";
}

const std::vector<std::string> figures = {"twin_ms", "monitored_ms", "slow_down_percent", "results",      "tasks",
                                          "records", "lost",         "trace_bytes",       "nodes_changed"};

// Without a result in common there is no time.
std::string time_text(const SweepRow& row, vocabulary::SimTime time) {
    return row.compared > 0 ? fmt::format("{:.3f}", in_ms(time)) : "-";
}

std::vector<std::string> cells(const SweepRow& row) {
    return {time_text(row, row.twin),        time_text(row, row.monitored),      percent_text(row.slow_down_percent()),
            fmt::format("{}", row.compared), fmt::format("{}", row.tasks),       fmt::format("{}", row.records),
            fmt::format("{}", row.dropped),  fmt::format("{}", row.trace_bytes), fmt::format("{}", row.nodes_changed)};
}

std::string failure_of(const SweepRow& row) {
    if (row.state == State::Failed) return row.failure;
    return row.state == State::NotRun ? "not run: interrupted" : "";
}

std::optional<double> number_of(const std::string& text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return {};
    return number;
}

std::optional<double> milliseconds_of(const std::string& text) {
    try {
        return in_ms(topologies::parse_time(text, {}));
    } catch (const vocabulary::InputError&) {
        return {};
    }
}

std::optional<std::vector<double>> all_of(const std::vector<std::string>& values,
                                          std::optional<double> (*read)(const std::string&)) {
    std::vector<double> numbers;
    for (const std::string& value : values) {
        const auto number = read(value);
        if (!number) return {};
        numbers.push_back(*number);
    }
    return numbers;
}

// Name of a curve: all settings but the first.
std::string curve_name(const std::vector<scenario::Setting>& point) {
    std::string name;
    for (std::size_t i = 1; i < point.size(); ++i) name += (i == 1 ? "" : ", ") + point[i].first + "=" + point[i].second;
    return name;
}

double lost_percent(const SweepRow& row) {
    return row.records == 0 ? 0 : 100.0 * static_cast<double>(row.dropped) / static_cast<double>(row.records);
}

tmon_pictures::CurvePicture picture_of(const OverheadSweep& sweep, const std::string& label,
                                       const std::function<std::optional<double>(const SweepRow&)>& figure) {
    const SweptSetting& first = sweep.swept.front();
    const SweptAxis x = axis_of(first.values);
    tmon_pictures::CurvePicture picture;
    picture.title = label + " of " + sweep.scenario;
    picture.x = {first.name + x.unit, x.names ? tmon_pictures::Scale::Linear : tmon_pictures::fitting_scale(x.places)};
    if (x.names) picture.x.names = first.values;
    std::vector<double> all;
    const std::size_t curves = sweep.points.size() / first.values.size();
    for (std::size_t c = 0; c < curves; ++c) {
        tmon_pictures::Curve curve{curve_name(sweep.points[c]), {}};
        for (std::size_t i = 0; i < first.values.size(); ++i) {
            const SweepRow& row = sweep.rows[i * curves + c];
            const auto y = row.state == State::Measured ? figure(row) : std::nullopt;
            if (!y) continue;
            curve.points.push_back({x.places[i], *y});
            all.push_back(*y);
        }
        std::sort(curve.points.begin(), curve.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
        picture.curves.push_back(std::move(curve));
    }
    picture.y = {label + " (%)", tmon_pictures::fitting_scale(all)};
    return picture;
}

}  // namespace

SweptAxis axis_of(const std::vector<std::string>& values) {
    if (auto numbers = all_of(values, number_of)) return {"", std::move(*numbers)};
    if (auto times = all_of(values, milliseconds_of)) return {" (ms)", std::move(*times)};
    SweptAxis names{"", {}, true};
    for (std::size_t i = 0; i < values.size(); ++i) names.places.push_back(static_cast<double>(i));
    return names;
}

std::string sweep_text(const OverheadSweep& sweep) {
    std::vector<std::vector<std::string>> table(1);
    for (const SweptSetting& one : sweep.swept) table[0].push_back(one.name);
    for (const char* head :
         {"twin ms", "monitored ms", "slow-down %", "results", "of", "records", "lost", "trace bytes", "order"})
        table[0].push_back(head);
    for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
        table.emplace_back();
        for (const scenario::Setting& setting : sweep.points[i]) table.back().push_back(setting.second);
        if (sweep.rows[i].state != State::Measured) continue;
        for (std::string& cell : cells(sweep.rows[i])) table.back().push_back(std::move(cell));
    }
    std::vector<std::size_t> widths(table[0].size());
    for (const auto& line : table)
        for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
    std::string text = fmt::format(
        "Price of monitoring {}, swept: each row is two runs, with the monitor and with its probes off\n", sweep.scenario);
    for (std::size_t i = 0; i < table.size(); ++i) {
        std::string line;
        for (std::size_t c = 0; c < table[i].size(); ++c) line += fmt::format("  {:>{}}", table[i][c], widths[c]);
        if (i > 0 && sweep.rows[i - 1].state != State::Measured) line += "  " + failure_of(sweep.rows[i - 1]);
        text += line + "\n";
    }
    return text +
           "  Times are from the first task to the last result that both runs have. lost: because the nodes' buffers were "
           "full.\n  order: nodes that saw another order or number of events than in the twin.\n";
}

std::string sweep_csv(const OverheadSweep& sweep) {
    std::string text;
    for (const SweptSetting& one : sweep.swept) text += text::csv_field(one.name) + ",";
    for (const std::string& figure : figures) text += figure + ",";
    text += "failure\n";
    for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
        for (const scenario::Setting& setting : sweep.points[i]) text += text::csv_field(setting.second) + ",";
        const bool measured = sweep.rows[i].state == State::Measured;
        for (const std::string& cell : cells(sweep.rows[i])) text += (measured && cell != "-" ? cell : "") + ",";
        text += text::csv_field(failure_of(sweep.rows[i])) + "\n";
    }
    return text;
}

std::string sweep_json(const OverheadSweep& sweep) {
    nlohmann::ordered_json json{{"schema", "magicwire.overhead_sweep/1"}, {"scenario", sweep.scenario}};
    json["points"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
        const SweepRow& row = sweep.rows[i];
        nlohmann::ordered_json point;
        for (const scenario::Setting& setting : sweep.points[i]) point["settings"][setting.first] = setting.second;
        point["state"] = row.state == State::Measured ? "measured" : row.state == State::Failed ? "failed" : "not run";
        if (row.state == State::Failed) point["failure"] = row.failure;
        if (row.state == State::Measured) {
            const auto percent = row.slow_down_percent();
            point["twin_ps"] = row.compared > 0 ? nlohmann::ordered_json(row.twin.in_ps()) : nullptr;
            point["monitored_ps"] = row.compared > 0 ? nlohmann::ordered_json(row.monitored.in_ps()) : nullptr;
            point["slow_down_percent"] = percent ? nlohmann::ordered_json(*percent) : nlohmann::ordered_json(nullptr);
            point["results_compared"] = row.compared;
            point["tasks"] = row.tasks;
            point["records"] = row.records;
            point["lost"] = row.dropped;
            point["trace_bytes"] = row.trace_bytes;
            point["nodes_with_other_order"] = row.nodes_changed;
            point["finished"] = {{"monitored", row.monitored_finished}, {"twin", row.twin_finished}};
        }
        json["points"].push_back(std::move(point));
    }
    return json.dump(2);
}

void draw_sweep(const OverheadSweep& sweep, const std::string& path, bool replace) {
    std::vector<tmon_pictures::CurvePicture> panels{
        picture_of(sweep, "Slow-down", [](const SweepRow& row) { return row.slow_down_percent(); })};
    if (std::any_of(sweep.rows.begin(), sweep.rows.end(), [](const SweepRow& row) { return row.dropped > 0; }))
        panels.push_back(
            picture_of(sweep, "Lost records", [](const SweepRow& row) { return std::optional(lost_percent(row)); }));
    tmon_pictures::draw_curves(panels, path, replace ? text::Replace::Yes : text::Replace::No);
}

}  // namespace twin
