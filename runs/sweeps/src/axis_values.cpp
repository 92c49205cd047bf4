#include "axis_values.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include <scenario/settings.hpp>

#include "expression.hpp"

namespace sweeps {

using topologies::YamlValue;
using vocabulary::InputError;

namespace {

template <class Number>
std::optional<Number> read_whole_text(const std::string& text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string spelt_time(const std::string& text) {
    try {
        return topologies::time_text(topologies::parse_time(text, {}));
    } catch (const InputError&) {
        return text;  // the scenario's reader says what is wrong
    }
}

std::string spelt_number(const std::string& text) {
    const auto value = read_whole_text<double>(text);
    return value && std::isfinite(*value) ? fmt::format("{}", *value == 0 ? 0.0 : *value) : text;
}

// Refuses a value that is there already, in whatever spelling.
void refuse_twice(const Axis& axis, const std::map<std::string, std::string>& as_written) {
    std::map<std::string, const AxisValue*> seen;
    for (const AxisValue& value : axis.values) {
        const auto [first, is_new] = seen.emplace(value.text, &value);
        if (is_new) continue;
        const auto spelling = as_written.find(fmt::format("{}:{}", value.where.line, value.where.column));
        const bool other = spelling != as_written.end() && spelling->second != value.given;
        throw InputError(value.where, fmt::format("'{}' has the value '{}' twice{}; leave one out", axis.name, value.given,
                                                  other ? fmt::format(", here as '{}'", spelling->second) : ""));
    }
}

// `farms: {few: {farm.tasks: 9, farm.buffers: 1}, many: {...}}`: each value is a name and the settings behind it.
bool is_group(const YamlValue& given) {
    return given.is_map() && !given.entries().empty() && given.entries().front().second.is_map();
}
void read_groups(Axis& axis, const YamlValue& given, const AsSet& as_set) {
    if (scenario::find_setting(axis.name) != nullptr || axis.name == "scenario" || axis.name == number_axis ||
        !is_name(axis.name))
        throw InputError(axis.where,
                         fmt::format("'{}' has groups of settings, so it needs a name of its own, as 'farms': letters, "
                                     "digits and '_', and no setting",
                                     axis.name));
    axis.is_grouped = true;
    for (const auto& [name, group] : given.entries()) {
        AxisValue value{name, name, given.where_key(name)};
        if (read_whole_text<double>(name))
            throw InputError(value.where, fmt::format("'{}' is a number; give the group a name", name));
        if (!group.is_map() || group.entries().empty())
            group.fail(fmt::format("'{}' has no settings; write them as {{farm.tasks: 9, farm.buffers: 1}}", name));
        for (const auto& [setting, text] : group.entries()) {
            if (setting == "scenario" || setting == number_axis)
                throw InputError(group.where_key(setting),
                                 fmt::format("'{}' is no setting; it can only be an axis of its own", setting));
            value.settings.emplace_back(setting, as_set(setting, text.text()));
        }
        axis.values.push_back(std::move(value));
    }
}

// "machines/a.yaml" for "./machines/a.yaml", as seen from the study.
std::string spelt_file(const std::string& text) {
    return std::filesystem::path(text).lexically_normal().string();
}

}  // namespace

std::string usual_spelling(const std::string& setting, const std::string& text) {
    const scenario::SettingRow* row = scenario::find_setting(setting);
    const bool is_whole =
        setting == number_axis || (row != nullptr && std::holds_alternative<scenario::WholeNumber>(row->range));
    if (is_whole) {
        const auto value = read_whole_text<std::int64_t>(text);
        return value ? std::to_string(*value) : text;
    }
    if (row == nullptr) return setting == "scenario" ? spelt_file(text) : spelt_number(text);  // a cost is a number
    if (std::holds_alternative<scenario::TimeSpan>(row->range)) return spelt_time(text);
    return text;
}

Axis read_axis(const std::string& name, const vocabulary::SourcePosition& where, const YamlValue& given, const AsSet& as_set,
               bool may_repeat) {
    Axis axis{name, {}, where, given.is_map() && given.find("template").has_value()};
    std::map<std::string, std::string> as_written;  // by place
    const auto add = [&](const std::string& text, const vocabulary::SourcePosition& place) {
        const std::string spelt = usual_spelling(name, text), set = as_set(name, spelt);
        axis.values.push_back({set, set == spelt ? spelt : spelt_file(spelt), place});
    };
    if (is_group(given)) {
        read_groups(axis, given, as_set);
    } else if (given.is_list()) {
        for (const YamlValue& value : given.items()) {
            add(value.text(), value.where());
            as_written[fmt::format("{}:{}", value.where().line, value.where().column)] = value.text();
        }
    } else if (axis.is_template) {
        for (const std::string& text : fill_template(given)) add(text, given.at("template").where());
    } else {
        const Sequence values = given.is_map() ? read_range(given, name) : read_span(given);
        if (values.size > most_values) given.fail(fmt::format("more than {} values; take a longer step", most_values));
        for (std::size_t i = 0; i < values.size; ++i) add(values.at(i), given.where());
    }
    if (axis.values.empty()) given.fail(fmt::format("the axis '{}' has no value; give at least one", name));
    if (!may_repeat) refuse_twice(axis, as_written);
    return axis;
}

}  // namespace sweeps
