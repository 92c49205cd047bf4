// The points of a study.
#include <algorithm>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include <sweeps/study.hpp>

#include "dice.hpp"

namespace sweeps {
namespace {

using Choice = std::vector<std::size_t>;  // index of a value, for each axis

std::size_t product(const Study& study) {
    std::size_t count = 1;
    for (const Axis& axis : study.axes) {
        if (count > most_points / axis.values.size() + 1) return most_points + 1;
        count *= axis.values.size();
    }
    return count;
}

// Even below `limit`, the same with every library.
std::size_t below(std::mt19937_64& dice, std::size_t limit) {
    const std::uint64_t whole = UINT64_MAX - UINT64_MAX % limit;
    std::uint64_t drawn = dice();
    while (drawn >= whole) drawn = dice();
    return static_cast<std::size_t>(drawn % limit);
}

std::vector<Choice> random_choices(const Study& study) {
    std::vector<Choice> choices(study.count);
    for (std::size_t i = 0; i < study.count; ++i)
        for (const Axis& axis : study.axes) choices[i].push_back(Dice(study.seed, axis.name, i).below(axis.values.size()));
    return choices;
}

std::vector<Choice> latin_choices(const Study& study) {
    std::mt19937_64 dice(study.seed);
    std::vector<Choice> choices(study.count, Choice(study.axes.size()));
    for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
        const std::size_t values = study.axes[axis].values.size();
        std::vector<std::size_t> strata(study.count);
        std::iota(strata.begin(), strata.end(), std::size_t{0});
        for (std::size_t i = study.count; i > 1; --i) std::swap(strata[i - 1], strata[below(dice, i)]);
        for (std::size_t i = 0; i < study.count; ++i) choices[i][axis] = strata[i] * values / study.count;
    }
    return choices;
}

std::vector<Choice> choices_of(const Study& study) {
    if (study.combine == Combine::Random) return random_choices(study);
    if (study.combine == Combine::Latin) return latin_choices(study);
    std::vector<Choice> choices;
    const bool zip = study.combine == Combine::Zip;
    const std::size_t count = zip ? study.axes[0].values.size() : product(study);
    for (std::size_t i = 0; i < count; ++i) {
        Choice choice(study.axes.size(), i);
        std::size_t rest = i;
        for (std::size_t axis = study.axes.size(); axis-- > 0 && !zip; rest /= study.axes[axis].values.size())
            choice[axis] = rest % study.axes[axis].values.size();
        choices.push_back(std::move(choice));
    }
    return choices;
}

bool is_excluded(const Study& study, const Point& point) {
    return std::any_of(study.exclusions.begin(), study.exclusions.end(), [&](const auto& exclusion) {
        return std::all_of(exclusion.begin(), exclusion.end(), [&](const scenario::Setting& one) {
            for (std::size_t i = 0; i < study.axes.size(); ++i)
                if (study.axes[i].name == one.first) return is_like(point.values[i], one.second);
            return false;
        });
    });
}

}  // namespace

std::string key_of(const std::vector<std::string>& axes, const std::vector<std::string>& values) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < axes.size() && i < values.size(); ++i) parts.push_back(axes[i] + '=' + values[i] + '\n');
    std::sort(parts.begin(), parts.end());
    std::string key;
    for (const std::string& part : parts) key += part;
    return key;
}

std::vector<Point> points_of(const Study& study) {
    if (study.combine == Combine::Product && product(study) > most_points)
        throw vocabulary::InputError(study.axes[0].where,
                                     fmt::format("the axes make more than {} points; leave out values, or draw some by "
                                                 "'combine: {{latin: NUMBER}}'",
                                                 most_points));
    std::vector<Point> points;
    std::vector<std::string> names;
    for (const Axis& axis : study.axes) names.push_back(axis.name);
    for (const Choice& choice : choices_of(study)) {
        Point point{study.scenario, study.settings, {}, {}, {}};
        for (std::size_t i = 0; i < study.axes.size(); ++i) {
            const Axis& axis = study.axes[i];
            const AxisValue& value = axis.values[choice[i]];
            point.values.push_back(value.given);
            if (axis.name == "scenario") {
                point.scenario = value.text;
            } else {
                point.settings.emplace_back(axis.name, value.text);
            }
        }
        point.key = key_of(names, point.values);
        if (!is_excluded(study, point)) points.push_back(std::move(point));
    }
    if (points.empty()) throw vocabulary::InputError(study.axes[0].where, "every point is excluded; leave out an exclusion");
    return points;
}

}  // namespace sweeps
