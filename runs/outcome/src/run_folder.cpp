#include <outcome/run_folder.hpp>

#include <fstream>

#include <xxhash.h>
#include <nlohmann/json.hpp>

#include <farm_programs/builder.hpp>
#include <session/applications.hpp>
#include <tmon_streams/thesis_files.hpp>
#include <tmon_streams/trace_store.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/is_file.hpp>
#include <vocabulary/source_position.hpp>

#include "output_place.hpp"

namespace outcome {

namespace fs = std::filesystem;
using vocabulary::HostError;
using vocabulary::InputError;

namespace {

void write_text(const fs::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!text.empty() && text.back() != '\n') file << '\n';
    file.close();
    if (!file) throw HostError({path.string(), 0, 0}, "cannot be written; is the disk full?");
}

// The farm program's module, or the name of one that is built with Magicwire; empty: the application is the simulated one.
std::string module_of(const scenario::Scenario& scenario) {
    if (!scenario.farm_program) return scenario.program;
    return farm_programs::module_path(*scenario.farm_program, scenario.farm_program->build_folder);
}

// For `isolate`, which loads the same program again: the content of the module. Empty when it is not there any more.
std::string program_hash(const scenario::Scenario& scenario) {
    if (scenario.program.empty() && !scenario.farm_program) return {};
    const std::string path = scenario.farm_program ? module_of(scenario) : session::find_program(scenario.program);
    return vocabulary::is_file(path) ? scenario::content_hash(path) : std::string();
}

// Manifest of the data known before the run. The same run has the same uuid.
std::string trace_manifest(const scenario::Scenario& scenario, const Manifest& manifest) {
    nlohmann::ordered_json json = {{"uuid", ""},
                                   {"arguments", manifest.arguments},
                                   {"version", manifest.version},
                                   {"seed", scenario.seed},
                                   {"nodes", scenario.farm.nodes},
                                   {"expected_nodes", scenario.farm.nodes}};
    if (scenario.machine.interrupt_master) json["interrupt_master"] = scenario.machine.interrupt_master->value();
    for (const scenario::InputFile& input : scenario.inputs)
        json["inputs"].push_back({{"role", input.role}, {"xxh3", input.hash}});
    const std::string text = json.dump();
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size())));
    json["uuid"] = std::string("magicwire-") + digits;
    // Not in the uuid: a path is the place of a program, and not the program.
    if (const std::string program = module_of(scenario); !program.empty()) {
        json["program"] = program;
        json["program_costs"] = user_programs::cost_source_name(scenario.program_settings.costs);
    }
    return json.dump();
}

// Data known only at the end. `suspect_records`: records that are not in the file. `changed`: the manifest of a run that was
// changed on its way, when the file begins with another; else empty.
std::string trace_closing(const scenario::Scenario& scenario, const std::optional<std::string>& run_hash,
                          const tmon_streams::Trace& trace, std::uint64_t suspect_records, const std::string& changed) {
    nlohmann::ordered_json json;
    if (const std::string hash = program_hash(scenario); !hash.empty()) json["program_xxh3"] = hash;
    if (run_hash) json["run_hash"] = *run_hash;
    json["session_end"] = tmon_streams::session_end_name(trace.session);
    json["dropped_messages"] = trace.dropped_messages;
    json["suspect_records"] = suspect_records;
    if (trace.marks_take_other_ways) json["marks_take_other_ways"] = true;
    if (trace.reported_results) json["reported_results"] = *trace.reported_results;
    if (!changed.empty()) json.update(nlohmann::ordered_json::parse(changed));
    return json.dump();
}

// Writes the files that the program saved. Names were checked when it saved them. A name damaged on its way is reported
// (program_report.cpp), and its file is not written.
void write_program_files(const fs::path& folder, const session::Observed& observed) {
    if (observed.files.empty()) return;
    fs::create_directory(folder / "files");
    for (const auto& [name, content] : observed.files) {
        if (!farm_programs::plain_file_name(name)) continue;
        std::ofstream file(folder / "files" / name, std::ios::binary);
        file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
        file.close();
        if (!file) throw HostError({(folder / "files" / name).string(), 0, 0}, "cannot be written; is the disk full?");
    }
}

}  // namespace

RunFolder::RunFolder(std::string folder, bool force) : name_(std::move(folder)), force_(force) {
    check_output_place(name_, force);
    place_ = without_final_slash(name_);
    try {
        growing_ = new_folder_beside(place_, "incomplete");
    } catch (const fs::filesystem_error& error) {
        vocabulary::throw_file_error(name_, error.code().value(),
                                     "cannot be written: " + error.code().message() + "; name another folder with --out");
    }
}

