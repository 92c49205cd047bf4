#include <sweeps/study.hpp>

#include <strings.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include <scenario/settings.hpp>
#include <topologies/strict_yaml.hpp>

#include "axis_values.hpp"
#include "expression.hpp"
#include "study_commands.hpp"

namespace sweeps {

using topologies::YamlValue;
using vocabulary::InputError;

namespace {

class Reader {
public:
    explicit Reader(const std::string& path) : root_(YamlValue::read_file(path)) { study_.path = path; }

    Study read() {
        root_.only_keys(
            {"version", "name", "scenario", "settings", "axes", "combine", "exclude", "commands", "measures", "limits"});
        root_.at("version").integer(1, 1);
        study_.name = root_.at("name").text();
        if (study_.name.empty()) root_.at("name").fail("a study needs a name");
        if (const auto given = root_.find("scenario")) scenario(*given);
        if (const auto given = root_.find("settings")) {
            for (const auto& [name, value] : given->entries()) {
                study_.settings.emplace_back(name, setting_text(name, value.text()));
                study_.base += '\n' + name + '=' + value.text();
            }
        }
        axes();
        if (const auto given = root_.find("combine")) combine(*given);
        if (const auto given = root_.find("exclude")) exclusions(*given);
        commands();
        measures(root_.at("measures"));
        if (const auto given = root_.find("limits")) limits(*given);
        return std::move(study_);
    }

private:
    void scenario(const YamlValue& given) {
        if (given.is_map()) return;  // a command makes it, which may take the number of an axis
        study_.runs = given.text() != "none";
        if (study_.runs) study_.scenario = beside(given.text());
        study_.base = "scenario=" + given.text();
    }
    void commands() {
        const auto from_here = [this](const std::string& name) { return beside(name); };
        const auto scenario = root_.find("scenario");
        if (scenario && scenario->is_map()) {
            study_.maker = read_maker(*scenario, study_, from_here);
            study_.base += maker_text(*scenario);
        }
        if (const auto given = root_.find("commands")) {
            study_.commands = read_commands(*given, study_, from_here);
            for (const auto& [name, value] : given->entries()) study_.base += command_text(name, value);
        }
        if (!study_.runs && study_.commands.empty())
            root_.at("scenario").fail("no point is run, so nothing is measured; add 'commands', or name a scenario");
        refuse_what_nobody_takes(root_.at("axes"), study_);
    }
    // A file's name is relative to the study.
    std::string beside(const std::string& name) const {
        const std::filesystem::path path(name);
        return path.is_absolute() ? name
                                  : (std::filesystem::path(study_.path).parent_path() / path).lexically_normal().string();
    }
    // A file's name is relative to the study, too, if the setting takes files and there is one.
    std::string setting_text(const std::string& name, const std::string& text) const {
        std::string path = beside(text);
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
        std::size_t values = 0;
        const auto combined = root_.find("combine");
        const bool zip = combined && combined->is_scalar() && combined->text() == "zip";
        for (const auto& [name, given] : all.entries()) {
            study_.axes.push_back(read_axis(
                name, all.where_key(name), given,
                [this](const std::string& setting, const std::string& text) { return setting_text(setting, text); }, zip));
            if (study_.axes.back().is_grouped) add_groups(name, given);
            if (name == number_axis) refuse_no_numbers(study_.axes.back());
            values += study_.axes.back().values.size();
            if (values > most_values)
                throw InputError(all.where_key(name),
                                 fmt::format("with these the axes have more than {} values; leave some out", most_values));
        }
        refuse_settings_of_two_axes();
        const bool varies =
            std::any_of(study_.axes.begin(), study_.axes.end(), [](const Axis& a) { return a.name == "scenario"; });
        const auto given = root_.find("scenario");
        if (varies && given) given->fail("the axes have scenarios, too; leave one of the two out");
        if (!varies && !given) root_.fail("key 'scenario' is missing; add 'scenario: FILE', or an axis of them");
    }
    // Rows hold while their group means the same: results have its name only.
    void add_groups(const std::string& axis, const YamlValue& given) {
        for (const auto& [group, settings] : given.entries())
            for (const auto& [setting, value] : settings.entries())
                study_.base += fmt::format("\n{}.{}: {}={}", axis, group, setting, value.text());
    }
    void refuse_settings_of_two_axes() const {
        for (const Axis& one : study_.axes)
            for (const AxisValue& value : one.values)
                for (const auto& [setting, text] : value.settings)
                    for (const Axis& other : study_.axes)
                        if (sets(other, setting) && &other != &one)
                            throw InputError(value.where, fmt::format("'{}' and '{}' both set '{}'; leave it out in one",
                                                                      one.name, other.name, setting));
    }
    static bool sets(const Axis& axis, const std::string& setting) {
        if (!axis.is_grouped) return axis.name == setting;
        return std::any_of(axis.values.begin(), axis.values.end(), [&](const AxisValue& value) {
            return std::any_of(value.settings.begin(), value.settings.end(),
                               [&](const scenario::Setting& one) { return one.first == setting; });
        });
    }
    static void refuse_no_numbers(const Axis& axis) {
        for (const AxisValue& value : axis.values)
            if (value.text.find_first_not_of("0123456789") != std::string::npos || value.text.size() > 18)
                throw InputError(value.where,
                                 fmt::format("'{}' is no number of a case; write whole numbers, as 1..1000", value.text));
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
        refuse_equal_points();
    }
    // In a zip an axis may have a value at several points, but no two points have all of them.
    void refuse_equal_points() const {
        std::map<std::vector<std::string>, std::size_t> seen;
        for (std::size_t i = 0; i < study_.axes[0].values.size(); ++i) {
            std::vector<std::string> point;
            for (const Axis& axis : study_.axes) point.push_back(axis.values[i].text);
            const auto [first, is_new] = seen.emplace(std::move(point), i);
            if (!is_new)
                throw InputError(study_.axes[0].values[i].where,
                                 fmt::format("points {} and {} have the same values; leave one out", first->second + 1, i + 1));
        }
    }

    void exclusions(const YamlValue& given) {
        for (const YamlValue& one : given.items()) {
            std::vector<scenario::Setting> matching;
            for (const auto& [name, value] : one.entries()) {
                const auto axis = std::find_if(study_.axes.begin(), study_.axes.end(),
                                               [&wanted = name](const Axis& a) { return a.name == wanted; });
                if (axis == study_.axes.end()) value.fail(fmt::format("'{}' is no axis of this study", name));
                const std::string text = usual_spelling(name, value.text());
                if (std::none_of(axis->values.begin(), axis->values.end(),
                                 [&](const AxisValue& v) { return is_like(v.given, text); }))
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
                const std::size_t begin = std::min(text.find_first_not_of(' ', 1), text.size());
                measure.expression = text.substr(begin);
                check_expression(measure, known,
                                 [&, &given_value = value](std::size_t at) { return given_value.where(begin + at); });
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

bool is_like(const std::string& value, const std::string& pattern) {
    std::size_t v = 0, p = 0, star = std::string::npos, taken = 0;  // what the last star takes ends at `taken`
    while (v < value.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            taken = v;
        } else if (p < pattern.size() && pattern[p] == value[v]) {
            ++p, ++v;
        } else if (star != std::string::npos) {
            p = star + 1;
            v = ++taken;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

Study read_study(const std::string& path) {
    return Reader(path).read();
}

}  // namespace sweeps
