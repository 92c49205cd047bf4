#include "route_walk.hpp"

#include <algorithm>

namespace topologies {

RouteWalk::RouteWalk(const SeatingDomains& domains, std::size_t from, std::size_t to, std::size_t way)
    : domains_(domains), to_(to) {
    stops_.push_back({from, domains.ways_on(from, way, to)});
}

bool RouteWalk::visited(std::size_t at) const {
    return std::any_of(stops_.begin(), stops_.end(), [at](const Stop& stop) { return stop.at == at; });
}

std::optional<std::vector<std::size_t>> RouteWalk::next() {
    while (!stops_.empty()) {
        Stop& stop = stops_.back();
        trunks_.resize(stops_.size() - 1);
        if (stop.tried == stop.ways.size()) {
            stops_.pop_back();
            continue;
        }
        const TrunkBranch branch = stop.ways[stop.tried++];
        trunks_.push_back(branch.trunk);
        if (branch.to == to_) return trunks_;
        if (visited(branch.to)) continue;
        stops_.push_back({branch.to, domains_.ways_on(branch.to, domains_.far_end(branch), to_)});
    }
    return std::nullopt;
}

}  // namespace topologies
