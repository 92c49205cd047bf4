// The points of a study.
#include <algorithm>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include <sweeps/study.hpp>

#include "axis_values.hpp"
#include "dice.hpp"

namespace sweeps {
namespace {

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

// The value of each axis, point by point. Draw i of a random study depends on the seed and i alone: a longer one begins alike.
std::vector<std::uint32_t> random_values(const Study& study) {
    std::vector<std::uint32_t> values;
    for (std::size_t i = 0; i < study.count; ++i)
        for (const Axis& axis : study.axes)
            values.push_back(static_cast<std::uint32_t>(Dice(study.seed, axis.name, i).below(axis.values.size())));
    return values;
}

std::vector<std::uint32_t> latin_values(const Study& study) {
    std::mt19937_64 dice(study.seed);
    std::vector<std::uint32_t> values(study.count * study.axes.size());
    for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
        const std::size_t count = study.axes[axis].values.size();
        std::vector<std::size_t> strata(study.count);
        std::iota(strata.begin(), strata.end(), std::size_t{0});
        for (std::size_t i = study.count; i > 1; --i) std::swap(strata[i - 1], strata[below(dice, i)]);
        for (std::size_t i = 0; i < study.count; ++i)
            values[i * study.axes.size() + axis] = static_cast<std::uint32_t>(strata[i] * count / study.count);
    }
    return values;
}

}  // namespace

std::string key_of(const std::vector<std::string>& axes, const std::vector<std::string>& values) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < axes.size() && i < values.size(); ++i)
        parts.push_back(axes[i] + '=' + usual_spelling(axes[i], values[i]) + '\n');
    std::sort(parts.begin(), parts.end());
    std::string key;
    for (const std::string& part : parts) key += part;
    return key;
}

Points::Points(const Study& study, RepeatLine repeat) : study_(study), repeat_(repeat) {
    if (study.combine == Combine::Product && product(study) > most_points)
        throw vocabulary::InputError(study.axes[0].where,
                                     fmt::format("the axes make more than {} points; leave out values, or draw some by "
                                                 "'combine: {{latin: NUMBER}}'",
                                                 most_points));
    std::size_t all = study.axes[0].values.size();  // of a zip
    if (study.combine == Combine::Product) all = product(study);
    if (study.combine == Combine::Random || study.combine == Combine::Latin) {
        all = study.count;
        drawn_ = study.combine == Combine::Random ? random_values(study) : latin_values(study);
    }
    for (std::size_t i = 0; i < all && !study.exclusions.empty(); ++i)
        if (!is_excluded(i)) kept_.push_back(static_cast<std::uint32_t>(i));
    size_ = study.exclusions.empty() ? all : kept_.size();
    if (size_ == 0) throw vocabulary::InputError(study.axes[0].where, "every point is excluded; leave out an exclusion");
}

bool Points::is_excluded(std::size_t choice) const {
    return std::any_of(study_.exclusions.begin(), study_.exclusions.end(), [&](const auto& exclusion) {
        return std::all_of(exclusion.begin(), exclusion.end(), [&](const scenario::Setting& one) {
            for (std::size_t axis = 0; axis < study_.axes.size(); ++axis)
                if (study_.axes[axis].name == one.first)
                    return is_like(study_.axes[axis].values[value_of_choice(choice, axis)].given, one.second);
            return false;
        });
    });
}

std::size_t Points::value_of_choice(std::size_t choice, std::size_t axis) const {
    if (study_.combine == Combine::Zip) return choice;
    if (!drawn_.empty()) return drawn_[choice * study_.axes.size() + axis];
    for (std::size_t later = study_.axes.size(); --later > axis;) choice /= study_.axes[later].values.size();
    return choice % study_.axes[axis].values.size();
}

std::size_t Points::value_of(std::size_t index, std::size_t axis) const {
    return value_of_choice(kept_.empty() ? index : kept_[index], axis);
}

Point Points::operator[](std::size_t index) const {
    Point point{study_.scenario, {}, {}, study_.settings, {}, {}, {}};
    std::vector<std::string> names;
    for (std::size_t i = 0; i < study_.axes.size(); ++i) {
        const Axis& axis = study_.axes[i];
        const AxisValue& value = axis.values[value_of(index, i)];
        names.push_back(axis.name);
        point.values.push_back(value.given);
        if (axis.name == "scenario") {
            point.scenario = value.text;
        } else if (axis.is_grouped) {
            point.settings.insert(point.settings.end(), value.settings.begin(), value.settings.end());
        } else if (axis.name == number_axis) {
            point.number = value.text;
        } else {
            point.settings.emplace_back(axis.name, value.text);
        }
    }
    point.key = key_of(names, point.values);
    if (has_folder(study_)) point.folder = point.number.empty() ? "case" : "case-" + point.number;
    if (study_.maker) point.scenario = point.folder + '/' + study_.maker->file;
    if (repeat_ != nullptr) point.repeat = repeat_(study_, point);
    return point;
}

}  // namespace sweeps
