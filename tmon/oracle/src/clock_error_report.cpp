// The comparison of clocks with the truth, in words and for programs.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tmon_clocks/clock_report.hpp>
#include <tmon_oracle/clock_errors.hpp>

namespace tmon_oracle {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const ErrorQuantiles& q, const std::vector<ClockErrors::Point>& points) {
    Json json = {{"records", q.records},       {"half_us", q.half_us},   {"most_90_us", q.most_90_us},
                 {"most_99_us", q.most_99_us}, {"worst_us", q.worst_us}, {"mean_us", q.mean_us}};
    // percentiles_us[p]: p of a hundred errors, with their sign, are at most this.
    json["percentiles_us"] = Json::array();
    std::vector<double> errors;
    errors.reserve(points.size());
    for (const auto& point : points) errors.push_back(point.error_us);
    std::sort(errors.begin(), errors.end());
    for (std::size_t percent = 0; percent <= 100 && !errors.empty(); ++percent)
        json["percentiles_us"].push_back(errors[(errors.size() - 1) * percent / 100]);
    return json;
}

}  // namespace

std::string error_text(const tmon_clocks::ClockAdjustment& clocks, const ClockErrors& errors) {
    std::string text = "\nAgainst true time, from the oracle, which no analysis reads:\n";
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "  {:<26} {:>9} {:>11} {:>11} {:>11} {:>11} {:>11}\n", "records' times", "records", "half within",
                   "90 %", "99 %", "all", "mean");
    const auto row = [&](const char* name, const ErrorQuantiles& q) {
        fmt::format_to(out, "  {:<26} {:>9} {:>11} {:>11} {:>11} {:>11} {:>11}\n", name, q.records,
                       tmon_clocks::us_text(q.half_us), tmon_clocks::us_text(q.most_90_us), tmon_clocks::us_text(q.most_99_us),
                       tmon_clocks::us_text(q.worst_us), tmon_clocks::us_text(q.mean_us));
    };
    if (clocks.synchronised()) row("synchronised", errors.of_synchronised);
    if (errors.of_sorted.records > 0) row("sorted by cause", errors.of_sorted);
    if (errors.of_amortised.records > 0) row("sorted, amortised", errors.of_amortised);
    row("without, set right once", errors.of_without);
    fmt::format_to(out, "  without, never set right: within {}\n", tmon_clocks::us_text(errors.raw_worst_us));
    text += tmon_clocks::check_text("by true time, receives recorded before their sends:", errors.by_truth);
    if (clocks.synchronised()) {
        fmt::format_to(out, "  the common clock itself is {:+.0f} ppm off true time, which no interrupt can show\n",
                       errors.reference_off_ppm);
    } else {
        fmt::format_to(out, "  errors are those against the clock of n{}, which is {:+.0f} ppm off true time itself\n",
                       errors.reference, errors.reference_off_ppm);
    }
    return text;
}

void add_errors(nlohmann::ordered_json& report, const tmon_clocks::ClockAdjustment& clocks, const ClockErrors& errors) {
    report["causality"]["truth"] = tmon_clocks::check_json(errors.by_truth);
    report["truth"] = {{"reference_off_ppm", errors.reference_off_ppm},
                       {"never_set_right_worst_us", errors.raw_worst_us},
                       {"without", json_of(errors.of_without, errors.without)}};
    if (errors.of_sorted.records > 0) report["truth"]["sorted"] = json_of(errors.of_sorted, errors.sorted);
    if (errors.of_amortised.records > 0) report["truth"]["amortised"] = json_of(errors.of_amortised, errors.amortised);
    if (clocks.synchronised()) report["truth"]["synchronised"] = json_of(errors.of_synchronised, errors.synchronised);
}

}  // namespace tmon_oracle
