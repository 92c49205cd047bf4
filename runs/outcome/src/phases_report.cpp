#include <outcome/phases_report.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <outcome/reconfiguration_text.hpp>
#include <text/time_text.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include "output_place.hpp"

namespace outcome {

namespace fs = std::filesystem;
using oracle::PhaseResult;
using vocabulary::SimTime;

namespace {

std::string phase_name(const scenario::Scenario& whole, const scenario::Scenario& phase) {
    return phase.name.substr(whole.name.size() + 1);
}

// Why a phase was not begun.
std::string why_not_begun(const oracle::PhasesResult& result, std::size_t phase) {
    if (phase > 1 && !result.phases[phase - 1].begun) return "the one before it was not begun";
    if (result.phases[phase - 1].result.observed.end != tmon_streams::SessionEnd::ProgramEnded)
        return "the farm before it had not ended";
    return "a node did not answer, or the run was cut";
}

std::string between_text(const session::SessionTimes& times) {
    return fmt::format("programs ended in {}, switches set in {}, routes sent in {}, next programs loaded in {}",
                       text::time_text(times.cleared - times.began), text::time_text(times.switched - times.cleared),
                       text::time_text(times.routed - times.switched), text::time_text(times.loaded - times.routed));
}

std::string network_text(const scenario::Scenario& phase) {
    const topologies::Rewiring& change = phase.network;
    if (change.changes() == 0) return phase.network_name;
    return fmt::format("{}: {} connections made, {} taken away, {} kept", phase.network_name, change.made.size(),
                       change.removed.size(), change.kept);
}

nlohmann::ordered_json between_json(const PhaseResult& phase, std::size_t number) {
    const session::SessionTimes& times = phase.times;
    nlohmann::ordered_json json = {{"began_us", times.began.in_us()}};
    if (number > 0) {
        json["cleared_us"] = times.cleared.in_us();
        json["switched_us"] = times.switched.in_us();
        json["routed_us"] = times.routed.in_us();
    }
    json["loaded_us"] = times.loaded.in_us();
    json["farm_over_us"] = times.farm_over.in_us();
    json["collected_us"] = times.collected.in_us();
    return json;
}

nlohmann::ordered_json reconfigured_json(const PhaseResult& phase) {
    if (phase.reconfigured.empty()) return nullptr;
    const trollius_hosted::Reconfigured& done = phase.reconfigured.front();
    nlohmann::ordered_json json = {{"began_ps", done.began.in_ps()},
                                   {"switches", done.switches},
                                   {"configuration_bytes", done.configuration_bytes},
                                   {"nodes_told", done.told},
                                   {"nodes_silent", done.silent}};
    json["switched_ps"] = done.switched ? nlohmann::ordered_json(done.switched->in_ps()) : nlohmann::ordered_json(nullptr);
    json["routed_ps"] = done.routed ? nlohmann::ordered_json(done.routed->in_ps()) : nlohmann::ordered_json(nullptr);
    return json;
}

nlohmann::ordered_json phase_json(const scenario::Scenario& whole, const oracle::PhasesResult& result, std::size_t i,
                                  const PhaseVerdict& verdict, const Manifest& manifest) {
    const scenario::Scenario& phase = whole.phases[i];
    const PhaseResult& its = result.phases[i];
    nlohmann::ordered_json json = {{"name", phase_name(whole, phase)},
                                   {"network", phase.network_name},
                                   {"connections_made", phase.network.made.size()},
                                   {"connections_taken_away", phase.network.removed.size()},
                                   {"connections_kept", phase.network.kept},
                                   {"least_changes", nullptr},
                                   {"begun", its.begun}};
    if (phase.network.least_changes) json["least_changes"] = *phase.network.least_changes;
    json["reconfiguration"] = reconfigured_json(its);
    if (!its.begun) {
        json["why"] = why_not_begun(result, i);
        return json;
    }
    json["times"] = between_json(its, i);
    json["run"] = nlohmann::ordered_json::parse(summary_json(phase, its.result, manifest, verdict.json));
    return json;
}

}  // namespace

std::string phases_text(const scenario::Scenario& scenario, const oracle::PhasesResult& result,
                        const std::vector<PhaseVerdict>& verdicts, const Manifest& manifest, Totals totals) {
    std::string text;
    const auto out = std::back_inserter(text);
    SimTime end;
    for (std::size_t i = 0; i < result.phases.size(); ++i) {
        const PhaseResult& its = result.phases[i];
        const scenario::Scenario& phase = scenario.phases[i];
        fmt::format_to(out, "{}Phase {} of {}: {}\n  network      {}\n", i == 0 ? "" : "\n", i + 1, result.phases.size(),
                       phase_name(scenario, phase), network_text(phase));
        for (const auto& done : its.reconfigured) fmt::format_to(out, "  switches     {}\n", reconfigured_text(done));
        if (!its.begun) {
            fmt::format_to(out, "  not begun    {}\n", why_not_begun(result, i));
            continue;
        }
        if (i > 0) fmt::format_to(out, "  between      {}\n", between_text(its.times));
        fmt::format_to(out, "  phase        {} to {}; the farm took {}, collecting {}\n", text::time_text(its.times.began),
                       text::time_text(its.times.collected), text::time_text(its.times.farm_over - its.times.loaded),
                       text::time_text(its.times.collected - its.times.farm_over));
        if (!its.result.observed.console.empty()) text += its.result.observed.console;
        text += summary_text(phase, its.result, manifest, totals);
        if (!verdicts[i].text.empty()) text += "\n" + verdicts[i].text;
        end = its.times.collected;
    }
    fmt::format_to(out, "\nAll phases: {} of modelled time\n  run hash     {}\n  repeat       {}\n", text::time_text(end),
                   result.run_hash, manifest.repeat);
    return text;
}

std::string phases_json(const scenario::Scenario& scenario, const oracle::PhasesResult& result,
                        const std::vector<PhaseVerdict>& verdicts, const Manifest& manifest) {
    nlohmann::ordered_json json = {{"schema", "magicwire.phases/1"},   {"scenario", scenario.name},
                                   {"machine", scenario.machine.name}, {"seed", scenario.seed},
                                   {"version", manifest.version},      {"arguments", manifest.arguments},
                                   {"repeat", manifest.repeat},        {"run_hash", result.run_hash}};
    json["phases"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < result.phases.size(); ++i)
        json["phases"].push_back(phase_json(scenario, result, i, verdicts[i], manifest));
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

void write_phases(const std::string& folder, const scenario::Scenario& scenario, const oracle::PhasesResult& result,
                  const std::vector<PhaseVerdict>& verdicts, const Manifest& manifest, bool force) {
    check_output_place(folder, force);
    const fs::path place = without_final_slash(folder);
    try {
        const fs::path growing = new_folder_beside(place, "incomplete");
        for (std::size_t i = 0; i < result.phases.size(); ++i) {
            if (!result.phases[i].begun) continue;
            write_outputs((growing / fmt::format("phase-{}", i + 1)).string(), scenario.phases[i], result.phases[i].result,
                          manifest, verdicts[i].json, false);
        }
        std::ofstream file(growing / "summary.json", std::ios::binary);
        file << phases_json(scenario, result, verdicts, manifest) << '\n';
        file.close();
        if (!file) throw vocabulary::HostError({folder, 0, 0}, "cannot be written; is the disk full?");
        if (force) return replace_folder(growing, place);
        if (take_name(growing, place)) return;
        throw vocabulary::InputError({folder, 0, 0},
                                     "was created by another program during this run and is not replaced; the whole "
                                     "result of this run is in " +
                                         put_beside(growing, place).string());
    } catch (const fs::filesystem_error& error) {
        vocabulary::throw_file_error(folder, error.code().value(),
                                     "cannot be written: " + error.code().message() + "; name another folder with --out");
    }
}

}  // namespace outcome