RunFolder::~RunFolder() {
    const bool worth_keeping = trace_ && trace_->blocks_written() > 0;
    if (!growing_.empty() && !worth_keeping) remove_quietly(growing_);
}

trace_record::TraceFileWriter* RunFolder::begin_trace(const scenario::Scenario& scenario, const Manifest& manifest,
                                                      bool compress) {
    if (!scenario.monitor) return nullptr;
    tmon_streams::write_spf((growing_ / "data.spf").string(), scenario.farm);
    begun_with_ = trace_manifest(scenario, manifest);
    trace_ = std::make_unique<trace_record::TraceFileWriter>((growing_ / "data.mwt").string(), begun_with_,
                                                             trace_record::TraceFileOptions{.compress = compress});
    trace_->flush();
    return trace_.get();
}

std::string RunFolder::subfolder(const std::string& name) {
    fs::create_directory(growing_ / name);
    return (growing_ / name).string();
}

void RunFolder::go_on_in(const std::string& folder, const scenario::Scenario& scenario) {
    growing_.clear();
    name_ = folder;
    place_ = without_final_slash(folder);
    growing_ = new_folder_beside(place_, "incomplete");
    if (!trace_) return;
    tmon_streams::write_spf((growing_ / "data.spf").string(), scenario.farm);
    trace_->go_on_in((growing_ / "data.mwt").string());
}

void RunFolder::write_trace(const scenario::Scenario& scenario, const session::Observed& observed, const RunHash& run_hash,
                            const Manifest& manifest) {
    const std::string prefix = (growing_ / "data").string();
    tmon_streams::write_config(prefix + ".config", tmon_streams::config_of(*observed.trace));
    if (!observed.streamed) {  // texts of every record
        tmon_streams::write_all(prefix + ".all", *observed.trace);
        tmon_streams::write_tvm(prefix + ".tvm", *observed.trace);
    }
    if (trace_) return;
    tmon_streams::write_spf(prefix + ".spf", scenario.farm);
    tmon_streams::store_trace(*observed.trace, prefix + ".mwt", trace_manifest(scenario, manifest), {.compress = true},
                              trace_closing(scenario, run_hash, *observed.trace, observed.trace->suspect_records, ""));
}

void RunFolder::write_all(const scenario::Scenario& scenario, const oracle::SessionResult& result, const Manifest& manifest,
                          const std::string& verdict) {
    const RunHash run_hash = result.run_hash();
    if (result.observed.trace) write_trace(scenario, result.observed, run_hash, manifest);
    if (result.has_truth) write_text(growing_ / "oracle.json", oracle_json(scenario, result));
    write_text(growing_ / "summary.json", summary_json(scenario, result, manifest, verdict));
    write_text(growing_ / "console.txt", result.observed.console);
    write_program_files(growing_, result.observed);
    if (trace_ && result.observed.trace) {  // last: once data.mwt has its name, everything else is there
        const std::string now = trace_manifest(scenario, manifest);
        trace_->closing(trace_closing(scenario, run_hash, *result.observed.trace, result.observed.unwritten_records,
                                      now == begun_with_ ? "" : now));
        trace_->close();
    }
    give_name();
    growing_.clear();
}

// Another run, or another user, may have taken the name meanwhile. Then this folder, which is whole, lies beside it.
void RunFolder::give_name() {
    if (!force_) {
        if (take_name(growing_, place_)) return;
    } else {
        try {
            check_output_place(name_, true);
            return replace_folder(growing_, place_);
        } catch (const InputError&) {  // NOLINT(bugprone-empty-catch): reported below
        }
    }
    const fs::path own = put_beside(growing_, place_);
    growing_.clear();
    throw InputError({name_, 0, 0},
                     "was created by another program during this run and is not replaced; the whole result of this run is in " +
                         own.string() + "; rename it, or name another folder with --out");
}

void RunFolder::finish(const scenario::Scenario& scenario, const oracle::SessionResult& result, const Manifest& manifest,
                       const std::string& verdict) {
    try {
        write_all(scenario, result, manifest, verdict);
    } catch (const fs::filesystem_error& error) {
        vocabulary::throw_file_error(name_, error.code().value(),
                                     "cannot be written: " + error.code().message() + "; name another folder with --out");
    }
}

void write_outputs(const std::string& folder, const scenario::Scenario& scenario, const oracle::SessionResult& result,
                   const Manifest& manifest, const std::string& verdict, bool force) {
    RunFolder(folder, force).finish(scenario, result, manifest, verdict);
}

}  // namespace outcome
