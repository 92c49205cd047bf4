// The table of settings: every value that a scenario takes, with its name, range, default, unit and meaning. The scenario
// file, --set, changes in mid-run, `magicwire settings`, schemas/scenario.schema.json and docs/formats/scenario_file.md all
// follow it. Costs are rows of the cost table (topologies/cost_table.hpp) and are set in the same ways. Cost: a search by name
// is linear in the table.
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

// Values that a setting takes. A machine may lower the `most` of a number; `note` then says so.
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
    std::string name;        // "farm.tasks": section and key in the file, the whole name elsewhere
    std::string other_name;  // accepted too; empty: none
    Range range;
    std::string otherwise;  // the default; empty: none
    std::string unit;       // "tasks"; empty: none, or written in the value
    std::string why_fixed;  // why the setting cannot change in mid-run; empty: it can
    std::string meaning;
    // Puts the value into a scenario under construction. Null: the value is read with the file, since others depend on it.
    void (*put)(Scenario& scenario, const Given& value);
};

// By section, in the order in which the values of a file are put into the scenario.
const std::vector<SettingRow>& settings();
const SettingRow* find_setting(std::string_view name);  // by either name; null: there is none

// Names of the settings that can change in mid-run. Costs of the monitor can change too.
const std::vector<std::string>& changeable_names();

// The scenario with one value or cost set, as by --set. Values that are read with the file cannot change. Throws
// vocabulary::InputError.
Scenario with_setting(const Scenario& scenario, const Setting& setting);
// Call when all settings are applied: throws vocabulary::InputError for a setting that the resulting monitor does not use.
void check_monitor_settings(const Scenario& scenario, const std::vector<Setting>& settings);

}  // namespace scenario
