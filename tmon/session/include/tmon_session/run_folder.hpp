// RunFolder: the folder that a run leaves behind, from before the run to after it. It is NAME.incomplete and its trace grows
// while the machine runs, so that what was collected before this program was killed is there; it gets its name at the end.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <tmon_session/outputs.hpp>
#include <trace_record/trace_file.hpp>

namespace tmon_session {

class RunFolder {
public:
    // Makes NAME.incomplete. Throws as check_output_place(), and when the host cannot.
    RunFolder(std::string folder, bool force);
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;
    // Not finished: it is removed, unless its trace has begun to hold something.
    ~RunFolder();

    // Writes what is known before the run (the farm's specification, the manifest of the trace) and opens the trace for
    // SessionHooks::trace. Null when the scenario is not monitored.
    trace_record::TraceFileWriter* begin_trace(const Scenario& scenario, const Manifest& manifest, bool compress = true);
    // In a forked child: from now on it is the folder of another run, whose trace begins with all that there is by now. The
    // parent's stays the parent's.
    void go_on_in(const std::string& folder, const Scenario& scenario);
    // Writes the rest and gives the folder its name. `verdict`: as summary_json(). Throws vocabulary::InputError when the host
    // refuses, and when another has taken the name: then the folder is NAME.2, or with a higher number.
    void finish(const Scenario& scenario, const SessionResult& result, const Manifest& manifest, const std::string& verdict);

private:
    void write_all(const Scenario& scenario, const SessionResult& result, const Manifest& manifest, const std::string& verdict);
    void write_trace(const Scenario& scenario, const SessionResult& result, const Manifest& manifest);
    void give_name();

    std::string name_;
    std::filesystem::path place_, growing_;
    bool force_;
    std::string begun_with_;  // manifest of the trace
    std::unique_ptr<trace_record::TraceFileWriter> trace_;
};

}  // namespace tmon_session
