#include <sweeps/study.hpp>

#include <strings.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include <scenario/settings.hpp>
#include <topologies/strict_yaml.hpp>

#include "expression.hpp"

namespace sweeps {

using topologies::YamlValue;
using vocabulary::InputError;

namespace {

constexpr std::int64_t most_values = 1'000'000;

class Reader {
public:
    explicit Reader(const std::string& path) : root_(YamlValue::read_file(path)) { study_.path = path; }

    Study read() {
        root_.only_keys({"version", "name", "scenario", "settings", "axes", "combine", "exclude", "measures", "limits"});
        root_.at("version").integer(1, 1);
        study_.name = root_.at("name").text();
        if (study_.name.empty()) root_.at("name").fail("a study needs a name");
        if (const auto given = root_.find("scenario")) {
            study_.scenario = beside(given->text());
            study_.base = "scenario=" + given->text();
        }
        if (const auto given = root_.find("settings")) {
            for (const auto& [name, value] : given->entries()) {
                study_.settings.emplace_back(name, setting_text(name, value));
                study_.base += '\n' + name + '=' + value.text();
            }
        }
        axes();
        if (const auto given = root_.find("combine")) combine(*given);
        if (const auto given = root_.find("exclude")) exclusions(*given);
        measures(root_.at("measures"));
        if (const auto given = root_.find("limits")) limits(*given);
        return std::move(study_);
    }

private:
    // A file's name is relative to the study.
    std::string beside(const std::string& name) const {
        const std::filesystem::path path(name);
        return path.is_absolute() ? name
                                  : (std::filesystem::path(study_.path).parent_path() / path).lexically_normal().string();
    }
    // A file's name is relative to the study, too, if the setting takes files and there is one.
    std::string setting_text(const std::string& name, const YamlValue& value) const {
        std::string text = value.text(), path = beside(text);
        if (name == "scenario") return path;
        const scenario::SettingRow* row = scenario::find_setting(name);
        const bool takes_files = row != nullptr && std::holds_alternative<scenario::Form>(row->range);
        if (takes_files && std::filesystem::is_regular_file(path)) return path;
        return text;
    }

    void axes() {
        const YamlValue all = root_.at("axes");
        if (all.entries().empty())
            all.fail("a study needs an axis; write a setting and its values, as 'farm.buffers: [1, 2, 4]'");
        for (const auto& [name, values] : all.entries()) {
            Axis axis{name, {}, all.where_key(name)};
            if (values.is_map()) {
                range(axis, values);
            } else {
                for (const YamlValue& value : values.items())
                    axis.values.push_back({setting_text(name, value), value.text(), value.where()});
            }
            if (axis.values.empty()) values.fail(fmt::format("the axis '{}' has no value; give at least one", name));
            refuse_twice(axis);
            study_.axes.push_back(std::move(axis));
        }
        const bool varies =
            std::any_of(study_.axes.begin(), study_.axes.end(), [](const Axis& a) { return a.name == "scenario"; });
        if (varies && !study_.scenario.empty())
            root_.at("scenario").fail("the axes have scenarios, too; leave one of the two out");
        if (!varies && study_.scenario.empty())
            root_.fail("key 'scenario' is missing; add 'scenario: FILE', or an axis of them");
    }
    static void range(Axis& axis, const YamlValue& values) {
        values.only_keys({"from", "to", "step"});
        const std::int64_t from = values.at("from").integer(0, INT64_MAX / 2),
                           to = values.at("to").integer(from, INT64_MAX / 2);
        const auto given = values.find("step");
        const std::int64_t step = given ? given->integer(1, INT64_MAX / 2) : 1;
        if ((to - from) / step >= most_values) values.fail(fmt::format("more than {} values; take a longer step", most_values));
        for (std::int64_t value = from; value <= to; value += step)
            axis.values.push_back({std::to_string(value), std::to_string(value), values.where()});
    }
    static void refuse_twice(const Axis& axis) {
        std::set<std::string> seen;
        for (const AxisValue& value : axis.values)
            if (!seen.insert(value.text).second)
                throw InputError(value.where,
                                 fmt::format("'{}' has the value '{}' twice; leave one out", axis.name, value.text));
    }

