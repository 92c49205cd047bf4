#include <tmon_session/outputs.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include <tmon/thesis_files.hpp>
#include <tmon_session/truth_judge.hpp>
#include <trace_record/trace_file.hpp>
#include <trek_kernel/simulated_application.hpp>
#include <vocabulary/source_position.hpp>

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

void remove_quietly(const fs::path& folder) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
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
                                   {"nodes", scenario.farm.nodes}};
    for (const InputFile& input : scenario.inputs) json["inputs"].push_back({{"role", input.role}, {"xxh3", input.hash}});
    return json.dump();
}

void write_trace(const fs::path& folder, const Scenario& scenario, const SessionResult& result, const Manifest& manifest) {
    const std::string prefix = (folder / "data").string();
    tmon::write_spf(prefix + ".spf", farm_spec(scenario.farm));
    tmon::write_all(prefix + ".all", *result.trace);
    tmon::write_config(prefix + ".config", tmon::config_of(*result.trace));
    tmon::write_tvm(prefix + ".tvm", *result.trace);
    trace_record::TraceFileWriter writer(prefix + ".mwt", trace_manifest(scenario, result, manifest), {.compress = true});
    for (const tmon::Stream& stream : result.trace->streams) {
        for (const auto& part : stream.parts) {
            if (!part.empty()) writer.events(stream.node, part.front().seq, part);
        }
        for (const auto& loss : stream.losses) writer.loss(loss);
        if (stream.state == tmon::StreamState::Finished) {
            const std::uint32_t last_loss = stream.losses.empty() ? 0 : stream.losses.back().last_seq + 1;
            const std::uint32_t last_event =
                stream.parts.empty() || stream.parts.back().empty() ? 0 : stream.parts.back().back().seq + 1;
            writer.stream_end(stream.node, std::max(last_loss, last_event));
        }
    }
    writer.close();
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
                                 {"received", received}});
    }
    return json.dump(2);
}

void write_outputs(const std::string& folder, const Scenario& scenario, const SessionResult& result, const Manifest& manifest,
                   const std::string& verdict, bool force) {
    const fs::path final_place = without_final_slash(folder);
    if (fs::exists(final_place) && !force) {
        throw InputError({folder, 0, 0}, "already exists and is not replaced; name another folder with --out, or add --force");
    }
    fs::path temporary = final_place;
    temporary += ".incomplete";
    try {
        fs::remove_all(temporary);
        fs::create_directories(temporary);
        if (result.trace) write_trace(temporary, scenario, result, manifest);
        write_text(temporary / "oracle.json", oracle_json(scenario, result));
        write_text(temporary / "summary.json", summary_json(scenario, result, manifest, verdict));
        write_text(temporary / "console.txt", result.console);
        fs::remove_all(final_place);
        fs::rename(temporary, final_place);
    } catch (const fs::filesystem_error& error) {
        remove_quietly(temporary);
        throw InputError({folder, 0, 0}, "cannot be written: " + error.code().message() + "; name another folder with --out");
    } catch (...) {
        remove_quietly(temporary);
        throw;
    }
}

}  // namespace tmon_session
