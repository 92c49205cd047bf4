#include "recovery/recorded_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <text/output_file.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"

namespace cli {
namespace {

constexpr std::int64_t most_checkpoints = 2'000'000;  // some seconds, and 150 MB

namespace fs = std::filesystem;
using tmon_recovery::CheckpointPlan;
using tmon_recovery::CheckpointRule;
using vocabulary::InputError;

constexpr std::array<const char*, 4> rule_names{"clock", "time", "interrupt", "moments"};
constexpr const char* plan_format = "magicwire-checkpoint-plan 1";

std::string plan_file(const std::string& folder) {
    return (fs::path(folder) / "plan.json").string();
}
nlohmann::ordered_json json_of(const CheckpointPlan& plan) {
    return {{"format", plan_format}, {"checkpoints", name_of(plan.rule)}, {"interval_ns", plan.interval_ns}};
}
std::string checksum_of(const nlohmann::ordered_json& plan) {
    const std::string text = plan.dump();
    return fmt::format("{:016x}", tmon_recovery::checksum(text.data(), text.size()));
}

}  // namespace

std::string events_file(const std::string& folder) {
    return (fs::path(folder) / "events.mwr").string();
}
bool is_recorded_run(const std::string& folder) {
    return fs::is_regular_file(events_file(folder));
}

std::int64_t nanoseconds(const char* option, const std::string& text) {
    constexpr std::array<std::pair<const char*, double>, 3> units{{{"ms", 1e6}, {"us", 1e3}, {"s", 1e9}}};
    for (const auto& [unit, factor] : units) {
        if (!text.ends_with(unit)) continue;
        const double value = positive_number(option, text.substr(0, text.size() - std::string(unit).size())) * factor;
        if (value < 1 || value > 1e18) break;
        return std::llround(value);
    }
    throw CLI::ValidationError(option, "expected a time with its unit, as 2s, 500ms or 250us");
}
std::string seconds_text(std::int64_t ns) {
    return fmt::format("{:.6f} s", static_cast<double>(ns) * 1e-9);
}

CheckpointRule rule_named(const std::string& name) {
    const auto at = std::find(rule_names.begin(), rule_names.end(), name);
    return static_cast<CheckpointRule>(at - rule_names.begin());
}
const char* name_of(CheckpointRule rule) {
    return rule_names[static_cast<std::size_t>(rule)];
}

void write_plan(const std::string& folder, const CheckpointPlan& plan) {
    nlohmann::ordered_json all = json_of(plan);
    all["checksum"] = checksum_of(json_of(plan));
    text::write_text_file(plan_file(folder), all.dump(2) + "\n", text::Replace::Yes);
}

CheckpointPlan read_plan(const std::string& folder) {
    const std::string path = plan_file(folder), text = text::read_text_file(path, "a plan of checkpoints");
    const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
    const auto is = [&](const char* key, bool (nlohmann::ordered_json::*has)() const noexcept) {
        return json.is_object() && json.contains(key) && (json[key].*has)();
    };
    if (!is("format", &nlohmann::ordered_json::is_string) || json["format"] != plan_format ||
        !is("checkpoints", &nlohmann::ordered_json::is_string) ||
        !is("interval_ns", &nlohmann::ordered_json::is_number_integer))
        throw InputError({path, 0, 0},
                         fmt::format("it is no plan of the format {}; write --interval and --checkpoints", plan_format));
    CheckpointPlan plan;
    plan.rule = rule_named(json["checkpoints"]);
    plan.interval_ns = json["interval_ns"];
    if (plan.rule > CheckpointRule::Interrupt || plan.interval_ns <= 0)
        throw InputError({path, 0, 0}, "checkpoints are clock, time or interrupt, and interval_ns is above 0");
    if (!is("checksum", &nlohmann::ordered_json::is_string) || json["checksum"] != checksum_of(json_of(plan)))
        throw InputError(
            {path, 0, 0},
            "it has changed since it was written: its checksum is another one; write --interval and --checkpoints");
    return plan;
}

void PlanOptions::add_to(CLI::App& command) {
    command.add_option("--interval", interval, "another time between checkpoints than the record's, as 500ms")
        ->type_name("TIME");
    command.add_option("--checkpoints", checkpoints, "other ones than the record's")
        ->check(CLI::IsMember({"clock", "interrupt", "time"}))
        ->type_name("RULE");
}

RecordedRun::RecordedRun(const std::string& folder, const PlanOptions& options) : file_(events_file(folder)) {
    if (!is_recorded_run(folder))
        throw InputError({folder, 0, 0}, "it is no folder of 'magicwire record SCENARIO': events.mwr is missing");
    record_ = tmon_recovery::read_record(events_file(folder));
    if (options.interval.empty() || options.checkpoints.empty()) plan_ = read_plan(folder);
    if (!options.interval.empty()) plan_.interval_ns = nanoseconds("--interval", options.interval);
    if (!options.checkpoints.empty()) plan_.rule = rule_named(options.checkpoints);
    graph_ = std::make_unique<tmon_recovery::EventGraph>(std::move(record_.processes), std::move(record_.messages));
    if (record_.whole()) return;
    std::int64_t holds = 0;
    for (tmon_recovery::ProcessNo process = 0; process < graph_->processes(); ++process)
        holds = std::max(holds, graph_->span(process).end_ns - graph_->span(process).begin_ns);
    std::fprintf(stderr,
                 "magicwire: %s was cut off: it holds to %s of the run; %zu messages at its end depend on missing ones\n",
                 events_file(folder).c_str(), seconds_text(holds).c_str(), record_.left_out);
}

const std::string& RecordedRun::line_of(std::uint16_t number) const {
    return record_.lines[number < record_.lines.size() ? number : 0];
}
const std::string& RecordedRun::line_of(tmon_recovery::ProcessNo process, tmon_recovery::EventNo event) const {
    if (event == 0) return record_.lines.front();
    const tmon_recovery::Message& its = graph_->messages()[graph_->message_of(process, event)];
    return line_of(graph_->is_receive(process, event) ? its.received_line : its.sent_line);
}
tmon_recovery::Intervals RecordedRun::intervals() const {
    std::int64_t checkpoints = 0;
    for (tmon_recovery::ProcessNo process = 0; process < graph_->processes(); ++process)
        checkpoints += (graph_->span(process).end_ns - graph_->span(process).begin_ns) / plan_.interval_ns;
    if (checkpoints > most_checkpoints)
        throw InputError({file_, 0, 0},
                         fmt::format("an interval of {} ns makes {} checkpoints of this run, and {} are the most; "
                                     "give a longer --interval",
                                     plan_.interval_ns, checkpoints, most_checkpoints));
    tmon_recovery::Intervals its(*graph_, plan_);
    if (its.has_circle()) throw InputError({file_, 0, 0}, "messages depend on each other in a circle; it is damaged");
    return its;
}
int RecordedRun::exit_code() const {
    return record_.whole() ? cli::exit_code::nothing_found : cli::exit_code::unknown;
}

}  // namespace cli
