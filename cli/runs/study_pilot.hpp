// Checks before a study's first point runs.
#pragma once

#include <cstddef>
#include <optional>

#include <sweeps/study.hpp>

namespace cli {

// Every value makes a valid scenario with the others of its first point. Throws vocabulary::InputError at the value.
void check_values(const sweeps::Study& study, const sweeps::Points& points);

// A point that is run beside the study: it shows whether the measures are there, and what a point costs.
struct Pilot {
    std::optional<double> seconds;  // empty: it failed, which the study will tell
    std::size_t row_bytes = 0;
};
// Runs the first point that does not fail, of a few. Throws vocabulary::InputError at a measure that has no value.
Pilot pilot(const sweeps::Study& study, const sweeps::Points& points);

}  // namespace cli
