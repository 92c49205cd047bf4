// A seating problem in the terms of the exact search. It has the outlets of each socket, the ends of each wanted node, and the
// far end of each wire between switches. It never changes. Cost: linear in sockets and edges, and a breadth-first search from
// each switch that has a trunk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <topologies/machine_description.hpp>

#include "solver_search.hpp"

namespace topologies {

// Links of one socket that lead to the same switch or soldered wire. With fewest_changes a link that is connected at present is
// an outlet of its own, because taking it changes the count.
struct Outlet {
    std::size_t net = 0;
    std::uint8_t links = 0;  // bit l: link l
    std::uint8_t room = 0;   // their number
};

struct Socket {
    std::array<Outlet, links_per_node> outlets;
    std::uint8_t count = 0;                              // number of outlets
    std::array<std::uint8_t, links_per_node> outlet_of;  // by link; `count` when it leads nowhere
    std::uint8_t all() const { return static_cast<std::uint8_t>((1U << count) - 1); }
};

struct Solder {
    std::size_t wire, far;  // socket at its other end
    std::uint8_t near_outlet, far_outlet;
};

struct TrunkBranch {
    std::size_t trunk, to;
    bool second;  // it leaves by the trunk's second end
};

inline constexpr std::uint32_t unreachable = std::numeric_limits<std::uint32_t>::max();

class SeatingSpace {
public:
    explicit SeatingSpace(const SeatingProblem& problem);

    const SeatingProblem& problem() const { return p_; }
    std::size_t host() const { return sockets_.size() - 1; }  // its socket; as a wanted node it is problem().wanted
    std::size_t nodes() const { return ends_.size(); }        // wanted ones, with the host when an edge leads there
    const Socket& socket(std::size_t s) const { return sockets_[s]; }
    std::size_t sockets() const { return sockets_.size(); }
    const std::vector<std::size_t>& ends(std::size_t node) const { return ends_[node]; }
    std::size_t node_of(std::size_t end) const { return end % 2 == 0 ? p_.edges[end / 2].first : p_.edges[end / 2].second; }
    // Outlets of a socket that an end may take.
    std::uint8_t outlets_for(std::size_t end, std::size_t socket) const;
    const std::vector<Solder>& soldered(std::size_t socket) const { return soldered_[socket]; }
    bool may_sit(std::size_t node, std::size_t socket) const;
    // Empty sockets of the same group are interchangeable.
    std::size_t group(std::size_t socket) const { return group_[socket]; }

    const std::vector<TrunkBranch>& branches(std::size_t at) const { return branches_[at]; }
    std::uint32_t distance(std::size_t from, std::size_t to) const;  // in trunks, if all are free

private:
    void make_sockets();
    void make_groups();
    void make_distances();

    const SeatingProblem& p_;
    std::vector<Socket> sockets_;
    std::vector<std::vector<std::size_t>> ends_;
    std::vector<std::vector<Solder>> soldered_;
    std::vector<std::size_t> group_;
    std::vector<std::vector<TrunkBranch>> branches_;    // by switch
    std::vector<std::vector<std::uint32_t>> distance_;  // from each switch that has a trunk
};

}  // namespace topologies
