// A study that another command has written, run as `magicwire study` runs it.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "runs/study_options.hpp"

namespace cli {

// --engine and what goes with it.
void add_engine_options(CLI::App& command, StudyOptions& options);
// Prints progress and failures on standard error only. Returns the exit code of `study`, and throws as it does. Afterwards
// `options.out` is the name of the database.
int run_study(StudyOptions& options);

}  // namespace cli
