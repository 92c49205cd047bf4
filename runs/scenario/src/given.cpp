#include "given.hpp"
#include "scenario_parts.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vocabulary/is_file.hpp>
#include <vocabulary/nearest_name.hpp>

namespace scenario {
namespace {

using topologies::YamlValue;
using vocabulary::InputError;

// "farm" and "tasks" of "farm.tasks"; "" and "seed" of "seed".
std::pair<std::string, std::string> split_name(const std::string& name) {
    const std::size_t point = name.find_last_of('.');
    if (point == std::string::npos) return {"", name};
    return {name.substr(0, point), name.substr(point + 1)};
}

// The value at that name; empty where a section is missing or is no map.
std::optional<YamlValue> value_at(const YamlValue& root, const std::string& name) {
    const auto [section, key] = split_name(name);
    const auto map = section.empty() ? std::optional(root) : value_at(root, section);
    return map && map->is_map() ? map->find(key) : std::nullopt;
}

std::optional<YamlValue> value_of(const YamlValue& root, const SettingRow& row) {
    auto value = value_at(root, row.name);
    if (row.other_name.empty()) return value;
    const auto other = value_at(root, row.other_name);
    if (value && other)
        other->fail(fmt::format("'{}' is given already, as '{}'; leave one of the two out", row.other_name, row.name));
    return value ? value : other;
}

std::string choice_text(const std::vector<std::string>& words) {
    if (words.size() == 2) return fmt::format("'{}' or '{}'", words[0], words[1]);
    return fmt::format("one of {}", fmt::join(words, ", "));
}

}  // namespace

vocabulary::SourcePosition Given::where() const {
    return value_ ? value_->where() : vocabulary::SourcePosition{"--set " + setting_->first + "=" + setting_->second, 0, 0};
}

Given Given::part(const YamlValue& value) const {
    Given part = *this;
    part.value_ = value;
    return part;
}

void Given::fail(const std::string& message) const {
    throw InputError(where(), message);
}

void Given::fail(const std::string& file_text, const std::string& line_text) const {
    fail(in_file() ? file_text : line_text);
}

std::string Given::text() const {
    return value_ ? value_->text() : setting_->second;
}

std::int64_t Given::whole() const {
    return whole(std::get<WholeNumber>(row_.range).most);
}

std::int64_t Given::whole(std::int64_t most) const {
    const std::int64_t least = std::get<WholeNumber>(row_.range).least;
    if (value_) return value_->integer(least, most);
    const std::string& text = setting_->second;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
        fail(fmt::format("expected a whole number from {} to {} and got '{}'", least, most, text));
    return value;
}

std::size_t Given::word() const {
    const std::vector<std::string>& words = std::get<OneOf>(row_.range).words;
    const std::string word = value_ ? value_->one_of(words) : setting_->second;
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end())
        fail(fmt::format("expected {} and got '{}'{}", choice_text(words), word,
                         words.size() > 2 ? vocabulary::did_you_mean(word, words) : ""));
    return static_cast<std::size_t>(found - words.begin());
}

vocabulary::SimTime Given::time() const {
    return topologies::parse_time(text(), where());
}

bool Given::names_a_file() const {
    return vocabulary::is_file((folder_ / text()).lexically_normal().string());
}

std::string Given::file() const {
    std::string path = (folder_ / text()).lexically_normal().string();
    if (!vocabulary::is_file(path)) {
        fail(fmt::format("there is no file '{}'; paths are relative to {}", path,
                         in_file() ? "the scenario file" : "the folder of the command"));
    }
    return path;
}

std::string Given::folder() const {
    std::string path = (folder_ / text()).lexically_normal().string();
    if (text().empty() || !vocabulary::is_folder(path)) {
        fail(fmt::format("there is no folder '{}'; paths are relative to {}", path,
                         in_file() ? "the scenario file" : "the folder of the command"));
    }
    return path;
}

std::string Given::file(Scenario& scenario, const char* role) const {
    std::string path = file();
    scenario.inputs.push_back({role, path, content_hash(path)});
    return path;
}

YamlValue Given::value() const {
    if (value_) return *value_;
    const std::string& text = setting_->second;
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string::npos || text[first] == '#') fail("is empty; write a value behind '='");
    return YamlValue::parse(text + "\n", where().file, "the value");
}

const std::optional<YamlValue>& Sources::root_of(const std::string& name) const {
    const auto is_in = [&](const std::string& section) { return name == section || name.starts_with(section + "."); };
    return phase_ && (is_in("farm") || is_in("application") || is_in("monitor")) ? phase_ : root_;
}

std::optional<Given> Sources::find(const std::string& name) const {
    const SettingRow& row = *find_setting(name);
    for (auto setting = settings_.rbegin(); setting != settings_.rend(); ++setting) {
        if (setting->first == row.name || (!row.other_name.empty() && setting->first == row.other_name))
            return Given(row, *setting);
    }
    const auto& root = root_of(row.name);
    const auto value = root ? value_of(*root, row) : std::nullopt;
    return value ? std::optional(Given(row, *value, folder_)) : std::nullopt;
}

Given Sources::at(const std::string& name) const {
    if (auto given = find(name)) return *given;
    if (!root_) throw InputError({}, fmt::format("'{0}' is missing; add '--set {0}=VALUE'", name));
    const auto [above, key] = split_name(name);
    const YamlValue map = above.empty() ? *root_ : root_of(name)->at(above);  // says that the section is missing
    return Given(*find_setting(name), map.at(key), folder_);
}

std::optional<YamlValue> Sources::section(const std::string& name) const {
    return root_ && !name.empty() ? value_at(*root_of(name), name) : root_;
}

void Sources::put_section(Scenario& scenario, const std::string& section) const {
    for (const SettingRow& row : settings()) {
        if (row.put == nullptr || split_name(row.name).first != section || !root_) continue;
        // A setting replaces the value at once: the file's may not fit a machine that was set, too.
        if (value_of(*root_of(row.name), row)) row.put(scenario, *find(row.name));
    }
}

std::vector<std::string> keys_of(const std::string& section) {
    std::vector<std::string> keys;
    const auto add = [&](const std::string& name) {
        for (std::string rest = name; !rest.empty();) {  // up to the key directly in this section
            const auto [above, last] = split_name(rest);
            if (above == section) {
                if (std::find(keys.begin(), keys.end(), last) == keys.end()) keys.push_back(last);
                return;
            }
            rest = above;
        }
    };
    for (const SettingRow& row : settings()) {
        add(row.name);
        if (!row.other_name.empty()) add(row.other_name);
    }
    return keys;
}

vocabulary::NodeId node_named(const topologies::YamlValue& value) {
    const std::string text = value.text();
    vocabulary::NodeId::value_type number = 0;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data() + (text.empty() ? 0 : 1), end, number);
    if (!text.starts_with('n') || error != std::errc() || at != end)
        value.fail(fmt::format("'{}' is no node; write its name, as n5", text));
    return vocabulary::NodeId(number);
}

}  // namespace scenario
