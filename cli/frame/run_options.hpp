// Options shared by several commands that simulate.
#pragma once

#include <string>
#include <vector>

#include <mpi_runs/mpi_end.hpp>
#include <oracle/session_result.hpp>
#include <outcome/outputs.hpp>
#include <scenario/scenario.hpp>
#include <session/observed.hpp>
#include <tmon_detrek/detrek.hpp>

namespace cli {

// Settings from --set NAME=VALUE. Throws vocabulary::InputError for anything else.
std::vector<scenario::Setting> settings_of(const std::vector<std::string>& set);
outcome::Totals totals_of(const std::string& word);
// The arguments without options for output places and display, so that the same run gives the same bytes.
std::vector<std::string> without_place(const std::vector<std::string>& arguments);

// deTrEK's analysis of the run's trace; empty when the run was not monitored.
tmon_detrek::DetrekResult analysed(const scenario::Scenario& scenario, const session::Observed& observed);
// Exit code of a run that was not interrupted. Diagnoses of a farm program take precedence; `analysis` counts if the run was
// monitored. Of an MPI program its own, as mpirun has it.
int exit_code_of(const oracle::SessionResult& result, const tmon_detrek::DetrekResult& analysis);
int exit_code_of(const mpi_runs::Result& mpi);

}  // namespace cli
