// The summary at the end of a run, for people, and the same as JSON.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <oracle/session_result.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <oracle/bug_report.hpp>
#include <oracle/fault_report.hpp>
#include <oracle/halo_truth.hpp>
#include <outcome/farm_report_views.hpp>
#include <outcome/outputs.hpp>
#include <prediction/resolve_tree.hpp>
#include <scenario/virtual_branches.hpp>
#include <tmon_streams/task_view.hpp>
#include <tmon_streams/thesis_files.hpp>

#include <text/time_text.hpp>
#include "load_report.hpp"
#include "losses_json.hpp"
#include "mpi_report.hpp"
#include "program_report.hpp"
#include "reconfiguration_report.hpp"
#include "recovery_report.hpp"
#include "totals.hpp"

namespace outcome {

namespace {

std::string what_runs(const scenario::Scenario& scenario) {
    return scenario.mpi ? "program" : scenario.halo ? "halo" : "farm";
}

std::string end_text(const scenario::Scenario& scenario, tmon_streams::SessionEnd end) {
    switch (end) {
        case tmon_streams::SessionEnd::ProgramEnded:
            return "the program ended";
        case tmon_streams::SessionEnd::StoodStill:
            return "the " + what_runs(scenario) + " stood still and was given up";
        case tmon_streams::SessionEnd::Cut:
            return scenario.mpi ? "cut before the program had ended" : "cut while nodes were still computing";
        case tmon_streams::SessionEnd::NeverBegan:
            return "the " + what_runs(scenario) + " never began, given up";
        case tmon_streams::SessionEnd::GoesOn:
            return "it has not ended";
        case tmon_streams::SessionEnd::Unknown:
            break;
    }
    return "unknown";
}

std::string application_name(const scenario::Scenario& scenario) {
    if (scenario.mpi)
        return fmt::format("MPI program {}, {} ranks,", std::filesystem::path(scenario.mpi->program).filename().string(),
                           scenario.mpi->ranks);
    if (scenario.halo) return "halo exchange";
    if (scenario.farm_program) return "program " + scenario.farm_program->name;
    return scenario.program.empty() ? "simulated application" : scenario.program;
}

constexpr std::size_t most_losses = 8;  // of a node, in the text

std::string node_ranges(const std::vector<session::ObservedNode>& nodes, bool answers) {
    std::string text;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto counts = [&](const session::ObservedNode& node) { return node.member && node.answers == answers; };
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

nlohmann::ordered_json nodes_json(const oracle::SessionResult& result) {
    auto json = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < result.simulated.nodes.size(); ++i) {
        const session::ObservedNode& seen = result.observed.nodes[i];
        if (!seen.member) continue;
        nlohmann::ordered_json line = node_json(i, seen, result.simulated.nodes[i], result.observed.lasted());
        line["dropped_messages"] = seen.dropped_messages;
        if (i < result.observed.statistics.size()) {
            const auto& statistics = result.observed.statistics[i];
            line["events"] = statistics.events;
            line["last_time_us"] = statistics.last_time_us;
            line["stream"] = tmon_streams::stream_state_name(statistics.state);
            line["losses"] = losses_json(statistics.losses);
            line["overhead"] = ledger_json(result.simulated.nodes[i]);
        }
        json.push_back(line);
    }
    return json;
}

vocabulary::NodeId host_of(const scenario::Scenario& scenario) {
    return vocabulary::NodeId(static_cast<vocabulary::NodeId::value_type>(scenario.machine.nodes.size()));
}

nlohmann::ordered_json unreceived_json(const oracle::SessionResult& result) {
    auto json = nlohmann::ordered_json::array();
    for (const auto& messages : result.simulated.unreceived) {
        json.push_back({{"at", messages.at.value()},
                        {"node", messages.node.value()},
                        {"event", messages.event.value()},
                        {"type", messages.type},
                        {"held_by", messages.held_by.empty() ? "the buffers" : messages.held_by},
                        {"messages", messages.messages},
                        {"bytes", messages.bytes}});
    }
    return json;
}

// How far the program came, as n0 shows it.
std::string results_text(const scenario::Scenario& scenario, const oracle::SessionResult& result) {
    const auto done = result.simulated.counts.results;
    if (scenario.mpi) return mpi_text(scenario, result);
    if (scenario.halo) return fmt::format("  exchanges    {} of {} are complete on n0\n", done, scenario.farm.tasks);
    return fmt::format("  tasks        {} of {} results came back to the manager{}\n", done, scenario.farm.tasks,
                       result.simulated.tasks.unexpected == 0
                           ? ""
                           : fmt::format("; {} of them unexpected", result.simulated.tasks.unexpected));
}

}  // namespace

std::string summary_text(const scenario::Scenario& scenario, const oracle::SessionResult& result, const Manifest& manifest,
                         Totals totals) {
    std::string text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "Run of {}: {} on {}, seed {}\n", scenario.name, application_name(scenario), scenario.machine.name,
                   scenario.seed);
    fmt::format_to(out, "  ended        {} after {} of modelled time\n", end_text(scenario, result.observed.end),
                   text::time_text(result.observed.modelled));
    if (!result.observed.diagnosis.empty()) fmt::format_to(out, "  diagnosis    {}\n", result.observed.diagnosis);
    if (result.simulated.counts.moved > 0) {
        fmt::format_to(out, "  {:<12} {} from its first {} to its last step\n", what_runs(scenario),
                       text::time_text(result.simulated.counts.last_step - result.simulated.counts.began),
                       scenario.mpi    ? "rank's start"
                       : scenario.halo ? "message"
                                       : "task");
    }
    if (const std::string virtual_tree = scenario::virtual_branches_text(scenario); !virtual_tree.empty())
        fmt::format_to(out, "  tree         {}\n", virtual_tree);
    text += results_text(scenario, result);
    fmt::format_to(out, "  state        {} answer, {} do not\n", node_ranges(result.observed.nodes, true),
                   node_ranges(result.observed.nodes, false));
    for (const auto& messages : result.simulated.unreceived)
        fmt::format_to(out, "  unreceived   {}\n", unreceived_text(messages, host_of(scenario)));
    text += recovery_text(result.truth);
    text += oracle::standing_text(result);
    text += prediction::tree_text(scenario);
    text += program_text(result.simulated.program, result.observed);
    text += reconfiguration_text(scenario, result);
    text += totals_text(result.observed, result.simulated, totals);
    if (!result.observed.statistics.empty()) {
        fmt::format_to(out, "\n  {:<5} {:>9} {:>13}  {}\n", "node", "events", "last at us", "lost records");
        for (const auto& line : result.observed.statistics) {
            if (line.node < result.simulated.nodes.size() && !result.observed.nodes[line.node].member) continue;
            fmt::format_to(out, "  n{:<4} {:>9} {:>13}  {}\n", line.node, line.events, line.last_time_us, loss_text(line));
        }
    }
    if (result.has_truth && !scenario.mpi)
        text += scenario.halo ? oracle::halo_text(scenario, result) : oracle::bugs_text(scenario, result);
    text += oracle::faults_text(scenario, result.simulated.faults);
    fmt::format_to(out, "\n  run hash     {}\n  repeat       {}\n", result.run_hash().value_or("unknown"), manifest.repeat);
    return text;
}

