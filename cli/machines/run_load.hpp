// The load of a network as a stored run tells it.
#pragma once

#include <string>

#include <topologies/draw_network.hpp>
#include <topologies/machine_description.hpp>

namespace cli {

// `path`: the folder of `run --out`, or a file with what `run --json` prints. Loads are shares of the farm's time where the run
// has a farm report, else of the whole run. Throws vocabulary::InputError for anything else, and when the run was on another
// network than `machine`.
topologies::NetworkLoad read_load(const std::string& path, const topologies::MachineDescription& machine);

}  // namespace cli
