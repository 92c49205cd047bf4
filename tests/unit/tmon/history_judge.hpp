// Holds a verdict against what happened in an abstract farm. It knows the history and nothing of the analysis.
#pragma once

#include <string>

#include "abstract_farm.hpp"
#include "tmon/verdict.hpp"

namespace tmon::testing_support {

// What is wrong about a verdict that claims to be certain, or says how far tasks finished; or nothing.
std::string defect(const Verdict& verdict, const FarmHistory& history);
// Whether a function stopped at the first place that is named.
bool names_a_stop(const Verdict& verdict, const FarmHistory& history);
// The case, for whoever has to look into it.
std::string described(const FarmScenario& scenario, const FarmHistory& history);

}  // namespace tmon::testing_support
