// Enumerates the routes from one switch to another over free trunks. Routes along present connections come first, then those
// that lead nearer. No route visits a switch twice. Part of the exact search.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "seating_domains.hpp"

namespace topologies {

class RouteWalk {
public:
    // `way`: the way on which the edge enters, if it has a connection at present; else `nobody`. No trunk may be taken or freed
    // between calls of next().
    RouteWalk(const SeatingDomains& domains, std::size_t from, std::size_t to, std::size_t way);
    std::optional<std::vector<std::size_t>> next();

private:
    struct Stop {
        std::size_t at;
        std::vector<TrunkBranch> ways;
        std::size_t tried = 0;
    };
    bool visited(std::size_t at) const;

    const SeatingDomains& domains_;
    std::size_t to_;
    std::vector<Stop> stops_;
    std::vector<std::size_t> trunks_;
};

}  // namespace topologies
