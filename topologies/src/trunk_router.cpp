#include "trunk_router.hpp"

#include <algorithm>

namespace topologies {

TrunkRouter::TrunkRouter(const SeatingProblem& problem)
    : p_(problem), direct_(p_.switches * p_.switches), branches_(p_.switches) {
    for (std::size_t t = 0; t < p_.trunks.size(); ++t) {
        const auto [a, b] = p_.trunks[t];
        ++direct_[pair(a, b)];
        branches_[a].push_back({t, b});
        branches_[b].push_back({t, a});
    }
}

TrunkRoutes TrunkRouter::route(const std::vector<std::size_t>& link_of) const {
    TrunkRoutes routes;
    routes.trunks.resize(p_.edges.size());
    std::vector<Crossing> crossings;
    for (std::size_t e = 0; e < p_.edges.size(); ++e) {
        const auto &a = p_.net[link_of[2 * e]], &b = p_.net[link_of[2 * e + 1]];
        if (a && b && *a == *b) continue;
        if (a && b && *a < p_.switches && *b < p_.switches) {
            crossings.push_back({e, *a, *b});
        } else {
            ++routes.unplaced;
        }
    }
    std::stable_partition(crossings.begin(), crossings.end(),
                          [this](const Crossing& crossing) { return direct_[pair(crossing.from, crossing.to)] > 0; });
    std::vector<bool> used(p_.trunks.size());
    for (const Crossing& crossing : crossings) {
        routes.trunks[crossing.edge] = shortest_way(crossing, used);
        if (routes.trunks[crossing.edge].empty()) ++routes.unplaced;
        for (const std::size_t trunk : routes.trunks[crossing.edge]) used[trunk] = true;
    }
    return routes;
}

std::vector<std::size_t> TrunkRouter::shortest_way(const Crossing& crossing, const std::vector<bool>& used) const {
    std::vector<Branch> came_by(p_.switches, {nobody, nobody});  // trunk, and the switch before
    std::vector<std::size_t> queue{crossing.from};
    came_by[crossing.from].to = crossing.from;
    for (std::size_t next = 0; next < queue.size() && came_by[crossing.to].to == nobody; ++next) {
        for (const auto& [trunk, to] : branches_[queue[next]]) {
            if (used[trunk] || came_by[to].to != nobody) continue;
            came_by[to] = {trunk, queue[next]};
            queue.push_back(to);
        }
    }
    std::vector<std::size_t> way;
    if (came_by[crossing.to].to == nobody) return way;
    for (std::size_t at = crossing.to; at != crossing.from; at = came_by[at].to) way.push_back(came_by[at].trunk);
    std::reverse(way.begin(), way.end());
    return way;
}

}  // namespace topologies
