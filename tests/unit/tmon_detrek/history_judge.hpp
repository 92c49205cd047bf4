// Holds a verdict against what happened in an abstract farm. It knows the history and nothing of the analysis.
#pragma once

#include <string>

#include <tmon_detrek/verdict.hpp>
#include "abstract_farm.hpp"

namespace testing_support {

// The defect of a verdict that claims to be certain, or says how far tasks finished; empty when there is none.
std::string defect(const tmon_detrek::Verdict& verdict, const FarmHistory& history);
// True when a function stopped at the first place that is named.
bool names_a_stop(const tmon_detrek::Verdict& verdict, const FarmHistory& history);
// Describes the case, for a person who has to look into it.
std::string described(const FarmScenario& scenario, const FarmHistory& history);

}  // namespace testing_support
