// The summary at the end of a run, for people, and the same as JSON.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <oracle/bug_report.hpp>
#include <oracle/fault_report.hpp>
#include <outcome/farm_report_views.hpp>
#include <outcome/outputs.hpp>
#include <prediction/resolve_tree.hpp>
#include <tmon_streams/task_view.hpp>
#include <tmon_streams/thesis_files.hpp>

#include <text/time_text.hpp>
#include "losses_json.hpp"
#include "program_report.hpp"
#include "reconfiguration_report.hpp"
#include "recovery_report.hpp"
#include "totals.hpp"

namespace outcome {

namespace {

const char* end_text(tmon_streams::SessionEnd end) {
    switch (end) {
        case tmon_streams::SessionEnd::ProgramEnded:
            return "the program ended";
        case tmon_streams::SessionEnd::StoodStill:
            return "the farm stood still and was given up";
        case tmon_streams::SessionEnd::Cut:
            return "cut while nodes were still computing";
        case tmon_streams::SessionEnd::NeverBegan:
            return "the farm never began, given up";
        case tmon_streams::SessionEnd::Unknown:
            break;
    }
    return "unknown";
}

std::string application_name(const scenario::Scenario& scenario) {
    if (scenario.farm_program) return "program " + scenario.farm_program->name;
    return scenario.program.empty() ? "simulated application" : scenario.program;
}

constexpr std::size_t most_losses = 8;  // of a node, in the text

std::string node_ranges(const std::vector<session::NodeLine>& nodes, bool answers) {
    std::string text;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto counts = [&](const session::NodeLine& node) { return node.member && node.answers == answers; };
        if (!counts(nodes[i])) continue;
        std::size_t last = i;
        while (last + 1 < nodes.size() && counts(nodes[last + 1])) ++last;
        text += (text.empty() ? "n" : ", n") + std::to_string(i) + (last > i ? "-" + std::to_string(last) : "");
        i = last;
    }
    return text.empty() ? "none" : text;
}

// The last record known to have been made, whether received or lost.
std::string last_record(const tmon_streams::NodeStatistics& line) {
    std::uint64_t known = line.events;
    for (const auto& range : line.losses) known += range.last_seq - range.first_seq + std::uint64_t{1};
    return known == 0 ? "its start" : "record " + std::to_string(known - 1);
}

std::string loss_text(const tmon_streams::NodeStatistics& line) {
    std::string text = tmon_streams::losses_text(line.losses, most_losses);
    if (line.state == tmon_streams::StreamState::Open)
        text += fmt::format("{}open end: what came after {} is not known", text.empty() ? "" : ", ", last_record(line));
    return text.empty() ? "none" : text;
}

nlohmann::ordered_json ledger_json(const session::NodeLine& node) {
    return {{"probe_us", node.ledger.probe.in_us()},
            {"meter_us", node.ledger.meter.in_us()},
            {"manager_us", node.ledger.manager.in_us()},
            {"backend_us", node.ledger.backend.in_us()},
            {"policy_us", node.ledger.policy.in_us()},
            {"kernel_us", node.kernel_monitor_time.in_us()},
            {"suspended_us", node.ledger.suspended.in_us()},
            {"waited_for_room_us", node.ledger.waited_for_room.in_us()},
            {"events", node.ledger.events},
            {"dropped", node.ledger.dropped},
            {"counted", node.ledger.counted},
            {"trace_messages", node.ledger.trace_messages},
            {"trace_bytes", node.ledger.trace_bytes},
            {"memory_bytes", node.ledger.memory_bytes}};
}

}  // namespace

