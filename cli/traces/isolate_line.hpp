// The last lines of a verdict on a farm program: commands that do the named calls again.
#pragma once

#include <string>

#include <tmon_detrek/verdict.hpp>

namespace scenario {
struct Scenario;
}

namespace cli {

// A function, as a word of --process, that computes or gets results. After T800 code has computed, it cannot be done again.
bool rests_on_compute(const std::string& function);

// Lines with a line feed each, behind an empty one: for the place that the verdict names, then for the others that are
// possible. Two where records do not say whether split_fn() or compute_fn() was called. Empty when no call is named.

// For a stored trace with files of this prefix.
std::string isolate_lines(const tmon_detrek::Verdict& verdict, const std::string& prefix);
// For a run with this folder. Empty without a folder.
std::string isolate_lines(const tmon_detrek::Verdict& verdict, const scenario::Scenario& scenario, const std::string& out);

}  // namespace cli
