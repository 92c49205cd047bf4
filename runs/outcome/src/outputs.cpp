#include <outcome/outputs.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include <oracle/bug_report.hpp>
#include <oracle/conservation.hpp>
#include <oracle/fault_report.hpp>
#include <oracle/halo_truth.hpp>
#include <oracle/true_account.hpp>
#include <oracle/truth_judge.hpp>
#include <session/traffic_name.hpp>
#include <tmon_streams/thesis_files.hpp>
#include <tmon_streams/trace_store.hpp>
#include <trek_kernel/simulated_application.hpp>
#include <trek_kernel/task_on_wire.hpp>
#include <vocabulary/source_position.hpp>

#include "losses_json.hpp"
#include "mpi_report.hpp"
#include "program_report.hpp"
#include "recovery_report.hpp"

namespace outcome {
namespace {

std::string hex4(std::uint32_t value) {
    char text[9];
    std::snprintf(text, sizeof text, "%04x", value);
    return text;
}

// Last step of every task that began somewhere and did not end there.
nlohmann::ordered_json unfinished(const oracle::SessionResult& result) {
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, trek_kernel::UserProcess>, vocabulary::SimTime> open;
    for (const auto& [time, step] : result.truth.steps()) {
        const auto key = std::make_tuple(step.task, step.subtask, step.node.value(), step.process);
        if (step.moment == trek_kernel::Moment::Begin) {
            open[key] = time;
        } else {
            open.erase(key);
        }
    }
    auto json = nlohmann::ordered_json::array();
    for (const auto& [key, time] : open) {
        const auto& [task, subtask, node, process] = key;
        json.push_back({{"task", task},
                        {"subtask", hex4(subtask)},
                        {"node", node},
                        {"process", name_of(process)},
                        {"began_ps", time.in_ps()}});
    }
    return json;
}

}  // namespace

// Ranges that a node's probes recorded and the collector never got, the tail of a dead node included. Only the truth knows the
// length of that tail.
static nlohmann::ordered_json lost_ranges(const oracle::SessionResult& result, std::size_t node) {
    auto ranges = nlohmann::ordered_json::array();
    if (node >= result.observed.statistics.size() || !result.observed.trace) return ranges;
    if (result.observed.streamed) {
        const auto& known = result.observed.statistics[node];
        std::uint64_t seen = known.events;
        for (const auto& range : known.losses) {
            ranges.push_back({range.first_seq, range.last_seq});
            seen += range.last_seq - range.first_seq + 1ULL;
        }
        if (seen < result.simulated.nodes[node].recorded) ranges.push_back({seen, result.simulated.nodes[node].recorded - 1});
        return ranges;
    }
    std::uint32_t next = 0;
    const auto gap = [&](std::uint32_t first, std::uint32_t end) {
        if (first < end) ranges.push_back({first, end - 1});
    };
    for (const auto part : result.observed.trace->streams[node].in_passing()) {
        if (part.empty()) continue;
        gap(next, part.front().seq);
        next = part.back().seq + 1;
    }
    gap(next, result.simulated.nodes[node].recorded);
    return ranges;
}

static nlohmann::ordered_json lost_transfers_json(const oracle::SessionResult& result) {
    auto json = nlohmann::ordered_json::array();
    for (const trollius_hosted::LostTransfer& lost : result.simulated.switches.lost_transfers) {
        nlohmann::ordered_json line = {{"time_ps", lost.when.in_ps()},
                                       {"switch", lost.which},
                                       {"from", lost.from},
                                       {"to", lost.to},
                                       {"bytes", lost.bytes},
                                       {"traffic", session::traffic_name(lost.account)}};
        if (const auto task = trek_kernel::task_on_wire(lost.header)) {
            line["task"] = task->task;
            line["subtask"] = hex4(task->subtask);
            line["result"] = task->result;
        }
        if (lost.ordered) line["reconfiguration_ps"] = lost.ordered->in_ps();
        json.push_back(std::move(line));
    }
    return json;
}

// The parts that need every step of every task.
static void tell_of_tasks(nlohmann::ordered_json& json, const scenario::Scenario& scenario,
                          const oracle::SessionResult& result) {
    json["conservation"] = oracle::conservation_json(oracle::account_for_tasks(scenario, result));
    json["account"] = oracle::true_account_json(scenario, result);
    json["running_at_the_end"] = unfinished(result);
    json["fault_list"] = nlohmann::ordered_json::array();
    for (const tmon_detrek::FaultRow& row : oracle::true_fault_list(scenario, result)) {
        if (!row.listed) continue;
        json["fault_list"].push_back({{"task", row.task},
                                      {"subtask", hex4(row.subtask)},
                                      {"node", row.node},
                                      {"process", tmon_detrek::process_name(row.process)}});
    }
}

// The inputs of a farm program's functions, in true order: `isolate` must rebuild the same.
static void tell_of_inputs(nlohmann::ordered_json& json, const ground_truth::Truth& truth) {
    if (truth.inputs().empty()) return;
    json["inputs"] = nlohmann::ordered_json::array();
    for (const ground_truth::TrueInput& input : truth.inputs()) {
        char digits[17];
        std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(input.xxh3));
        json["inputs"].push_back({{"process", name_of(input.process)},
                                  {"node", input.node},
                                  {"task", input.task},
                                  {"subtask", hex4(input.subtask)},
                                  {"bytes", input.bytes},
                                  {"xxh3", digits}});
    }
    if (truth.inputs_left_out() > 0) json["inputs_left_out"] = truth.inputs_left_out();
}

