#include "runs/run_views.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <oracle/session_result.hpp>
#include <prediction/predict.hpp>
#include <text/output_file.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"

namespace cli {

using oracle::SessionResult;
using scenario::Scenario;

void RunViews::add_to(CLI::App& command) {
    command.add_option("--report", report, "the farm report: text, after the summary; json, alone (docs/guide/farms.md)")
        ->check(CLI::IsMember({"text", "json"}));
    command.add_option("--report-page", page, "file for the farm report as one HTML page; replaced if it exists")
        ->type_name("FILE")
        ->check(file_name());
    command.add_flag("--predict", predict, "also predict the run, and print both side by side");
}

void RunViews::refuse_without_farm(const char* what) const {
    const std::pair<bool, const char*> wanted[] = {
        {!report.empty(), "--report"}, {!page.empty(), "--report-page"}, {predict, "--predict"}};
    for (const auto& [given, name] : wanted) {
        if (given)
            throw vocabulary::InputError({name, 0, 0},
                                         fmt::format("is for farms, and the scenario runs {}; leave it out", what));
    }
}

void RunViews::prepare(const Scenario& scenario) {
    if (!page.empty()) text::check_output_file(page, text::Replace::Yes);
    if (!predict) return;
    try {
        prediction_ = prediction::predict(scenario);
    } catch (const vocabulary::RequestError& error) {  // the run is the main output
        refused_ = error.what();
        fmt::print(stderr, "magicwire: no prediction: {}\n", refused_);
    }
}

void RunViews::finish(const Scenario& scenario, const SessionResult& result, const outcome::Manifest& manifest,
                      const std::string& verdict) {
    if (report.empty() && page.empty()) return;
    made_ = oracle::farm_report(scenario, result, prediction_);
    if (!page.empty()) made_page_ = outcome::farm_report_page(*made_, result, manifest, verdict);
}

void RunViews::write_page() const {
    if (page.empty()) return;
    std::fflush(stdout);
    outcome::write_farm_page(page, made_page_);
}

std::string RunViews::report_json() const {
    return outcome::farm_report_json(*made_).dump(2);
}

std::string RunViews::with_prediction(const std::string& summary, const Scenario& scenario, const SessionResult& result) const {
    if (!refused_.empty()) {
        auto json = nlohmann::ordered_json::parse(summary);
        json["prediction"] = {{"schema", "magicwire.predict/1"}, {"refused", refused_}};
        return json.dump(2);
    }
    if (!prediction_) return summary;
    const auto seen = oracle::measured(scenario, result);
    auto json = nlohmann::ordered_json::parse(summary);
    json["prediction"] = nlohmann::ordered_json::parse(prediction::prediction_json(scenario, *prediction_, &seen, {}));
    return json.dump(2);
}

std::string RunViews::text(const Scenario& scenario, const SessionResult& result, outcome::Totals totals) const {
    std::string text;
    if (prediction_) {
        const auto seen = oracle::measured(scenario, result);
        text += prediction::prediction_text(scenario, *prediction_, &seen, {}) + "\n";
    }
    if (report == "text") text += "\n" + outcome::farm_report_text(*made_, totals) + "\n";
    return text;
}

}  // namespace cli