    void combine(const YamlValue& given) {
        if (given.is_map()) {
            given.only_keys({"random", "latin", "seed"});
            const auto random = given.find("random"), latin = given.find("latin");
            if (!random == !latin) given.fail("write 'random: NUMBER' or 'latin: NUMBER', the number of points");
            study_.combine = random ? Combine::Random : Combine::Latin;
            study_.count = static_cast<std::size_t>((random ? *random : *latin).integer(1, most_points));
            if (const auto seed = given.find("seed")) study_.seed = static_cast<std::uint64_t>(seed->integer(0, INT64_MAX));
            return;
        }
        study_.combine = given.one_of({"product", "zip"}) == "zip" ? Combine::Zip : Combine::Product;
        if (study_.combine != Combine::Zip) return;
        for (const Axis& axis : study_.axes)
            if (axis.values.size() != study_.axes[0].values.size())
                throw InputError(axis.where,
                                 fmt::format("'{}' has {} values and '{}' has {}; a zip needs as many of each", axis.name,
                                             axis.values.size(), study_.axes[0].name, study_.axes[0].values.size()));
    }

    void exclusions(const YamlValue& given) {
        for (const YamlValue& one : given.items()) {
            std::vector<scenario::Setting> matching;
            for (const auto& [name, value] : one.entries()) {
                const auto axis = std::find_if(study_.axes.begin(), study_.axes.end(),
                                               [&wanted = name](const Axis& a) { return a.name == wanted; });
                if (axis == study_.axes.end()) value.fail(fmt::format("'{}' is no axis of this study", name));
                const std::string text = value.text();
                if (std::none_of(axis->values.begin(), axis->values.end(), [&](const AxisValue& v) { return v.given == text; }))
                    value.fail(fmt::format("'{}' never has the value '{}'", name, text));
                matching.emplace_back(name, text);
            }
            if (matching.empty()) one.fail("name an axis and a value, as '{farm.buffers: 1, seed: 2}'");
            study_.exclusions.push_back(std::move(matching));
        }
    }

    void measures(const YamlValue& given) {
        std::vector<std::string> known;
        for (const auto& [name, value] : given.entries()) {
            if (!is_name(name))
                throw InputError(given.where_key(name),
                                 fmt::format("'{}' is no name of a measure; use letters, digits and '_'", name));
            refuse_taken(name, known, given.where_key(name));
            Measure measure{name, {}, {}, value.where()};
            const std::string text = value.text();
            if (text.starts_with('=')) {
                measure.expression = text.substr(std::min(text.find_first_not_of(" =", 1), text.size()));
                check_expression(measure, known);
            } else {
                measure.path = text;
            }
            known.push_back(name);
            study_.measures.push_back(std::move(measure));
        }
        if (known.empty()) given.fail("a study needs a measure, as 'rate: farm.tasks_per_s'");
    }

    // Each is a column of the database, where upper and lower case are the same.
    void refuse_taken(const std::string& name, const std::vector<std::string>& measures,
                      const vocabulary::SourcePosition& where) const {
        std::vector<std::string> taken = {"point", "exit_code", "failure", "repeat"};
        taken.insert(taken.end(), measures.begin(), measures.end());
        for (const Axis& axis : study_.axes) taken.push_back(axis.name);
        for (const std::string& one : taken)
            if (strcasecmp(one.c_str(), name.c_str()) == 0)
                throw InputError(where, fmt::format("'{}' is the name of a column of the results already; take another", name));
    }

    void limits(const YamlValue& given) {
        given.only_keys({"time", "memory"});
        if (const auto time = given.find("time")) study_.seconds = time->time().in_seconds();
        if (study_.seconds <= 0) given.at("time").fail("a point needs some time");
        if (const auto memory = given.find("memory")) study_.memory = memory->byte_size();
    }

    YamlValue root_;
    Study study_;
};

}  // namespace

Study read_study(const std::string& path) {
    return Reader(path).read();
}

}  // namespace sweeps
