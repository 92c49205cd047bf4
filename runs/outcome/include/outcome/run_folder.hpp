// RunFolder: the folder of a run's files, from before the run to after it. Until the end it is called NAME.incomplete. Its
// trace grows while the machine runs, so records collected before this program is killed survive. It gets its name at the end.
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
    // Makes NAME.incomplete. Throws as check_output_place(), and when the host cannot.
    RunFolder(std::string folder, bool force);
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;
    // A folder that is not finished is removed, unless its trace holds something by then.
    ~RunFolder();

    // Writes the data known before the run (the farm's specification, the manifest of the trace) and opens the trace for
    // SessionHooks::trace. Null when the scenario is not monitored.
    trace_record::TraceFileWriter* begin_trace(const scenario::Scenario& scenario, const Manifest& manifest,
                                               bool compress = true);
    // Called in a forked child: it becomes the folder of another run, whose trace begins with all records so far. The parent
    // keeps its own.
    void go_on_in(const std::string& folder, const scenario::Scenario& scenario);
    // Writes the rest and gives the folder its name. `verdict`: as summary_json(). When another has taken the name, the folder
    // is NAME.2, or has a higher number, and this throws vocabulary::InputError. It also throws when the host refuses.
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
