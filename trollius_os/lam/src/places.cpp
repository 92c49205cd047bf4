#include <lam_mpi/places.hpp>

namespace lam_mpi {

std::vector<vocabulary::NodeId> places_of(std::size_t ranks, std::size_t nodes, const std::string& map) {
    std::vector<vocabulary::NodeId> places;
    const std::size_t in_a_row = (ranks + nodes - 1) / nodes;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        const std::size_t node = map == "slot" ? rank / in_a_row : rank % nodes;
        places.emplace_back(static_cast<vocabulary::NodeId::value_type>(node));
    }
    return places;
}

}  // namespace lam_mpi
