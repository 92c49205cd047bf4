// Random farms for the property tests: the scenario of a number, and what of its records comes to the host.
#pragma once

#include <cstdint>
#include <random>

#include "abstract_farm.hpp"

namespace testing_support {

using Random = std::mt19937;

unsigned below(Random& random, unsigned bound);
bool chance(Random& random, unsigned percent);

FarmScenario random_scenario(std::uint32_t seed);
// The session's end as the session knows it, if it does.
tmon_streams::SessionEnd session_of(const FarmHistory& history, Random& random);
// The trace that the host gets. A node that is dead, or that no link leads to, is not heard, unless marks take other ways.
tmon_streams::Trace with_losses(const FarmHistory& history, tmon_streams::SessionEnd how, Random& random, bool any_loss);
// Detail stands between the records of tasks. As with a policy for full buffers, any record may have been given up. Each loss
// is told with its classes; a loss of detail alone hides nothing.
tmon_streams::Trace thinned(const FarmHistory& history, tmon_streams::SessionEnd how, Random& random);

}  // namespace testing_support
