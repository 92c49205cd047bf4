// The search behind solver.hpp, on bare numbers. It seats the ends of edges on links of sockets so that the two ends of an edge
// meet. They meet on the same switch, or on two switches joined by one or several free trunks. A trunk is a wire between
// switches.
//
// Two searches share the steps. Annealing (annealing.hpp) is fast when there is room to spare. The exact search
// (exact_search.hpp) copes with little room and can prove that no seating exists. Called by solver.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace topologies {

inline constexpr std::size_t nobody = static_cast<std::size_t>(-1);

// Sockets are the nodes of the target, then one for the host. Link l of socket s has number links_per_node * s + l. Ways of
// switches have numbers too. The way that link n is wired to has number n. The first end of trunk t has number net.size() + 2t,
// the second end the next number.
struct SeatingProblem {
    // Where a link leads: a switch (0 ... switches - 1), or a soldered wire (switches + its number); none when it cannot be
    // used.
    std::vector<std::optional<std::size_t>> net;
    std::size_t switches = 0;
    std::vector<std::pair<std::size_t, std::size_t>> soldered;  // links at the two ends of each direct wire
    std::vector<bool> may_idle;                                 // by soldered wire: it need not be an edge; empty: all must
    std::vector<std::pair<std::size_t, std::size_t>> trunks;    // switches at the two ends
    std::vector<std::pair<std::size_t, std::size_t>> edges;     // wanted nodes; the host is the one after the last
    std::vector<std::size_t> link_number;                       // by end of edge: the link it must take; empty: any
    std::size_t wanted = 0;                                     // nodes, without the host
    std::vector<std::size_t> place;                             // socket of each wanted node to begin with
    std::vector<std::vector<bool>> kinds_fit;                   // [kind of wanted node][kind of socket]
    std::vector<std::size_t> kind_of_wanted, kind_of_socket;
    bool keep_places = false;
    std::vector<std::size_t> partner;  // by way: its partner in a present connection, or nobody
    std::size_t connections = 0;       // at present
    bool fewest_changes = false;       // fewest changes of connections

    std::size_t trunk_end(std::size_t trunk, bool second) const { return net.size() + 2 * trunk + (second ? 1 : 0); }
};

struct Seating {
    std::vector<std::size_t> place;                          // by wanted node
    std::vector<std::pair<std::size_t, std::size_t>> links;  // by edge: where its two ends sit
    std::vector<std::vector<std::size_t>> trunks;            // by edge: trunks on its way, in order
};

// The ways that each connection of edge `e` joins, in order from its first end; none where it is soldered.
std::vector<std::pair<std::size_t, std::size_t>> connections_of(const SeatingProblem& problem, const Seating& seating,
                                                                std::size_t edge);
// Number of connections made and removed, compared with the present ones.
std::size_t changes_of(const SeatingProblem& problem, const Seating& seating);

struct SeatingSearch {
    std::optional<Seating> found;
    // Everything was tried. Without `found` no seating exists; with it, and with fewest_changes, no other seating changes less.
    bool exhausted = false;
    std::size_t unplaced = 0, soldered = 0;  // in the best try
    std::uint64_t steps = 0, tries = 0;      // steps of both searches; values that the exact one has tried
    std::size_t least_changes = 0;           // no seating changes less
};

// `first`: a known seating; with fewest_changes the search looks for a better one.
SeatingSearch search_seating(const SeatingProblem& problem, std::uint64_t seed, std::uint64_t most_steps,
                             std::optional<Seating> first = std::nullopt);

}  // namespace topologies
