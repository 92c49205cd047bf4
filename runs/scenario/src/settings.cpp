#include <scenario/settings.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <topologies/cost_settings.hpp>
#include <topologies/strict_yaml.hpp>
#include <vocabulary/match.hpp>

#include "given.hpp"
#include "scenario_parts.hpp"
#include "setting_rows.hpp"

namespace scenario {
namespace {

using vocabulary::Match;
using vocabulary::SimTime;

std::string words_text(const std::vector<std::string>& words) {
    if (words.size() == 1) return words.front();
    return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

}  // namespace

std::string range_text(const Range& range) {
    const auto with = [](const std::string& text, const std::string& note) { return note.empty() ? text : text + ", " + note; };
    return std::visit(Match{[&](const WholeNumber& r) { return with(fmt::format("{} to {}", r.least, r.most), r.note); },
                            [](const OneOf& r) { return words_text(r.words); },
                            [&](const TimeSpan& r) {
                                const bool open = r.most == SimTime::never();
                                if (open && r.least == SimTime()) return with("any time", r.note);
                                const std::string most = open ? " or more" : " to " + topologies::time_text(r.most);
                                return with(topologies::time_text(r.least) + most, r.note);
                            },
                            [](const Form& r) { return r.text; }},
                      range);
}

const std::vector<SettingRow>& settings() {
    static const std::vector<SettingRow> all = [] {
        std::vector<SettingRow> rows = run_rows();
        for (auto part : {farm_rows, application_rows, mpi_rows, halo_rows, monitor_rows})
            std::ranges::move(part(), std::back_inserter(rows));
        return rows;
    }();
    return all;
}

const SettingRow* find_setting(std::string_view name) {
    for (const SettingRow& row : settings()) {
        if (row.name == name || (!row.other_name.empty() && row.other_name == name)) return &row;
    }
    return nullptr;
}

const std::vector<std::string>& changeable_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> found;
        for (const SettingRow& row : settings()) {
            if (row.why_fixed.empty()) found.push_back(row.name);
        }
        return found;
    }();
    return names;
}

void apply_setting(Scenario& scenario, const Setting& setting) {
    if (const SettingRow* row = find_setting(setting.first)) {
        if (row->put != nullptr) row->put(scenario, Given(*row, setting));
        return;
    }
    std::vector<std::string> names;
    for (const SettingRow& row : settings()) {
        names.push_back(row.name);
        if (!row.other_name.empty()) names.push_back(row.other_name);
    }
    topologies::set_cost(scenario.costs, setting, names);
}

Scenario with_setting(const Scenario& scenario, const Setting& setting) {
    Scenario changed = scenario;
    apply_setting(changed, setting);
    return changed;
}

void put_defaults(Scenario& scenario, const std::string& section) {
    for (const SettingRow& row : settings()) {
        if (row.name.starts_with(section + ".") && !row.otherwise.empty())
            row.put(scenario, Given(row, Setting{row.name, row.otherwise}));
    }
}

}  // namespace scenario
