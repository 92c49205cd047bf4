#include <tmon_clocks/clock_report.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tmon_streams/trace_store.hpp>

namespace tmon_clocks {
namespace {

using trace_record::TraceEnd;
using Json = nlohmann::ordered_json;

void head(std::string& text, const ClockAdjustment& clocks) {
    const auto out = std::back_inserter(text);
    if (!clocks.synchronised()) {
        text +=
            "No clock is tied to another: the trace has no record of a global interrupt (Tmon-de has none, Tmon has).\n"
            "Times are those of each node's own clock since its monitoring began. They drift, and they began at different\n"
            "moments: only the order of the records of one node is meaningful.\n";
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
                           clock.missing, clock.late, clock.recounted, drift, us_text(clock.typical_us),
                           us_text(clock.worst_us), clock.late > 0 ? us_text(clock.worst_late_us) : "-");
        }
    }
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

std::string us_text(double value) {
    return std::abs(value) < 10'000 ? fmt::format("{:.1f} us", value) : fmt::format("{:.3f} ms", value * 1e-3);
}

std::string check_text(const char* name, const CausalityCheck& check) {
    std::string text = fmt::format("  {:<9} {} of {}", name, check.contradicted, check.messages);
    if (check.contradicted > 0) fmt::format_to(std::back_inserter(text), ", at worst {}", us_text(check.worst_us));
    return text + '\n';
}

nlohmann::ordered_json check_json(const CausalityCheck& check) {
    return {{"messages", check.messages}, {"contradicted", check.contradicted}, {"worst_us", check.worst_us}};
}

std::string clock_text(const ClockReport& report) {
    std::string text;
    if (report.trace_end != TraceEnd::Complete)
        text += "The trace is " + report.trace_status + ": " + tmon_streams::why_not_whole(report.trace_end) + ".\n\n";
    head(text, report.adjustment);
    text +=
        "\nA message whose receive is recorded before its send (a send is recorded when its process goes on, after the "
        "message\n"
        "has passed, so even by true time some are):\n";
    text += check_text("raw", report.raw);
    if (report.adjustment.synchronised()) text += check_text("adjusted", report.adjusted);
    return text;
}

nlohmann::ordered_json clock_json(const ClockReport& report) {
    const ClockAdjustment& clocks = report.adjustment;
    Json json = {{"schema", "magicwire.clocks/1"}, {"synchronised", clocks.synchronised()}, {"reference", nullptr}};
    json["trace"] = {{"complete", report.trace_end == TraceEnd::Complete},
                     {"damaged", report.trace_end == TraceEnd::Damaged},
                     {"status", report.trace_status}};
    if (clocks.reference()) json["reference"] = *clocks.reference();
    json["period_us"] = clocks.period_us();
    json["nodes"] = Json::array();
    for (const NodeClock& clock : clocks.clocks()) json["nodes"].push_back(json_of(clock, clocks));
    json["causality"] = {{"raw", check_json(report.raw)}};
    if (clocks.synchronised()) json["causality"]["adjusted"] = check_json(report.adjusted);
    return json;
}

}  // namespace tmon_clocks