static nlohmann::ordered_json struck_json(const oracle::SessionResult& result) {
    auto json = nlohmann::ordered_json::array();
    for (const auto& [time, bug] : result.truth.bugs()) {
        json.push_back({{"time_ps", time.in_ps()},
                        {"task", bug.task},
                        {"subtask", hex4(bug.subtask)},
                        {"node", bug.node.value()},
                        {"process", name_of(bug.process)},
                        {"bug", bug.bug},
                        {"name", trek_kernel::bug_kinds()[static_cast<std::size_t>(bug.bug)].name}});
    }
    return json;
}

// The fates of a farm's tasks.
static void tell_of_farm(nlohmann::ordered_json& json, const scenario::Scenario& scenario,
                         const oracle::SessionResult& result) {
    if (scenario.farm.survives) json["given_up"] = recovery_json(result.truth);
    if (result.observed.streamed) {
        json["left_out"] = {"planted", "conservation", "account", "running_at_the_end",
                            "fault_list"};  // need every step of every task
    } else {
        json["planted"] = oracle::planted_json(scenario, result);
    }
    if (result.simulated.program.found())
        json["program"] = program_json(result.simulated.program, result.observed)["diagnoses"];
    if (!result.observed.streamed) tell_of_tasks(json, scenario, result);
    tell_of_inputs(json, result.truth);
}

static nlohmann::ordered_json nodes_of(const oracle::SessionResult& result) {
    auto json = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < result.simulated.nodes.size(); ++i) {
        const std::uint64_t received = i < result.observed.statistics.size() ? result.observed.statistics[i].events : 0;
        json.push_back({{"node", i},
                        {"crashed", result.simulated.nodes[i].crashed},
                        {"answers", result.observed.nodes[i].answers},
                        {"recorded", result.simulated.nodes[i].recorded},
                        {"received", received},
                        {"lost", lost_ranges(result, i)}});
        if (const auto& clock = result.simulated.nodes[i].clock)
            json.back()["clock"] = {{"began_ps", result.simulated.nodes[i].ledger.began.in_ps()},
                                    {"began_clock_us", clock->began_clock_us},
                                    {"offset_us", clock->offset_us},
                                    {"drift_ppm", clock->drift_ppm}};
        if (i < result.observed.statistics.size() && !result.observed.statistics[i].losses.empty())
            json.back()["told"] = losses_json(result.observed.statistics[i].losses);
    }
    return json;
}

std::string oracle_json(const scenario::Scenario& scenario, const oracle::SessionResult& result) {
    nlohmann::ordered_json json = {{"schema", "magicwire.oracle/1"}, {"scenario", scenario.name},
                                   {"seed", scenario.seed},          {"run_hash", result.truth.run_hash()},
                                   {"events", result.truth.moved()}, {"results", result.truth.results_at_manager()}};
    if (scenario.mpi) {
        json["model"] = scenario.farm.model;
        json["results"] = result.simulated.counts.results;
        json["struck"] = nlohmann::ordered_json::array();
        json["mpi"] = mpi_json(scenario, result);
    } else if (scenario.halo) {
        json["model"] = scenario.farm.model;
        json["results"] = result.simulated.counts.results;
        json["struck"] = oracle::halo_struck_json(scenario, result);
        json["halo"] = oracle::halo_json(scenario, result);
    } else {
        json["struck"] = struck_json(result);
        tell_of_farm(json, scenario, result);
    }
    json["faults"] = oracle::strikes_json(scenario, result.simulated.faults);
    json["nodes"] = nodes_of(result);
    if (!scenario.reconfigurations.empty() || !result.simulated.switches.lost_transfers.empty()) {
        json["lost_transfers"] = lost_transfers_json(result);
    }
    json["dropped_messages"] = result.truth.dropped_count();
    json["dropped"] = nlohmann::ordered_json::array();
    for (const trollius_os::MessageDropped& what : result.truth.dropped()) {
        json["dropped"].push_back(
            {{"time_ps", what.time.in_ps()}, {"node", what.node.value()}, {"where", what.where}, {"why", what.why}});
        if (what.task < 0) continue;
        json["dropped"].back()["task"] = what.task;
        json["dropped"].back()["subtask"] = hex4(what.subtask);
    }
    return json.dump(2);
}

}  // namespace outcome
