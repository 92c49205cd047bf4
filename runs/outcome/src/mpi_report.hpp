// The end of an MPI program, for the outputs of its run.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <oracle/session_result.hpp>
#include <scenario/scenario.hpp>

namespace outcome {

std::string mpi_text(const scenario::Scenario& scenario, const oracle::SessionResult& result);
// Also in the files of a run.
nlohmann::ordered_json mpi_json(const scenario::Scenario& scenario, const oracle::SessionResult& result);

}  // namespace outcome
