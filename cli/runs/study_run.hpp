// A study that another command has written, run as `magicwire study` runs it.
#pragma once

#include <string>

namespace cli {

// Prints progress and failures on standard error only. `jobs`: points at once, as --jobs takes it; empty: one a processor.
// Returns the exit code of `study`, and throws as it does.
int run_study(const std::string& file, const std::string& database, const std::string& jobs, const std::string& progress);

}  // namespace cli
