// The farm program's part of a run's report: costs, diagnoses, and the files that the host received.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <farm_programs/program_application.hpp>
#include <session/observed.hpp>

namespace outcome {

// Lines of the summary; empty when the application is not a program.
std::string program_text(const farm_programs::ProgramReport& report, const session::Observed& observed);
nlohmann::ordered_json program_json(const farm_programs::ProgramReport& report, const session::Observed& observed);

}  // namespace outcome
