// The table of settings: every value that a scenario takes, with its name, range, default, unit and meaning. The scenario file,
// --set, changes in mid-run, `magicwire settings`, schemas/scenario.schema.json and docs/formats/scenario_file.md go by it.
// Costs are rows of the cost table (topologies/cost_table.hpp); they take the same ways. Cost: a search by name is linear in
// the table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <vocabulary/sim_time.hpp>

namespace scenario {

struct Scenario;
class Given;

using Setting = std::pair<std::string, std::string>;  // of --set NAME=VALUE

// The values that a setting takes. `most` of a number may be lower for a machine; `note` says so.
struct WholeNumber {
    std::int64_t least, most;
    std::string note = {};
};
struct OneOf {
    std::vector<std::string> words;
};
struct TimeSpan {
    vocabulary::SimTime least, most;
    std::string note = {};
};
struct Form {
    std::string text;  // "a machine file"
};
using Range = std::variant<WholeNumber, OneOf, TimeSpan, Form>;
std::string range_text(const Range& range);  // "1 to 16", "chain, binary or ternary", "100us to ..."

struct SettingRow {
    std::string name;        // "farm.tasks": section and key of the file, and the whole name everywhere else
    std::string other_name;  // also taken everywhere; empty: none
    Range range;
    std::string otherwise;  // the value when nothing is given; empty: none
    std::string unit;       // "tasks"; empty: none, or part of the value
    std::string why_fixed;  // why the setting cannot change in mid-run; empty: it can
    std::string meaning;
    // Puts the value into a scenario under construction. Null: the value is read with the file, since others hang on it.
    void (*put)(Scenario& scenario, const Given& value);
};

// By section, in the order in which the values of a file are put into the scenario.
const std::vector<SettingRow>& settings();
const SettingRow* find_setting(std::string_view name);  // by either name; null: there is none

// The names for changes in mid-run, in the order of their lists. Costs of the monitor come on top.
const std::vector<std::string>& changeable_names();

// The scenario with one value set, or one of its cost table, as by --set. Values that were read with the file stay. Throws
// vocabulary::InputError.
Scenario with_setting(const Scenario& scenario, const Setting& setting);
// Call when all settings are applied: throws vocabulary::InputError for one that the resulting monitor has no use for.
void check_monitor_settings(const Scenario& scenario, const std::vector<Setting>& settings);

}  // namespace scenario
