#include <twin/overhead_sweep.hpp>

#include <algorithm>

#include <twin/overhead.hpp>
#include <vocabulary/source_position.hpp>

#include <forks/child_pool.hpp>

namespace twin {

using vocabulary::InputError;

SweptSetting parse_swept(const std::string& text) {
    const vocabulary::SourcePosition where{"--sweep " + text, 0, 0};
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        throw InputError(where, "expected NAME=VALUE,VALUE,..., for example --sweep monitor.buffer=32,64,128");
    SweptSetting swept{text.substr(0, equals), {}};
    const std::string values = text.substr(equals + 1);
    const char between = values.find(';') == std::string::npos ? ',' : ';';
    for (std::size_t at = 0; at <= values.size();) {
        const std::size_t end = std::min(values.find(between, at), values.size());
        swept.values.push_back(values.substr(at, end - at));
        at = end + 1;
        if (swept.values.back().empty())
            throw InputError(where,
                             "a value is empty; write values with a ',' between them, or with ';' when they have commas");
        if (std::count(swept.values.begin(), swept.values.end(), swept.values.back()) > 1)
            throw InputError(where, "the value '" + swept.values.back() + "' comes twice; leave one out");
    }
    return swept;
}

std::vector<std::vector<scenario::Setting>> sweep_points(const std::vector<SweptSetting>& swept) {
    std::vector<std::vector<scenario::Setting>> points{{}};
    for (const SweptSetting& one : swept) {
        const auto same = [&](const SweptSetting& other) { return other.name == one.name; };
        if (std::count_if(swept.begin(), swept.end(), same) > 1)
            throw InputError({"--sweep " + one.name, 0, 0}, "is swept twice; give all its values in one list");
        if (points.size() * one.values.size() > most_sweep_points)
            throw InputError({"--sweep " + one.name, 0, 0}, "makes more than " + std::to_string(most_sweep_points) +
                                                                " combinations, each of two runs; sweep fewer values");
        std::vector<std::vector<scenario::Setting>> longer;
        for (const auto& point : points)
            for (const std::string& value : one.values) {
                longer.push_back(point);
                longer.back().emplace_back(one.name, value);
            }
        points = std::move(longer);
    }
    return points;
}

std::optional<double> SweepRow::slow_down_percent() const {
    if (state != State::Measured || compared == 0 || twin.in_ps() <= 0) return {};
    return 100.0 * (static_cast<double>(monitored.in_ps()) / static_cast<double>(twin.in_ps()) - 1.0);
}

std::size_t OverheadSweep::count(SweepRow::State state) const {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [state](const SweepRow& row) { return row.state == state; }));
}

namespace {

std::string measure(const scenario::Scenario& scenario) {
    const Overhead overhead = measure_overhead(scenario);
    forks::Bytes bytes;
    bytes.put(SweepFigures{.twin = overhead.twin.span,
                           .monitored = overhead.monitored.span,
                           .compared = overhead.compared,
                           .tasks = scenario.farm.tasks,
                           .records = overhead.monitored.records,
                           .dropped = overhead.monitored.dropped,
                           .trace_bytes = overhead.monitored.wire_bytes,
                           .nodes_changed = overhead.nodes_changed,
                           .twin_finished = overhead.twin.finished,
                           .monitored_finished = overhead.monitored.finished});
    return bytes.take_bytes();
}

SweepRow row_of(forks::ChildAnswer& answer) {
    SweepRow row;
    if (answer.how == forks::ChildAnswer::How::Failed) {
        row.state = SweepRow::State::Failed;
        row.failure = answer.failure;
    }
    if (answer.how != forks::ChildAnswer::How::Done) return row;
    static_cast<SweepFigures&>(row) = forks::Bytes(std::move(answer.bytes)).get<SweepFigures>();
    row.state = SweepRow::State::Measured;
    return row;
}

}  // namespace

OverheadSweep sweep_overhead(const std::string& name, const std::vector<SweptSetting>& swept,
                             const std::function<scenario::Scenario(const std::vector<scenario::Setting>&)>& scenario_of,
                             const std::function<bool(std::size_t)>& go_on) {
    OverheadSweep sweep{name, swept, sweep_points(swept), {}};
    auto answers = forks::run_children(
        sweep.points.size(), [&](std::size_t i) { return measure(scenario_of(sweep.points[i])); }, go_on);
    for (forks::ChildAnswer& answer : answers) sweep.rows.push_back(row_of(answer));
    return sweep;
}

}  // namespace twin
