// The node of each rank, as --map of mpirun says it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <vocabulary/ids.hpp>

namespace lam_mpi {

// Ranks in the order of nodes, one each, and again from the first node on. `map`: "node" or "slot": as many ranks in a row on a
// node as have to be there. So the ranks lie on n0 and the nodes after it, without a gap.
std::vector<vocabulary::NodeId> places_of(std::size_t ranks, std::size_t nodes, const std::string& map);

}  // namespace lam_mpi
