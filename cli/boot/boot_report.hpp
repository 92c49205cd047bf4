// The end of a run of a boot image: for people on standard error, and as JSON.
#pragma once

#include <string>

#include <boot_runs/boot_run.hpp>

namespace cli {

double modelled_seconds(vocabulary::SimTime time);
// Why the run is over, without a full stop.
std::string boot_end_text(const boot_runs::Result& result, const boot_runs::Plan& plan);
// Tells an end that is no exit of the program; the exit code of the command.
int tell_boot_end(const boot_runs::Result& result, const boot_runs::Plan& plan);
// magicwire.boot/1. `machine`: as the user named it.
std::string boot_json(const boot_runs::Result& result, const boot_runs::Plan& plan, const std::string& machine);

}  // namespace cli
