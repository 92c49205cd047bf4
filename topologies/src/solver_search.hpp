// The search behind solver.hpp, on bare numbers: ends of edges are seated on links of sockets so that both ends of an edge meet
// on the same switch, or on two switches with a free trunk (a wire between switches) or several between them.
//
// Simulated annealing (Kirkpatrick, Gelatt, Vecchi, Science 220, 1983) over seatings that use each link once, so that only
// edges can be wrong; a move exchanges two links of a socket or the occupants of two sockets. Deterministic: integer energies,
// its own seeded numbers. Called by solver.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace topologies {

// Sockets are the nodes of the target, and after them one for the host. Link l of socket s has number links_per_node * s + l.
struct SeatingProblem {
    // Where a link leads: a switch (0 ... switches - 1), or a soldered wire (switches + its number); none when it cannot be
    // used.
    std::vector<std::optional<std::size_t>> net;
    std::size_t switches = 0;
    std::vector<std::pair<std::size_t, std::size_t>> soldered;  // links at the two ends of each direct wire
    std::vector<std::pair<std::size_t, std::size_t>> trunks;    // switches at the two ends
    std::vector<std::pair<std::size_t, std::size_t>> edges;     // wanted nodes; the host is the one after the last
    std::size_t wanted = 0;                                     // nodes, without the host
    std::vector<std::size_t> place;                             // socket of each wanted node to begin with
    std::vector<std::vector<bool>> kinds_fit;                   // [kind of wanted node][kind of socket]
    std::vector<std::size_t> kind_of_wanted, kind_of_socket;
    bool keep_places = false;
};

struct Seating {
    std::vector<std::size_t> place;                          // by wanted node
    std::vector<std::pair<std::size_t, std::size_t>> links;  // by edge: where its two ends sit
    std::vector<std::vector<std::size_t>> trunks;            // by edge: trunks on its way, in order
};

struct SeatingSearch {
    std::optional<Seating> found;
    std::size_t unplaced = 0, soldered = 0;  // of the best try
    std::uint64_t steps = 0;
};

SeatingSearch search_seating(const SeatingProblem& problem, std::uint64_t seed, std::uint64_t most_steps);

}  // namespace topologies
