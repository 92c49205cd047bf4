// Puts a Farm on a Multicomputer: its tree onto the machine's links, its costs from the table.
#pragma once

#include <vector>

#include <topologies/cost_table.hpp>
#include <trek_kernel/farm.hpp>
#include <trek_kernel/simulated_application.hpp>
#include <trollius_hosted/multicomputer.hpp>

namespace trek_hosted {

// Throws vocabulary::RequestError when two nodes of the tree are not neighbours on this machine; the message names them.
trek_kernel::FarmSetup farm_setup(trollius_hosted::Multicomputer& machine, const farm_spec::FarmSpec& config,
                                  const topologies::CostTable& costs, trek_kernel::Application& application,
                                  std::vector<trek_kernel::Witness*> witnesses,
                                  std::vector<trek_kernel::ProbePoint*> probes = {});
// The places of its nodes on the links that the host has ordered last (Multicomputer::network()). Throws as farm_setup().
std::vector<trek_kernel::TreePlace> farm_places(trollius_hosted::Multicomputer& machine, const farm_spec::FarmSpec& config);
trek_kernel::TrekCosts trek_costs(const topologies::CostTable& costs);

// Starts slaves and master directly, without loading: for tests and benchmarks.
void start_farm(trollius_hosted::Multicomputer& machine, trek_kernel::Farm& farm);

}  // namespace trek_hosted
