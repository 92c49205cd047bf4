#include <tmon_session/outputs.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include <tmon/thesis_files.hpp>
#include <tmon/trace_store.hpp>
#include <tmon_session/bug_report.hpp>
#include <tmon_session/conservation.hpp>
#include <tmon_session/fault_report.hpp>
#include <tmon_session/truth_judge.hpp>
#include <trek_kernel/simulated_application.hpp>
#include <vocabulary/source_position.hpp>

#include "program_report.hpp"
#include "recovery_report.hpp"

namespace tmon_session {
namespace {

namespace fs = std::filesystem;
using vocabulary::InputError;

std::string hex4(std::uint32_t value) {
    char text[9];
    std::snprintf(text, sizeof text, "%04x", value);
    return text;
}

// "out/" is meant as "out": the temporary name must lie beside the folder, not in it.
fs::path without_final_slash(const fs::path& folder) {
    return folder.has_filename() ? folder : folder.parent_path();
}

// A summary.json or oracle.json of somebody else's is no sign of ours: the schema is.
bool is_marker(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    char head[64] = {};
    file.read(head, sizeof head);
    return std::string(head, static_cast<std::size_t>(file.gcount())).find("\"schema\": \"magicwire.") != std::string::npos;
}

bool holds_a_run(const fs::path& folder) {
    return is_marker(folder / "oracle.json") || is_marker(folder / "summary.json");
}

bool current_folder_lies_in(const fs::path& folder) {
    std::error_code failed;
    const fs::path above = fs::canonical(folder, failed), current = fs::current_path();
    return !failed && std::mismatch(above.begin(), above.end(), current.begin(), current.end()).first == above.end();
}

[[noreturn]] void refuse(const std::string& folder, const std::string& why) {
    throw InputError({folder, 0, 0}, why + " and is not replaced; name another folder with --out");
}

// A new folder that nobody else uses: NAME.word, or with a number behind it.
fs::path new_folder_beside(const fs::path& place, const std::string& word) {
    if (place.has_parent_path()) fs::create_directories(place.parent_path());
    for (unsigned number = 1;; ++number) {
        fs::path name = place;
        name += "." + word + (number == 1 ? "" : "." + std::to_string(number));
        if (!fs::exists(fs::symlink_status(name)) && fs::create_directory(name)) return name;
    }
}

void remove_quietly(const fs::path& folder) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
}

// The old folder is deleted only when the new one has its name; when that fails, the old one gets it back.
void put_in_place(const fs::path& made, const fs::path& place) {
    if (!fs::exists(fs::symlink_status(place))) return fs::rename(made, place);
    const fs::path aside = new_folder_beside(place, "replaced");
    fs::rename(place, aside);
    try {
        fs::rename(made, place);
    } catch (...) {
        std::error_code ignored;
        fs::rename(aside, place, ignored);
        throw;
    }
    remove_quietly(aside);
}

void write_text(const fs::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!text.empty() && text.back() != '\n') file << '\n';
    file.close();
    if (!file) throw InputError({path.string(), 0, 0}, "cannot be written; is the disk full?");
}

std::string trace_manifest(const Scenario& scenario, const SessionResult& result, const Manifest& manifest) {
    nlohmann::ordered_json json = {{"uuid", "magicwire-" + result.truth.run_hash()},
                                   {"run_hash", result.truth.run_hash()},
                                   {"arguments", manifest.arguments},
                                   {"version", manifest.version},
                                   {"seed", scenario.seed},
                                   {"nodes", scenario.farm.nodes},
                                   {"expected_nodes", result.trace->streams.size()},
                                   {"session_end", tmon::session_end_name(result.trace->session)},
                                   {"dropped_messages", result.trace->dropped_messages},
                                   {"suspect_records", result.trace->suspect_records}};
    for (const InputFile& input : scenario.inputs) json["inputs"].push_back({{"role", input.role}, {"xxh3", input.hash}});
    return json.dump();
}

// What the program saved; names were checked when it did, and one that was damaged on its way is told (program_report.cpp), not
// written.
void write_program_files(const fs::path& folder, const SessionResult& result) {
    if (result.program.files.empty()) return;
    fs::create_directory(folder / "files");
    for (const auto& [name, content] : result.program.files) {
        if (!farm_programs::plain_file_name(name)) continue;
        std::ofstream file(folder / "files" / name, std::ios::binary);
        file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
        file.close();
        if (!file) throw InputError({(folder / "files" / name).string(), 0, 0}, "cannot be written; is the disk full?");
    }
}

void write_trace(const fs::path& folder, const Scenario& scenario, const SessionResult& result, const Manifest& manifest) {
    const std::string prefix = (folder / "data").string();
    tmon::write_spf(prefix + ".spf", farm_spec(scenario.farm));
    tmon::write_all(prefix + ".all", *result.trace);
    tmon::write_config(prefix + ".config", tmon::config_of(*result.trace));
    tmon::write_tvm(prefix + ".tvm", *result.trace);
    tmon::store_trace(*result.trace, prefix + ".mwt", trace_manifest(scenario, result, manifest), {.compress = true});
}

