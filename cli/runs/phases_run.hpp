// run for a scenario of phases.
#pragma once

#include <functional>
#include <string>

#include <outcome/outputs.hpp>
#include <scenario/scenario.hpp>

namespace cli {

struct PhasesRun {
    std::string out, progress;
    outcome::Totals totals = outcome::Totals::Automatic;
    bool force = false, json = false, exit_zero = false;
    outcome::Manifest manifest{};
};

// Runs the phases, prints their report and writes their files. Returns the exit code: the highest of the phases', and that of
// an unknown answer when a phase was not begun.
int run_phases(const scenario::Scenario& scenario, const PhasesRun& run);

}  // namespace cli
