#include "runs/study_pilot.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include <forks/bytes.hpp>
#include <sweeps/local_engine.hpp>
#include <sweeps/measures.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/interrupt.hpp"
#include "frame/scenario_options.hpp"
#include "runs/study_case.hpp"
#include "runs/study_point.hpp"

namespace cli {

using sweeps::Point;
using sweeps::Points;
using sweeps::Study;

namespace {

constexpr std::size_t most_checked = 256;  // of the values of a template

// The values of an axis, each with the first point that has it. A range is given by its ends: its values stand at one place.
std::map<std::size_t, const sweeps::AxisValue*> first_points(const sweeps::Axis& axis, std::size_t number,
                                                             const Points& points) {
    std::vector<std::size_t> first(axis.values.size(), points.size());
    for (std::size_t i = points.size(); i-- > 0;) first[points.value_of(i, number)] = i;
    std::map<std::size_t, const sweeps::AxisValue*> chosen;
    const std::size_t every = axis.is_template ? axis.values.size() / most_checked + 1 : 0;  // each may be wrong in its own way
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
        const auto is_same = [&](const sweeps::AxisValue& other) {
            return other.where.line == axis.values[i].where.line && other.where.column == axis.values[i].where.column;
        };
        const bool is_end =
            i == 0 || i + 1 == axis.values.size() || !is_same(axis.values[i - 1]) || !is_same(axis.values[i + 1]);
        if (!is_end && (every == 0 || i % every != 0)) continue;
        if (first[i] < points.size()) chosen.emplace(first[i], &axis.values[i]);
    }
    return chosen;
}

// `made`: the scenario that a command made for the first point; empty: each point names its own.
void check_each(const Study& study, const Points& points, const std::string& made) {
    for (std::size_t number = 0; number < study.axes.size(); ++number) {
        if (study.axes[number].name == sweeps::number_axis && study.axes.size() > 1) continue;  // it sets nothing
        for (const auto& [which, value] : first_points(study.axes[number], number, points)) {
            const Point point = points[which];
            ScenarioOptions options;
            options.file = made.empty() ? point.scenario : made;
            options.takes_halo = options.takes_mpi = true;
            std::optional<scenario::Scenario> taken;
            try {
                taken = options.without_tree(point.settings);
            } catch (const vocabulary::InputError& error) {
                throw vocabulary::InputError(value->where, fmt::format("point {}, with '{}: {}', is refused: {}", which + 1,
                                                                       study.axes[number].name, value->given, error.what()));
            }
            check_wanted(study, *taken,
                         fmt::format("point {}, with '{}: {}',", which + 1, study.axes[number].name, value->given));
        }
    }
}

// The answer of a process like those of the points.
forks::ChildAnswer in_child(const Study& study, std::function<std::string(std::size_t)> work) {
    forks::ChildAnswer answer;
    sweeps::PointList only({0});
    sweeps::LocalEngine engine;
    engine.at_once = 1;
    engine.seconds = study.seconds;
    engine.memory = study.memory;
    engine.work = std::move(work);
    engine.ended = [&](std::size_t, forks::ChildAnswer its) { answer = std::move(its); };
    engine.go_on = [] { return interrupted == 0; };
    engine.run(only);
    if (uses_folders(study)) clear_point_folders();
    return answer;
}

// With the scenario of the first point. A command that cannot make it fails again for the pilot and in the study.
void check_with_a_made_one(const Study& study, const Points& points) {
    const forks::ChildAnswer answer = in_child(study, [&](std::size_t) {
        const PointFolder folder;
        sweeps::PointRow row;
        const Case made = make_case(study, points[0], folder, nullptr, row);
        if (row.failure.empty()) check_each(study, points, made.point.scenario);
        return std::string();
    });
    if (answer.how == forks::ChildAnswer::How::Failed && answer.kind == vocabulary::ErrorKind::Request)
        vocabulary::throw_as(answer.kind, without_point_folders(answer.failure));
}

}  // namespace

// In a study without runs the commands take the settings, and say themselves what is wrong with one.
void check_values(const Study& study, const Points& points) {
    if (study.maker)
        check_with_a_made_one(study, points);
    else if (study.runs)
        check_each(study, points, {});
}

namespace {

Pilot run_pilot(const Study& study, const Point& first) {
    const forks::ChildAnswer answer = in_child(study, [&](std::size_t) {
        const PointRun run = run_point(study, first);
        if (run.documents.is_null()) throw vocabulary::RequestError(run.row.failure);
        forks::Bytes bytes;
        bytes.put(run.row.seconds);
        bytes.put_text(run.documents.dump());
        return bytes.take_bytes();
    });
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
    for (const std::size_t which : std::set<std::size_t>{0, points.size() / 2, points.size() - 1})
        if (!first.seconds && interrupted == 0) first = run_pilot(study, points[which]);
    return first;
}

}  // namespace cli
