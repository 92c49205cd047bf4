// magicwire settings: the table of settings, as every place that takes one goes by it.
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <scenario/settings.hpp>

#include "frame/command.hpp"

namespace cli {
namespace {

using nlohmann::ordered_json;
using scenario::SettingRow;

ordered_json range_json(const scenario::Range& range) {
    ordered_json json = {{"text", scenario::range_text(range)}};
    if (const auto* number = std::get_if<scenario::WholeNumber>(&range)) {
        json["kind"] = "number";
        json["least"] = number->least;
        json["most"] = number->most;
    } else if (const auto* words = std::get_if<scenario::OneOf>(&range)) {
        json["kind"] = "words";
        json["words"] = words->words;
    } else {
        json["kind"] = std::holds_alternative<scenario::TimeSpan>(range) ? "time" : "form";
    }
    return json;
}

ordered_json or_null(const std::string& text) {
    return text.empty() ? ordered_json() : ordered_json(text);
}

void print_settings(bool json) {
    if (json) {
        ordered_json out = {{"schema", "magicwire.settings/1"}};
        for (const SettingRow& row : scenario::settings()) {
            out["settings"].push_back({{"name", row.name},
                                       {"other_name", or_null(row.other_name)},
                                       {"range", range_json(row.range)},
                                       {"default", or_null(row.otherwise)},
                                       {"unit", or_null(row.unit)},
                                       {"fixed_because", or_null(row.why_fixed)},
                                       {"meaning", row.meaning}});
        }
        put(out.dump(2));
        return;
    }
    put(fmt::format("{:<28} {:<13} {:<9} {:<8} {}", "setting", "default", "unit", "mid-run", "values: meaning"));
    for (const SettingRow& row : scenario::settings()) {
        put(fmt::format("{:<28} {:<13} {:<9} {:<8} {}: {}", row.name, row.otherwise.empty() ? "-" : row.otherwise,
                        row.unit.empty() ? "-" : row.unit, row.why_fixed.empty() ? "yes" : "no",
                        scenario::range_text(row.range), row.meaning));
    }
    put("\nA name is a section of the scenario file and a key in it. --set NAME=VALUE takes the same names and the costs\n"
        "('magicwire costs'); a setting with 'mid-run: yes' can also change during a run (magicwire shell, run --what-if).");
}

}  // namespace

void add_settings(CLI::App& app, int& result) {
    auto json = std::make_shared<bool>(false);
    CLI::App* command =
        app.add_subcommand("settings", "Print every setting of a scenario with values, default, unit and meaning");
    command->add_flag("--json", *json, "print JSON");
    command->footer("Example:\n  magicwire settings\n");
    command->callback([json, &result] {
        print_settings(*json);
        result = exit_code::nothing_found;
    });
}

}  // namespace cli