// Last step of every task that has begun somewhere and not ended there.
nlohmann::ordered_json unfinished(const SessionResult& result) {
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

// What a node's probes recorded and the collector never got, the tail of a dead node included: only the truth knows how long
// that is.
static nlohmann::ordered_json lost_ranges(const SessionResult& result, std::size_t node) {
    auto ranges = nlohmann::ordered_json::array();
    if (node >= result.statistics.size() || !result.trace) return ranges;
    std::uint32_t next = 0;
    const auto gap = [&](std::uint32_t first, std::uint32_t end) {
        if (first < end) ranges.push_back({first, end - 1});
    };
    for (const auto& part : result.trace->streams[node].parts) {
        if (part.empty()) continue;
        gap(next, part.front().seq);
        next = part.back().seq + 1;
    }
    gap(next, result.nodes[node].recorded);
    return ranges;
}

static nlohmann::ordered_json lost_transfers_json(const SessionResult& result) {
    constexpr std::array kinds = {"system", "application", "monitor"};
    auto json = nlohmann::ordered_json::array();
    for (const LostTransfer& lost : result.lost_transfers) {
        nlohmann::ordered_json line = {{"time_ps", lost.when.in_ps()},
                                       {"switch", lost.which},
                                       {"from", lost.from},
                                       {"to", lost.to},
                                       {"bytes", lost.bytes},
                                       {"traffic", kinds[static_cast<std::size_t>(lost.traffic)]}};
        if (lost.task) {
            line["task"] = lost.task->task;
            line["subtask"] = hex4(lost.task->subtask);
            line["result"] = lost.task->result;
        }
        if (lost.ordered) line["reconfiguration_ps"] = lost.ordered->in_ps();
        json.push_back(std::move(line));
    }
    return json;
}

std::string oracle_json(const Scenario& scenario, const SessionResult& result) {
    nlohmann::ordered_json json = {{"schema", "magicwire.oracle/1"}, {"scenario", scenario.name},
                                   {"seed", scenario.seed},          {"run_hash", result.truth.run_hash()},
                                   {"events", result.truth.moved()}, {"results", result.truth.results_at_manager()}};
    json["struck"] = nlohmann::ordered_json::array();
    for (const auto& [time, bug] : result.truth.bugs()) {
        json["struck"].push_back({{"time_ps", time.in_ps()},
                                  {"task", bug.task},
                                  {"subtask", hex4(bug.subtask)},
                                  {"node", bug.node.value()},
                                  {"process", name_of(bug.process)},
                                  {"bug", bug.bug},
                                  {"name", trek_kernel::bug_kinds()[static_cast<std::size_t>(bug.bug)].name}});
    }
    if (scenario.farm.survives) json["given_up"] = recovery_json(result);
    json["planted"] = planted_json(scenario, result);
    if (result.program.found()) json["program"] = program_json(result.program)["diagnoses"];
    json["faults"] = strikes_json(scenario, result);
    json["conservation"] = conservation_json(account_for_tasks(scenario, result));
    json["running_at_the_end"] = unfinished(result);
    json["fault_list"] = nlohmann::ordered_json::array();
    for (const tmon::FaultRow& row : true_fault_list(scenario, result)) {
        if (!row.listed) continue;
        json["fault_list"].push_back({{"task", row.task},
                                      {"subtask", hex4(row.subtask)},
                                      {"node", row.node},
                                      {"process", tmon::process_name(row.process)}});
    }
    json["nodes"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < result.nodes.size(); ++i) {
        const std::uint64_t received = i < result.statistics.size() ? result.statistics[i].events : 0;
        json["nodes"].push_back({{"node", i},
                                 {"crashed", result.nodes[i].crashed},
                                 {"recorded", result.nodes[i].recorded},
                                 {"received", received},
                                 {"lost", lost_ranges(result, i)}});
    }
    if (!scenario.reconfigurations.empty() || !result.lost_transfers.empty()) {
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

void check_output_place(const std::string& folder, bool force) {
    const fs::path place = without_final_slash(folder);
    std::error_code unreachable;  // found out, and told, when it is written
    const fs::file_status there = fs::symlink_status(place, unreachable);
    if (place.empty() || place.filename() == "." || place.filename() == ".." || current_folder_lies_in(place))
        refuse(folder, "is the current folder or one around it");
    if (!fs::exists(there)) return;
    if (!force)
        throw InputError({folder, 0, 0}, "already exists and is not replaced; name another folder with --out, or add --force");
    if (!fs::is_directory(there)) refuse(folder, "is not a folder");
    if (!holds_a_run(place)) refuse(folder, "holds no run of magicwire (no oracle.json or summary.json)");
}

void write_outputs(const std::string& folder, const Scenario& scenario, const SessionResult& result, const Manifest& manifest,
                   const std::string& verdict, bool force) {
    check_output_place(folder, force);
    const fs::path final_place = without_final_slash(folder);
    fs::path temporary;
    try {
        temporary = new_folder_beside(final_place, "incomplete");
        if (result.trace) write_trace(temporary, scenario, result, manifest);
        write_text(temporary / "oracle.json", oracle_json(scenario, result));
        write_text(temporary / "summary.json", summary_json(scenario, result, manifest, verdict));
        write_text(temporary / "console.txt", result.console);
        write_program_files(temporary, result);
        put_in_place(temporary, final_place);
    } catch (const fs::filesystem_error& error) {
        if (!temporary.empty()) remove_quietly(temporary);
        throw InputError({folder, 0, 0}, "cannot be written: " + error.code().message() + "; name another folder with --out");
    } catch (...) {
        if (!temporary.empty()) remove_quietly(temporary);
        throw;
    }
}

}  // namespace tmon_session
