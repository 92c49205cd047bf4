// The part of SeatingDomains for trunks and for the changes of connections.
#include <algorithm>
#include <bit>

#include "route_walk.hpp"
#include "seating_domains.hpp"

namespace topologies {
namespace {

constexpr std::size_t edges_a_step = 16;  // a pass over all edges looks at so many in the time of one step

std::size_t lowest(PairMask pairs) {
    return static_cast<std::size_t>(std::countr_zero(pairs));
}

}  // namespace

bool SeatingDomains::crosses(std::size_t edge, std::size_t pair) const {
    const Socket& a = space_.socket(place_of(p_.edges[edge].first));
    const Socket& b = space_.socket(place_of(p_.edges[edge].second));
    return a.outlets[pair / links_per_node].net != b.outlets[pair % links_per_node].net;
}

bool SeatingDomains::unrouted(std::size_t edge) const {
    return !open(edge) && std::has_single_bit(pairs(edge)) && cells_[routed_ + edge] == 0 && crosses(edge, lowest(pairs(edge)));
}

std::pair<std::size_t, std::size_t> SeatingDomains::switches_of(std::size_t edge) const {
    const std::size_t pair = lowest(pairs(edge));
    return {space_.socket(place_of(p_.edges[edge].first)).outlets[pair / links_per_node].net,
            space_.socket(place_of(p_.edges[edge].second)).outlets[pair % links_per_node].net};
}

std::size_t SeatingDomains::first_way(std::size_t edge) const {
    const std::size_t socket = place_of(p_.edges[edge].first);
    const Outlet& outlet = space_.socket(socket).outlets[lowest(pairs(edge)) / links_per_node];
    for (std::size_t l = 0; l < links_per_node; ++l) {
        const std::size_t link = socket * links_per_node + l;
        if (((outlet.links >> l) & 1) != 0 && p_.partner[link] != nobody) return link;
    }
    return nobody;
}

std::vector<TrunkBranch> SeatingDomains::ways_on(std::size_t at, std::size_t way, std::size_t goal) const {
    std::vector<TrunkBranch> ways;
    const auto near = [this](const TrunkBranch& branch) { return p_.trunk_end(branch.trunk, branch.second); };
    const auto goes_on = [&](const TrunkBranch& branch) { return way != nobody && p_.partner[way] == near(branch); };
    const auto matters = [&](const TrunkBranch& branch) {
        return p_.fewest_changes &&
               (p_.partner[near(branch)] != nobody || p_.partner[p_.trunk_end(branch.trunk, !branch.second)] != nobody);
    };
    for (const TrunkBranch& branch : space_.branches(at)) {
        if (!is_free(branch.trunk)) continue;
        const auto other = std::find_if(ways.begin(), ways.end(), [&](const TrunkBranch& one) {
            return one.to == branch.to && !matters(one) && !matters(branch);
        });
        if (other == ways.end()) {
            ways.push_back(branch);
        } else if (goes_on(branch)) {
            *other = branch;
        }
    }
    std::stable_sort(ways.begin(), ways.end(), [&](const TrunkBranch& a, const TrunkBranch& b) {
        const auto rank = [&](const TrunkBranch& one) {
            return std::pair(goes_on(one) ? 0 : 1, space_.distance(one.to, goal));
        };
        return rank(a) < rank(b);
    });
    return ways;
}

// Edges that are left with outlets on two switches get their trunks where there is only one way.
bool SeatingDomains::follow_trunks() {
    if (p_.trunks.empty()) return true;
    work_ += p_.edges.size() / edges_a_step;
    for (bool again = true; again;) {
        again = false;
        if (trunks_changed_) {
            trunks_changed_ = false;
            for (std::size_t e = 0; e < p_.edges.size(); ++e) {
                if (open(e) || cells_[routed_ + e] != 0) continue;
                if (!narrow(e, possible_pairs(e))) return false;
                count_cost(e);
            }
        }
        if (!enough_trunks()) return false;
        for (std::size_t e = 0; e < p_.edges.size() && !again; ++e) {
            if (!unrouted(e)) continue;
            ++work_;
            RouteWalk walk(*this, switches_of(e).first, switches_of(e).second, first_way(e));
            const auto only = walk.next();
            if (!only) return fail_at_edge(e);
            if (walk.next()) continue;
            if (!take(e, *only)) return false;
            again = true;
        }
    }
    return true;
}

// Each edge that has no other choice takes at least as many trunks as lie between its switches.
bool SeatingDomains::enough_trunks() {
    std::size_t needed = 0;
    for (std::size_t e = 0; e < p_.edges.size(); ++e) {
        if (open(e) || cells_[routed_ + e] != 0) continue;
        const Socket& a = space_.socket(place_of(p_.edges[e].first));
        const Socket& b = space_.socket(place_of(p_.edges[e].second));
        std::uint32_t least = unreachable;
        for (PairMask left = pairs(e); left != 0 && least > 0; left &= static_cast<PairMask>(left - 1)) {
            const std::size_t pair = lowest(left), net = a.outlets[pair / links_per_node].net;
            const std::size_t other = b.outlets[pair % links_per_node].net;
            least = std::min(least, net == other ? 0 : space_.distance(net, other));
        }
        needed += least;
        if (needed > free_trunks_) return fail_at_edge(e);
    }
    return true;
}

bool SeatingDomains::take(std::size_t edge, const std::vector<std::size_t>& trunks) {
    for (const std::size_t trunk : trunks) {
        if (!is_free(trunk)) return fail_at_edge(edge);
        set(trunks_ + trunk, 1);
        --free_trunks_;
    }
    routes_[edge] = trunks;
    set(routed_ + edge, 1);
    if (p_.fewest_changes) {
        const auto cost = static_cast<std::uint64_t>(route_cost(edge));
        set(total_, cells_[total_] - cells_[costs_ + edge] + cost);
        set(costs_ + edge, cost);
    }
    find_parts();
    trunks_changed_ = true;
    return true;
}

// Which switches the free trunks join, each part named after its lowest switch.
void SeatingDomains::find_parts() {
    std::vector<std::uint64_t> part(p_.switches, nobody);
    for (std::size_t from = 0; from < p_.switches; ++from) {
        if (part[from] != nobody || space_.branches(from).empty()) continue;
        part[from] = from;
        std::vector<std::size_t> queue{from};
        for (std::size_t next = 0; next < queue.size(); ++next) {
            for (const TrunkBranch& branch : space_.branches(queue[next])) {
                if (!is_free(branch.trunk) || part[branch.to] != nobody) continue;
                part[branch.to] = from;
                queue.push_back(branch.to);
            }
        }
    }
    for (std::size_t x = 0; x < p_.switches; ++x) set(parts_ + x, part[x]);
}

// Changes that the connections of the edge add, if it takes these outlets. One that is made counts 1; one that is not taken
// away counts -1. Connections between two trunks are left to least_changes(), since each can be kept only once.
std::int64_t SeatingDomains::cost(std::size_t edge, std::size_t pair) const {
    const std::size_t at_a = place_of(p_.edges[edge].first), at_b = place_of(p_.edges[edge].second);
    const Outlet& a = space_.socket(at_a).outlets[pair / links_per_node];
    const Outlet& b = space_.socket(at_b).outlets[pair % links_per_node];
    const auto link_of = [](const Outlet& outlet, std::size_t socket) {
        return socket * links_per_node + static_cast<std::size_t>(std::countr_zero(outlet.links));
    };
    const auto partner_of = [&](const Outlet& outlet, std::size_t socket) {
        return outlet.room == 1 ? p_.partner[link_of(outlet, socket)] : nobody;
    };
    const std::size_t partner_a = partner_of(a, at_a), partner_b = partner_of(b, at_b);
    if (a.net == b.net) {
        if (a.net >= p_.switches) return 0;  // soldered
        return b.room == 1 && partner_a != nobody && partner_a == link_of(b, at_b) ? -1 : 1;
    }
    const auto end_cost = [this](std::size_t partner) {
        return partner != nobody && partner >= p_.net.size() && is_free((partner - p_.net.size()) / 2) ? -1 : 1;
    };
    return end_cost(partner_a) + end_cost(partner_b);
}

std::int64_t SeatingDomains::route_cost(std::size_t edge) const {
    const std::size_t pair = lowest(pairs(edge));
    const auto link_of = [&](std::size_t node, std::size_t outlet) {
        const std::size_t socket = place_of(node);
        return socket * links_per_node +
               static_cast<std::size_t>(std::countr_zero(space_.socket(socket).outlets[outlet].links));
    };
    std::size_t way = link_of(p_.edges[edge].first, pair / links_per_node);
    std::size_t at = switches_of(edge).first;
    std::int64_t cost = 0;
    const auto connect = [&](std::size_t to) { cost += p_.partner[way] == to ? -1 : 1; };
    for (const std::size_t trunk : routes_[edge]) {
        const bool second = p_.trunks[trunk].first != at;
        connect(p_.trunk_end(trunk, second));
        way = p_.trunk_end(trunk, !second);
        at = second ? p_.trunks[trunk].first : p_.trunks[trunk].second;
    }
    connect(link_of(p_.edges[edge].second, pair % links_per_node));
    return cost;
}

void SeatingDomains::count_cost(std::size_t edge) {
    if (!p_.fewest_changes) return;
    std::int64_t least = 0;
    bool first = true;
    for (PairMask left = pairs(edge); left != 0; left &= static_cast<PairMask>(left - 1)) {
        const std::int64_t one = cost(edge, lowest(left));
        least = first ? one : std::min(least, one);
        first = false;
    }
    set(total_, cells_[total_] - cells_[costs_ + edge] + static_cast<std::uint64_t>(least));
    set(costs_ + edge, static_cast<std::uint64_t>(least));
}

std::int64_t SeatingDomains::least_changes() const {
    const auto kept = std::count_if(joined_trunks_.begin(), joined_trunks_.end(),
                                    [this](const auto& pair) { return is_free(pair.first) && is_free(pair.second); });
    return static_cast<std::int64_t>(p_.connections) + static_cast<std::int64_t>(cells_[total_]) - kept;
}

// Leaves out pairs that cannot be part of an answer that changes less than the best one.
bool SeatingDomains::drop_dear_pairs() {
    if (best_ < 0 || !p_.fewest_changes) return true;
    work_ += p_.edges.size() / edges_a_step;
    if (least_changes() >= best_) return false;
    for (std::size_t e = 0; e < p_.edges.size(); ++e) {
        if (open(e) || std::has_single_bit(pairs(e))) continue;
        const std::int64_t others = least_changes() - least_cost(e);
        PairMask cheap = 0;
        for (PairMask left = pairs(e); left != 0; left &= static_cast<PairMask>(left - 1)) {
            const std::size_t pair = lowest(left);
            if (others + cost(e, pair) < best_) cheap |= static_cast<PairMask>(1U << pair);
        }
        if (!narrow(e, cheap)) return false;
    }
    return true;
}

}  // namespace topologies
