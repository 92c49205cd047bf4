// A run of a scenario's MPI program that is recorded or repeated: for the commands record and replay.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <host_files/host_files.hpp>
#include <mpi_runs/mpi_run.hpp>
#include <scenario/scenario.hpp>

#include "recovery/recorded_run.hpp"

namespace cli {

inline constexpr const char* run_record_format = "magicwire-run-record 1";

// As mpirun makes it. Monitors and faults are not part of it.
class ScenarioRun {
public:
    // `limit`: seconds of modelled time; empty: that of the scenario.
    ScenarioRun(const scenario::Scenario& its, const std::string& limit);
    // The program before a run, at the addresses that it has in forks of this process, too.
    void load() { plan_.loaded = &loaded_.emplace(plan_); }
    const mpi_runs::LoadedRanks& loaded() const { return *loaded_; }
    mpi_runs::Result run(mpi_runs::EventWatch& watch);
    void keep_standard_output() { plan_.print = plan_.print_error; }  // the lines of the ranks go to standard error
    void keep_silent();                                               // they go nowhere, and neither do diagnoses
    void stop() { stopped_ = true; }                                  // the run under way
    bool shares_nodes() const;                                        // some node has several ranks

private:
    bool stopped_ = false;
    std::optional<host_files::HostFiles> store_{};
    mpi_runs::Plan plan_;
    std::optional<mpi_runs::LoadedRanks> loaded_{};
};

// Throws vocabulary::InputError: no scenario, or one that cannot be recorded.
scenario::Scenario recordable_scenario(const std::string& path, const std::vector<std::string>& set, const std::string& seed);
// The scenario of a record, with further settings and another seed; empty: that of the record. Throws vocabulary::InputError:
// the program, its arguments or its ranks are others.
scenario::Scenario scenario_of_record(const RecordedRun& run, const std::string& folder, const std::vector<std::string>& set,
                                      const std::string& seed);
// Tells how a run ended, when it is not by itself. Returns the exit code.
int tell_end(const mpi_runs::Result& result);

}  // namespace cli
