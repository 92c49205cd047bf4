#include "tmon/clock_report.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tmon/trace_store.hpp"

namespace tmon {
namespace {

using trace_record::TraceEnd;
using Json = nlohmann::ordered_json;

std::string us(double value) {
    return std::abs(value) < 10'000 ? fmt::format("{:.1f} us", value) : fmt::format("{:.3f} ms", value * 1e-3);
}

void head(std::string& text, const ClockAdjustment& clocks) {
    const auto out = std::back_inserter(text);
    if (!clocks.synchronised()) {
        text +=
            "No clock is tied to another: the trace has no record of a global interrupt (Tmon-de has none, Tmon has).\n"
            "Times are those of each node's own clock since its monitoring began. They drift, and they began at different\n"
            "moments: only the order of the records of one node means something.\n";
        return;
    }
    fmt::format_to(out, "Common clock: that of n{}, since its monitoring began", *clocks.reference());
    if (clocks.period_us() > 0) fmt::format_to(out, "; a global interrupt every {:.3f} ms", clocks.period_us() * 1e-3);
    text += "\n\n";
    fmt::format_to(out, "{:<6} {:>10} {:>8} {:>7} {:>8} {:>20} {:>13} {:>13} {:>13}\n", "node", "interrupts", "missing", "late",
                   "skipped", "drift ppm", "typical", "worst used", "worst late");
    for (const NodeClock& clock : clocks.clocks()) {
        const std::string name = fmt::format("n{}", clock.node);
        if (clock.node == *clocks.reference()) {
            fmt::format_to(out, "{:<6} {:>10} {:>8} {:>7} {:>8} {:>20}\n", name, clock.interrupts, clock.missing, "-", "-",
                           "the common clock");
        } else if (!clocks.tied(clock.node)) {
            fmt::format_to(out, "{:<6} {:>10} {:>8}   not tied, its times are its own clock's: {}\n", name, clock.interrupts,
                           clock.missing, why(clock.doubt));
        } else {
            const std::string drift =
                clock.drift_ppm ? fmt::format("{:+.3f} +- {:.3f}", *clock.drift_ppm, clock.drift_error_ppm) : "?";
            fmt::format_to(out, "{:<6} {:>10} {:>8} {:>7} {:>8} {:>20} {:>13} {:>13} {:>13}\n", name, clock.interrupts,
                           clock.missing, clock.late, clock.recounted, drift, us(clock.typical_us), us(clock.worst_us),
                           clock.late > 0 ? us(clock.worst_late_us) : "-");
        }
    }
}

void causality(std::string& text, const char* name, const CausalityCheck& check) {
    fmt::format_to(std::back_inserter(text), "  {:<9} {} of {}", name, check.contradicted, check.messages);
    if (check.contradicted > 0) fmt::format_to(std::back_inserter(text), ", at worst {}", us(check.worst_us));
    text += '\n';
}

void truth(std::string& text, const ClockAdjustment& clocks, const ClockErrors& errors) {
    const auto out = std::back_inserter(text);
    text += "\nAgainst true time, from the oracle, which no analysis reads:\n";
    fmt::format_to(out, "  {:<26} {:>9} {:>11} {:>11} {:>11} {:>11} {:>11}\n", "records' times", "records", "half within",
                   "90 %", "99 %", "all", "mean");
    const auto row = [&](const char* name, const ErrorQuantiles& q) {
        fmt::format_to(out, "  {:<26} {:>9} {:>11} {:>11} {:>11} {:>11} {:>11}\n", name, q.records, us(q.half_us),
                       us(q.most_90_us), us(q.most_99_us), us(q.worst_us), us(q.mean_us));
    };
    if (clocks.synchronised()) row("synchronised", errors.of_synchronised);
    row("without, set right once", errors.of_without);
    fmt::format_to(out, "  without, never set right: within {}\n", us(errors.raw_worst_us));
    causality(text, "by true time, receives recorded before their sends:", errors.by_truth);
    if (clocks.synchronised()) {
        fmt::format_to(out, "  the common clock itself is {:+.0f} ppm off true time, which no interrupt can tell\n",
                       errors.reference_off_ppm);
    } else {
        fmt::format_to(out, "  errors are those against the clock of n{}, which is {:+.0f} ppm off true time itself\n",
                       errors.reference, errors.reference_off_ppm);
    }
}

Json json_of(const CausalityCheck& check) {
    return {{"messages", check.messages}, {"contradicted", check.contradicted}, {"worst_us", check.worst_us}};
}

Json json_of(const ErrorQuantiles& q, const std::vector<ClockErrors::Point>& points) {
    Json json = {{"records", q.records},       {"half_us", q.half_us},   {"most_90_us", q.most_90_us},
                 {"most_99_us", q.most_99_us}, {"worst_us", q.worst_us}, {"mean_us", q.mean_us}};
    // percentiles_us[p]: p of a hundred errors, with their sign, are at most this.
    json["percentiles_us"] = Json::array();
    std::vector<double> errors;
    for (const auto& point : points) errors.push_back(point.error_us);
    std::sort(errors.begin(), errors.end());
    for (std::size_t percent = 0; percent <= 100 && !errors.empty(); ++percent)
        json["percentiles_us"].push_back(errors[(errors.size() - 1) * percent / 100]);
    return json;
}

Json json_of(const NodeClock& clock, const ClockAdjustment& clocks) {
    Json json = {{"node", clock.node},          {"tied", clocks.tied(clock.node)},
                 {"not_tied_because", nullptr}, {"interrupts", clock.interrupts},
                 {"missing", clock.missing},    {"late", clock.late},
                 {"skipped", clock.recounted},  {"drift_ppm", nullptr},
                 {"drift_error_ppm", nullptr},  {"typical_us", clock.typical_us},
                 {"worst_us", clock.worst_us},  {"worst_late_us", clock.worst_late_us}};
    if (!clocks.tied(clock.node)) json["not_tied_because"] = why(clock.doubt);
    if (clock.drift_ppm) json["drift_ppm"] = *clock.drift_ppm, json["drift_error_ppm"] = clock.drift_error_ppm;
    return json;
}

}  // namespace

std::string clock_text(const ClockReport& report) {
    std::string text;
    if (report.trace_end != TraceEnd::Complete)
        text += "The trace is " + report.trace_status + ": " + why_not_whole(report.trace_end) + ".\n\n";
    head(text, report.adjustment);
    text +=
        "\nA task or result whose receive is recorded before its send (a send is recorded when its process goes on, after the\n"
        "message has passed, so even by true time some are):\n";
    causality(text, "raw", report.raw);
    if (report.adjustment.synchronised()) causality(text, "adjusted", report.adjusted);
    if (report.errors) truth(text, report.adjustment, *report.errors);
    text.pop_back();
    return text;
}

std::string clock_json(const ClockReport& report) {
    const ClockAdjustment& clocks = report.adjustment;
    Json json = {{"schema", "magicwire.clocks/1"}, {"synchronised", clocks.synchronised()}, {"reference", nullptr}};
    json["trace"] = {{"complete", report.trace_end == TraceEnd::Complete},
                     {"damaged", report.trace_end == TraceEnd::Damaged},
                     {"status", report.trace_status}};
    if (clocks.reference()) json["reference"] = *clocks.reference();
    json["period_us"] = clocks.period_us();
    json["nodes"] = Json::array();
    for (const NodeClock& clock : clocks.clocks()) json["nodes"].push_back(json_of(clock, clocks));
    json["causality"] = {{"raw", json_of(report.raw)}};
    if (clocks.synchronised()) json["causality"]["adjusted"] = json_of(report.adjusted);
    if (report.errors) {
        json["causality"]["truth"] = json_of(report.errors->by_truth);
        json["truth"] = {{"reference_off_ppm", report.errors->reference_off_ppm},
                         {"never_set_right_worst_us", report.errors->raw_worst_us},
                         {"without", json_of(report.errors->of_without, report.errors->without)}};
        if (clocks.synchronised())
            json["truth"]["synchronised"] = json_of(report.errors->of_synchronised, report.errors->synchronised);
    }
    return json.dump(2);
}

}  // namespace tmon
