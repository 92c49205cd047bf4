#include "seating_space.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace topologies {

SeatingSpace::SeatingSpace(const SeatingProblem& problem)
    : p_(problem), sockets_(problem.net.size() / links_per_node), soldered_(sockets_.size()), branches_(problem.switches) {
    const bool host_in_use =
        std::any_of(p_.edges.begin(), p_.edges.end(), [this](const auto& edge) { return edge.second == p_.wanted; });
    ends_.resize(p_.wanted + (host_in_use ? 1 : 0));
    for (std::size_t e = 0; e < p_.edges.size(); ++e) {
        ends_[p_.edges[e].first].push_back(2 * e);
        ends_[p_.edges[e].second].push_back(2 * e + 1);
    }
    make_sockets();
    make_groups();
    for (std::size_t t = 0; t < p_.trunks.size(); ++t) {
        const auto [a, b] = p_.trunks[t];
        branches_[a].push_back({t, b, false});
        branches_[b].push_back({t, a, true});
    }
    make_distances();
}

void SeatingSpace::make_sockets() {
    for (std::size_t s = 0; s < sockets_.size(); ++s) {
        Socket& socket = sockets_[s];
        std::array<bool, links_per_node> own{};
        for (std::size_t l = 0; l < links_per_node; ++l) {
            const std::size_t link = s * links_per_node + l;
            if (!p_.net[link]) continue;
            own[l] = !p_.link_number.empty() || (p_.fewest_changes && p_.partner[link] != nobody);
            std::size_t o = 0;
            while (o < socket.count && (own[l] || socket.outlets[o].net != *p_.net[link] ||
                                        own[static_cast<std::size_t>(std::countr_zero(socket.outlets[o].links))]))
                ++o;
            if (o == socket.count) socket.outlets[socket.count++] = {*p_.net[link], 0, 0};
            socket.outlets[o].links |= static_cast<std::uint8_t>(1U << l);
            ++socket.outlets[o].room;
            socket.outlet_of[l] = static_cast<std::uint8_t>(o);
        }
        for (std::size_t l = 0; l < links_per_node; ++l) {
            if (!p_.net[s * links_per_node + l]) socket.outlet_of[l] = socket.count;
        }
    }
    for (std::size_t w = 0; w < p_.soldered.size(); ++w) {
        const auto [a, b] = p_.soldered[w];
        const std::size_t at_a = a / links_per_node, at_b = b / links_per_node;
        const std::uint8_t one = sockets_[at_a].outlet_of[a % links_per_node];
        const std::uint8_t other = sockets_[at_b].outlet_of[b % links_per_node];
        soldered_[at_a].push_back({w, at_b, one, other});
        if (at_a != at_b) soldered_[at_b].push_back({w, at_a, other, one});
    }
}

// Sockets are alike that have the same kind and the same switches. One with a soldered link is unlike every other. So is one
// with a present connection, where changes count.
void SeatingSpace::make_groups() {
    std::map<std::tuple<std::size_t, std::size_t, std::vector<std::size_t>>, std::size_t> groups;
    for (std::size_t s = 0; s < host(); ++s) {
        std::vector<std::size_t> nets;
        bool unlike = !soldered_[s].empty();
        for (std::size_t link = s * links_per_node; link < (s + 1) * links_per_node; ++link) {
            nets.push_back(p_.net[link].value_or(nobody));
            unlike = unlike || (p_.fewest_changes && p_.partner[link] != nobody);
        }
        if (p_.link_number.empty()) std::sort(nets.begin(), nets.end());
        group_.push_back(
            groups.emplace(std::tuple(p_.kind_of_socket[s], unlike ? s : nobody, nets), groups.size()).first->second);
    }
}

void SeatingSpace::make_distances() {
    distance_.resize(p_.switches);
    for (std::size_t from = 0; from < p_.switches; ++from) {
        if (branches_[from].empty()) continue;
        auto& distance = distance_[from];
        distance.assign(p_.switches, unreachable);
        distance[from] = 0;
        std::vector<std::size_t> queue{from};
        for (std::size_t next = 0; next < queue.size(); ++next) {
            for (const TrunkBranch& branch : branches_[queue[next]]) {
                if (distance[branch.to] != unreachable) continue;
                distance[branch.to] = distance[queue[next]] + 1;
                queue.push_back(branch.to);
            }
        }
    }
}

std::uint32_t SeatingSpace::distance(std::size_t from, std::size_t to) const {
    if (from >= p_.switches || to >= p_.switches) return unreachable;  // soldered
    if (from == to) return 0;
    return distance_[from].empty() ? unreachable : distance_[from][to];
}

std::uint8_t SeatingSpace::outlets_for(std::size_t end, std::size_t socket) const {
    const Socket& at = sockets_[socket];
    if (p_.link_number.empty() || p_.link_number[end] == nobody) return at.all();
    return static_cast<std::uint8_t>(at.all() & (1U << at.outlet_of[p_.link_number[end]]));
}

bool SeatingSpace::may_sit(std::size_t node, std::size_t socket) const {
    return p_.kinds_fit[p_.kind_of_wanted[node]][p_.kind_of_socket[socket]];
}

}  // namespace topologies
