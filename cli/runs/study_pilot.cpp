#include "runs/study_pilot.hpp"

#include <map>
#include <vector>

#include <fmt/format.h>

#include <forks/bytes.hpp>
#include <sweeps/local_engine.hpp>
#include <sweeps/measures.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/interrupt.hpp"
#include "frame/scenario_options.hpp"
#include "runs/study_point.hpp"

namespace cli {

using sweeps::Point;
using sweeps::Points;
using sweeps::Study;

namespace {

// The values of an axis, each with the first point that has it. A range is given by its ends: its values stand at one place.
std::map<std::size_t, const sweeps::AxisValue*> first_points(const sweeps::Axis& axis, std::size_t number,
                                                             const Points& points) {
    std::vector<std::size_t> first(axis.values.size(), points.size());
    for (std::size_t i = points.size(); i-- > 0;) first[points.value_of(i, number)] = i;
    std::map<std::size_t, const sweeps::AxisValue*> chosen;
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
        const auto is_same = [&](const sweeps::AxisValue& other) {
            return other.where.line == axis.values[i].where.line && other.where.column == axis.values[i].where.column;
        };
        if (i > 0 && i + 1 < axis.values.size() && is_same(axis.values[i - 1]) && is_same(axis.values[i + 1])) continue;
        if (first[i] < points.size()) chosen.emplace(first[i], &axis.values[i]);
    }
    return chosen;
}

}  // namespace

void check_values(const Study& study, const Points& points) {
    for (std::size_t number = 0; number < study.axes.size(); ++number) {
        for (const auto& [which, value] : first_points(study.axes[number], number, points)) {
            const Point point = points[which];
            ScenarioOptions options;
            options.file = point.scenario;
            try {
                options.without_tree(point.settings);
            } catch (const vocabulary::InputError& error) {
                throw vocabulary::InputError(value->where, fmt::format("point {}, with '{}: {}', is refused: {}", which + 1,
                                                                       study.axes[number].name, value->given, error.what()));
            }
        }
    }
}

namespace {

Pilot run_pilot(const Study& study, const Point& first) {
    forks::ChildAnswer answer;
    sweeps::PointList only({0});
    sweeps::LocalEngine engine;
    engine.at_once = 1;
    engine.seconds = study.seconds;
    engine.memory = study.memory;
    engine.work = [&](std::size_t) {
        const PointRun run = run_point(study, first);
        forks::Bytes bytes;
        bytes.put(run.row.seconds);
        bytes.put_text(run.documents.dump());
        return bytes.take_bytes();
    };
    engine.ended = [&](std::size_t, forks::ChildAnswer its) { answer = std::move(its); };
    engine.go_on = [] { return interrupted == 0; };
    engine.run(only);
    Pilot made;
    made.row_bytes = 120 + first.repeat.size() + 16 * study.measures.size();
    for (const std::string& value : first.values) made.row_bytes += 12 + value.size();
    if (answer.how != forks::ChildAnswer::How::Done) return made;
    forks::Bytes bytes(answer.bytes);
    made.seconds = bytes.get<double>();
    sweeps::check_measures(study, nlohmann::ordered_json::parse(bytes.get_text()));
    return made;
}

}  // namespace

Pilot pilot(const Study& study, const Points& points) {
    Pilot first;
    for (const std::size_t which : {std::size_t{0}, points.size() - 1, points.size() / 2})
        if (!first.seconds && interrupted == 0) first = run_pilot(study, points[which]);
    return first;
}

}  // namespace cli
