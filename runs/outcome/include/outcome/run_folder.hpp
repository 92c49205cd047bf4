// RunFolder: the folder of a run's files. It is called NAME.incomplete until the end, when it gets its final name. Its trace
// grows while the machine runs, so collected records survive if this program is killed.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <outcome/outputs.hpp>
#include <trace_record/trace_file.hpp>

namespace outcome {

class RunFolder {
public:
    // Makes NAME.incomplete. Throws as check_output_place(), and when the folder cannot be made.
    RunFolder(std::string folder, bool force);
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;
    // Removes an unfinished folder unless its trace holds data.
    ~RunFolder();

    // Writes the data known before the run (the farm's specification, the manifest of the trace) and opens the trace for
    // SessionHooks::trace. Null when the scenario is not monitored.
    trace_record::TraceFileWriter* begin_trace(const scenario::Scenario& scenario, const Manifest& manifest,
                                               bool compress = true);
    // Path of a new folder inside it, for files that the run writes itself; it has another path when the run is finished.
    std::string subfolder(const std::string& name);
    // Call in a forked child: this becomes the folder of another run, whose trace begins with all records so far. The parent
    // keeps its own folder.
    void go_on_in(const std::string& folder, const scenario::Scenario& scenario);
    // Writes the rest and gives the folder its name. `verdict`: as summary_json(). When that name is taken by now, the folder
    // becomes NAME.2 or gets a higher number, and this throws vocabulary::InputError. It also throws when files cannot be
    // written.
    void finish(const scenario::Scenario& scenario, const oracle::SessionResult& result, const Manifest& manifest,
                const std::string& verdict);

private:
    void write_all(const scenario::Scenario& scenario, const oracle::SessionResult& result, const Manifest& manifest,
                   const std::string& verdict);
    using RunHash = std::optional<std::string>;
    void write_trace(const scenario::Scenario& scenario, const session::Observed& observed, const RunHash& run_hash,
                     const Manifest& manifest);
    void give_name();

    std::string name_;
    std::filesystem::path place_, growing_;
    bool force_;
    std::string begun_with_;  // manifest of the trace
    std::unique_ptr<trace_record::TraceFileWriter> trace_;
};

}  // namespace outcome
