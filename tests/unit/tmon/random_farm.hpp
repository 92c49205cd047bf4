// Random farms for the property tests: the scenario of a number, and what of its records comes to the host.
#pragma once

#include <cstdint>
#include <random>

#include "abstract_farm.hpp"

namespace tmon::testing_support {

using Random = std::mt19937;

unsigned below(Random& random, unsigned bound);
bool chance(Random& random, unsigned percent);

FarmScenario random_scenario(std::uint32_t seed);
// As the session knows it, if it does.
SessionEnd session_of(const FarmHistory& history, Random& random);
// What the host gets: nobody hears of a node that is dead, or that no link leads to, unless marks take other ways.
Trace with_losses(const FarmHistory& history, SessionEnd how, Random& random, bool any_loss);
// Detail stands between the records of tasks, and any record may have been given up, as a policy for full buffers does: each
// loss is told with its classes, of which detail alone hides nothing.
Trace thinned(const FarmHistory& history, SessionEnd how, Random& random);

}  // namespace tmon::testing_support