std::string summary_text(const scenario::Scenario& scenario, const session::SessionResult& result, const Manifest& manifest,
                         Totals totals) {
    std::string text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "Run of {}: {} on {}, seed {}\n", scenario.name, application_name(scenario), scenario.machine.name,
                   scenario.seed);
    fmt::format_to(out, "  ended        {} after {} of modelled time\n", end_text(result.end),
                   text::time_text(result.modelled));
    if (!result.diagnosis.empty()) fmt::format_to(out, "  diagnosis    {}\n", result.diagnosis);
    if (result.truth.moved() > 0) {
        fmt::format_to(out, "  farm         {} from its first task to its last step\n",
                       text::time_text(result.farm_ended - result.farm_began));
    }
    fmt::format_to(out, "  tasks        {} of {} results came back to the manager{}\n", result.truth.results_at_manager(),
                   scenario.farm.tasks,
                   result.tasks.unexpected == 0 ? "" : fmt::format("; {} of them nobody waited for", result.tasks.unexpected));
    fmt::format_to(out, "  state        {} answer, {} do not\n", node_ranges(result.nodes, true),
                   node_ranges(result.nodes, false));
    text += recovery_text(result);
    text += oracle::standing_text(result);
    text += prediction::tree_text(scenario);
    text += program_text(result.program);
    text += reconfiguration_text(scenario, result);
    text += totals_text(result, totals);
    if (!result.statistics.empty()) {
        fmt::format_to(out, "\n  {:<5} {:>9} {:>13}  {}\n", "node", "events", "last at us", "lost records");
        for (const auto& line : result.statistics) {
            if (line.node < result.nodes.size() && !result.nodes[line.node].member) continue;
            fmt::format_to(out, "  n{:<4} {:>9} {:>13}  {}\n", line.node, line.events, line.last_time_us, loss_text(line));
        }
    }
    text += oracle::bugs_text(scenario, result);
    text += oracle::faults_text(scenario, result);
    fmt::format_to(out, "\n  run hash     {}\n  repeat       {}\n", result.truth.run_hash(), manifest.repeat);
    return text;
}

std::string summary_json(const scenario::Scenario& scenario, const session::SessionResult& result, const Manifest& manifest,
                         const std::string& verdict) {
    const auto of_farm = [&](vocabulary::SimTime when) {
        const bool ran = result.farm_began != vocabulary::SimTime::never();
        return ran ? nlohmann::ordered_json(when.in_us()) : nlohmann::ordered_json(nullptr);
    };
    nlohmann::ordered_json json = {{"schema", "magicwire.run/1"},
                                   {"scenario", scenario.name},
                                   {"machine", scenario.machine.name},
                                   {"seed", scenario.seed},
                                   {"version", manifest.version},
                                   {"arguments", manifest.arguments},
                                   {"repeat", manifest.repeat},
                                   {"run_hash", result.truth.run_hash()},
                                   {"end", end_text(result.end)},
                                   {"modelled_us", result.modelled.in_us()},
                                   {"farm_began_us", of_farm(result.farm_began)},
                                   {"farm_ended_us", of_farm(result.farm_ended)},
                                   {"tasks", scenario.farm.tasks},
                                   {"results", result.truth.results_at_manager()},
                                   {"issued", result.tasks.issued},
                                   {"completed", result.tasks.completed},
                                   {"unexpected_results", result.tasks.unexpected},
                                   {"finished", result.farm.finished},
                                   {"execution_us", result.farm.execution_us},
                                   {"distribution", result.farm.distribution}};
    for (const scenario::InputFile& input : scenario.inputs)
        json["inputs"].push_back({{"role", input.role}, {"xxh3", input.hash}});
    if (scenario.farm.survives) json["given_up"] = recovery_json(result);
    if (!scenario.reconfigurations.empty()) {
        json["reconfigurations"] = reconfigurations_json(scenario, result);
        json["lost_transfers"] = result.lost_transfers.size();
        json["plugged_links"] = plugged_json(result.plugged);
    }
    for (const session::LinkLine& link : result.links) json["links"].push_back(link_json(link, result.modelled));
    for (std::size_t i = 0; i < result.nodes.size(); ++i) {
        const session::NodeLine& node = result.nodes[i];
        if (!node.member) continue;
        nlohmann::ordered_json line = node_json(node, i, result.modelled);
        line["dropped_messages"] = node.dropped_messages;
        if (i < result.statistics.size()) {
            const auto& statistics = result.statistics[i];
            line["events"] = statistics.events;
            line["last_time_us"] = statistics.last_time_us;
            line["stream"] = tmon_streams::stream_state_name(statistics.state);
            line["losses"] = losses_json(statistics.losses);
            line["overhead"] = ledger_json(node);
        }
        json["nodes"].push_back(line);
    }
    if (result.streamed) {
        json["left_out"] = {"farm", "verdict"};  // need all records and every step of every task
    } else {
        json["farm"] = farm_report_json(oracle::farm_report(scenario, result));
    }
    if (scenario.faults) json["faults"] = oracle::faults_json(scenario, result);
    if (!result.farm.finished) json["standing"] = oracle::standing_json(result);
    if (!result.program.program.empty()) json["program"] = program_json(result.program);
    if (!result.diagnosis.empty()) json["diagnosis"] = result.diagnosis;
    json["console"] = result.console;
    if (!verdict.empty()) json["verdict"] = nlohmann::ordered_json::parse(verdict);
    // Output from a damaged message may be no text at all.
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace outcome
