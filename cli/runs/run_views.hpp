// Views of a farm that 'run' and 'farm run' add to the summary: a prediction, and the farm report as text, JSON or a page.
#pragma once

#include <optional>
#include <oracle/session_result.hpp>
#include <string>

#include <CLI/CLI.hpp>

#include <farm_model/prediction.hpp>
#include <outcome/farm_report_views.hpp>
#include <outcome/outputs.hpp>

namespace cli {

struct RunViews {
    std::string report, page;
    bool predict = false;

    void add_to(CLI::App& command);
    // Throws vocabulary::InputError for a view that only a farm has. `what` runs: "a halo".
    void refuse_without_farm(const char* what) const;
    // Before the run: predicts, and checks that the page can be written. A refused prediction is reported on standard error.
    void prepare(const scenario::Scenario& scenario);
    // After the run; `verdict` as text.
    void finish(const scenario::Scenario& scenario, const oracle::SessionResult& result, const outcome::Manifest& manifest,
                const std::string& verdict);
    void write_page() const;  // call last, so that a failure here loses no other report
    bool report_alone() const { return report == "json"; }
    std::string report_json() const;
    // The summary, with the key "prediction" (schema magicwire.predict/1) if there is one.
    std::string with_prediction(const std::string& summary, const scenario::Scenario& scenario,
                                const oracle::SessionResult& result) const;
    // The text below the summary.
    std::string text(const scenario::Scenario& scenario, const oracle::SessionResult& result, outcome::Totals totals) const;

private:
    std::optional<farm_model::Prediction> prediction_;
    std::string refused_;  // why there is no prediction
    std::optional<oracle::FarmReport> made_;
    std::string made_page_;
};

}  // namespace cli
