// The remaining possibilities in the exact search: sockets of each wanted node, pairs of outlets of each edge between two
// seated nodes, free trunks. Every decision is propagated and can be undone. Cost of a decision: small tables of the nodes and
// edges near it. Placing a node costs one more pass over the unplaced nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "seating_space.hpp"

namespace topologies {

// Pair (a, b) of outlets, at the first and the second end of an edge, is bit 4a + b.
using PairMask = std::uint16_t;

class SeatingDomains {
public:
    explicit SeatingDomains(const SeatingSpace& space);

    bool begin();  // propagates forced decisions; false when no seating exists
    // Each returns false at a dead end; only undo() may follow then.
    bool place(std::size_t node, std::size_t socket);
    bool choose(std::size_t edge, std::size_t pair);
    bool route(std::size_t edge, const std::vector<std::size_t>& trunks);
    std::size_t mark() const { return trail_.size(); }
    void undo(std::size_t mark);
    // Rules out settings with at least that many changes.
    void bound(std::size_t changes) { best_ = static_cast<std::int64_t>(changes); }

    bool placed(std::size_t node) const { return cells_[places_ + node] != nobody; }
    std::size_t place_of(std::size_t node) const { return cells_[places_ + node]; }
    std::vector<std::size_t> sockets_for(std::size_t node) const;
    std::size_t socket_count(std::size_t node) const { return cells_[room_ + node]; }
    bool open(std::size_t edge) const;  // a node at one of its ends has no place yet
    PairMask pairs(std::size_t edge) const { return static_cast<PairMask>(cells_[edge]); }
    // Least number of changes of connections; those between two trunks are left out.
    std::int64_t cost(std::size_t edge, std::size_t pair) const;
    std::int64_t least_cost(std::size_t edge) const { return static_cast<std::int64_t>(cells_[costs_ + edge]); }
    // Both ends have their outlets, on different switches, and the trunks are not chosen.
    bool unrouted(std::size_t edge) const;
    bool crosses(std::size_t edge, std::size_t pair) const;
    std::pair<std::size_t, std::size_t> switches_of(std::size_t edge) const;  // for an unrouted one
    bool is_free(std::size_t trunk) const { return cells_[trunks_ + trunk] == 0; }
    const std::vector<std::size_t>& trunks(std::size_t edge) const { return routes_[edge]; }
    std::size_t first_way(std::size_t edge) const;  // the way on which it enters, if connected at present; else `nobody`
    // Free trunks out of a switch entered on `way`: one of several parallel trunks, and every one whose choice matters.
    std::vector<TrunkBranch> ways_on(std::size_t at, std::size_t way, std::size_t goal) const;
    std::size_t far_end(const TrunkBranch& branch) const { return p_.trunk_end(branch.trunk, !branch.second); }
    std::int64_t least_changes() const;  // lower bound for every completion

    std::size_t edges_decided() const;
    std::uint64_t work() const { return work_; }
    std::uint32_t weight_of_node(std::size_t node) const { return node_weight_[node]; }
    std::uint32_t weight_of_edge(std::size_t edge) const { return edge_weight_[edge]; }

private:
    void set(std::size_t cell, std::uint64_t value);
    bool fail_at_node(std::size_t node);
    bool fail_at_edge(std::size_t edge);
    void touch(std::size_t node);
    std::size_t bit_cell(std::size_t node, std::size_t socket) const { return bits_ + node * words_ + socket / 64; }
    bool may(std::size_t node, std::size_t socket) const { return (cells_[bit_cell(node, socket)] >> (socket % 64)) & 1; }
    bool rule_out(std::size_t node, std::size_t socket);

    bool seat(std::size_t node, std::size_t socket);
    bool meet(std::size_t edge);
    bool narrow(std::size_t edge, PairMask to);
    PairMask possible_pairs(std::size_t edge) const;
    bool joined(const Outlet& a, const Outlet& b) const;
    bool follow();
    bool look_at_node(std::size_t node);
    bool look_at_solder(std::size_t node);
    bool look_at_places(std::size_t node);
    bool can_sit(std::size_t node, std::size_t socket);
    bool meets_solder(std::size_t node, std::size_t socket) const;
    bool follow_trunks();
    bool enough_trunks();
    bool take(std::size_t edge, const std::vector<std::size_t>& trunks);
    void find_parts();
    bool drop_dear_pairs();
    void count_cost(std::size_t edge);
    std::int64_t route_cost(std::size_t edge) const;

    const SeatingSpace& space_;
    const SeatingProblem& p_;
    // The cells hold, in this order: pairs of each edge; outlets of each end; place of each node; occupant of each socket. Then
    // sockets of each node (bits, and how many); trunks in use; part of the trunks that each switch is in. Last, edges that
    // have their trunks; costs.
    std::vector<std::uint64_t> cells_;
    std::size_t ends_ = 0, places_ = 0, occupants_ = 0, bits_ = 0, room_ = 0, trunks_ = 0, parts_ = 0, routed_ = 0, costs_ = 0,
                total_ = 0, words_ = 0;
    std::vector<std::pair<std::size_t, std::uint64_t>> trail_;
    std::vector<std::vector<std::size_t>> routes_;
    std::vector<std::size_t> touched_;
    std::vector<bool> is_touched_;
    bool trunks_changed_ = false;
    std::size_t free_trunks_ = 0;
    std::int64_t best_ = -1;                                          // changes of the best answer so far; -1: none
    std::vector<std::pair<std::size_t, std::size_t>> joined_trunks_;  // connected to each other at present
    std::vector<std::uint32_t> node_weight_, edge_weight_;
    std::uint64_t work_ = 0;
};

// Narrows the outlets of the ends on one socket to those that some seating of all of them uses; false when there is none.
bool keep_supported(std::span<std::uint8_t> ends, const Socket& socket);

}  // namespace topologies