std::string summary_json(const scenario::Scenario& scenario, const oracle::SessionResult& result, const Manifest& manifest,
                         const std::string& verdict) {
    const auto of_farm = [&](vocabulary::SimTime when) {
        const bool ran = result.simulated.counts.began != vocabulary::SimTime::never();
        return ran ? nlohmann::ordered_json(when.in_us()) : nlohmann::ordered_json(nullptr);
    };
    nlohmann::ordered_json json = {{"schema", "magicwire.run/1"},
                                   {"scenario", scenario.name},
                                   {"machine", scenario.machine.name},
                                   {"seed", scenario.seed},
                                   {"version", manifest.version},
                                   {"arguments", manifest.arguments},
                                   {"repeat", manifest.repeat},
                                   {"run_hash", nullptr},
                                   {"end", end_text(scenario, result.observed.end)},
                                   {"modelled_us", result.observed.modelled.in_us()},
                                   {"farm_began_us", of_farm(result.simulated.counts.began)},
                                   {"farm_ended_us", of_farm(result.simulated.counts.last_step)},
                                   {"tasks", scenario.farm.tasks},
                                   {"results", result.simulated.counts.results},
                                   {"issued", result.simulated.tasks.issued},
                                   {"completed", result.simulated.tasks.completed},
                                   {"unexpected_results", result.simulated.tasks.unexpected},
                                   {"finished", result.simulated.farm.finished},
                                   {"execution_us", result.simulated.farm.execution_us},
                                   {"distribution", result.simulated.farm.distribution}};
    if (const auto run_hash = result.run_hash()) json["run_hash"] = *run_hash;
    for (const scenario::InputFile& input : scenario.inputs)
        json["inputs"].push_back({{"role", input.role}, {"xxh3", input.hash}});
    if (scenario.farm.survives && result.has_truth) json["given_up"] = recovery_json(result.truth);
    if (!scenario.reconfigurations.empty()) {
        json["reconfigurations"] = reconfigurations_json(scenario, result);
        json["lost_transfers"] = result.simulated.switches.lost_transfers.size();
        json["plugged_links"] = plugged_json(result.simulated.switches.plugged);
    }
    for (const session::LinkLine& link : result.simulated.links)
        json["links"].push_back(link_json(link, result.observed.lasted()));
    if (const auto nodes = nodes_json(result); !nodes.empty()) json["nodes"] = nodes;
    if (scenario.mpi) {
        json["model"] = scenario.farm.model;
        json["mpi"] = mpi_json(scenario, result);
    } else if (scenario.halo) {
        json["model"] = scenario.farm.model;  // no farm, so no farm report
    } else if (result.observed.streamed) {
        json["left_out"] = {"farm"};  // needs every step of every task
        if (verdict.empty()) json["left_out"].push_back("verdict");
    } else if (!result.has_truth) {
        json["left_out"] = {"farm"};
    } else {
        const oracle::FarmReport report = oracle::farm_report(scenario, result);
        json["farm"] = farm_report_json(report);
        json["load"] = load_json(scenario, result, report);
    }
    if (!result.simulated.unreceived.empty()) json["unreceived"] = unreceived_json(result);
    if (scenario.faults) json["faults"] = oracle::faults_json(scenario, result.simulated.faults);
    if (!result.simulated.farm.finished) json["standing"] = oracle::standing_json(result);
    if (!result.simulated.program.program.empty()) json["program"] = program_json(result.simulated.program, result.observed);
    if (!result.observed.diagnosis.empty()) json["diagnosis"] = result.observed.diagnosis;
    json["console"] = result.observed.console;
    if (!verdict.empty()) json["verdict"] = nlohmann::ordered_json::parse(verdict);
    // Output from a damaged message may be no text at all.
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace outcome
