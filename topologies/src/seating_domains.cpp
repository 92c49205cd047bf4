#include "seating_domains.hpp"

#include <algorithm>
#include <bit>

namespace topologies {
namespace {

constexpr std::size_t pair_of(std::size_t a, std::size_t b) {
    return a * links_per_node + b;
}
constexpr PairMask bit(std::size_t pair) {
    return static_cast<PairMask>(1U << pair);
}
std::uint8_t firsts(PairMask pairs) {
    std::uint8_t result = 0;
    for (std::size_t a = 0; a < links_per_node; ++a) {
        if ((pairs >> (a * links_per_node)) & 0xf) result |= static_cast<std::uint8_t>(1U << a);
    }
    return result;
}
std::uint8_t seconds(PairMask pairs) {
    return static_cast<std::uint8_t>((pairs | pairs >> 4 | pairs >> 8 | pairs >> 12) & 0xf);
}
PairMask product(std::uint8_t a, std::uint8_t b) {
    PairMask result = 0;
    for (std::size_t i = 0; i < links_per_node; ++i) {
        if ((a >> i) & 1) result |= static_cast<PairMask>(static_cast<unsigned>(b) << (i * links_per_node));
    }
    return result;
}

// All ways to give each end an outlet with room, depth first.
class Support {
public:
    Support(std::span<const std::uint8_t> ends, const Socket& socket) : ends_(ends) {
        for (std::size_t o = 0; o < socket.count; ++o) room_[o] = socket.outlets[o].room;
    }
    bool seat(std::size_t next) {
        if (next == ends_.size()) return true;
        bool any = false;
        for (std::size_t o = 0; o < links_per_node; ++o) {
            if (((ends_[next] >> o) & 1) == 0 || room_[o] == 0) continue;
            --room_[o];
            if (seat(next + 1)) {
                any = true;
                used[next] |= static_cast<std::uint8_t>(1U << o);
            }
            ++room_[o];
        }
        return any;
    }
    std::array<std::uint8_t, links_per_node> used{};

private:
    std::span<const std::uint8_t> ends_;
    std::array<std::uint8_t, links_per_node> room_{};
};

}  // namespace

bool keep_supported(std::span<std::uint8_t> ends, const Socket& socket) {
    if (ends.size() > links_per_node) return false;
    Support support(ends, socket);
    if (!support.seat(0)) return false;
    std::copy_n(support.used.begin(), ends.size(), ends.begin());
    return true;
}

SeatingDomains::SeatingDomains(const SeatingSpace& space) : space_(space), p_(space.problem()) {
    words_ = (space.sockets() + 63) / 64;
    std::size_t next = 0;
    const auto region = [&next](std::size_t& begin, std::size_t size) {
        begin = next;
        next += size;
    };
    const std::size_t edges = p_.edges.size(), nodes = space.nodes();
    std::size_t first = 0;
    region(first, edges);
    region(ends_, 2 * edges);
    region(places_, nodes);
    region(occupants_, space.sockets());
    region(bits_, nodes * words_);
    region(room_, nodes);
    region(trunks_, p_.trunks.size());
    region(parts_, p_.switches);
    region(routed_, edges);
    region(costs_, edges);
    region(total_, 1);
    cells_.assign(next, 0);
    routes_.resize(edges);
    is_touched_.resize(nodes);
    node_weight_.assign(nodes, 1);
    edge_weight_.assign(edges, 0);
    for (std::size_t k = 0; k < nodes; ++k) cells_[places_ + k] = nobody;
    for (std::size_t s = 0; s < space.sockets(); ++s) cells_[occupants_ + s] = nobody;
    free_trunks_ = p_.trunks.size();
    find_parts();
    if (!p_.fewest_changes) return;
    for (std::size_t t = 0; t < p_.trunks.size(); ++t) {
        for (const bool second : {false, true}) {
            const std::size_t partner = p_.partner[p_.trunk_end(t, second)];
            if (partner == nobody || partner < p_.net.size()) continue;
            const std::size_t other = (partner - p_.net.size()) / 2;
            if (t < other) joined_trunks_.emplace_back(t, other);
        }
    }
    // An edge without any decision may keep a present connection, or both ends of a path.
    std::int64_t least = p_.trunks.empty() ? -1 : -2;
    if (p_.connections == 0) least = p_.soldered.empty() ? 1 : 0;
    for (std::size_t e = 0; e < edges; ++e) {
        cells_[costs_ + e] = static_cast<std::uint64_t>(least);
        cells_[total_] += static_cast<std::uint64_t>(least);
    }
}

void SeatingDomains::set(std::size_t cell, std::uint64_t value) {
    if (cells_[cell] == value) return;
    trail_.emplace_back(cell, cells_[cell]);
    cells_[cell] = value;
}

void SeatingDomains::undo(std::size_t mark) {
    while (trail_.size() > mark) {
        const auto [cell, value] = trail_.back();
        if (cell >= trunks_ && cell < parts_) free_trunks_ += value == 0 ? 1 : 0;
        cells_[cell] = value;
        trail_.pop_back();
    }
    for (const std::size_t node : touched_) is_touched_[node] = false;
    touched_.clear();
    trunks_changed_ = false;
}

bool SeatingDomains::fail_at_node(std::size_t node) {
    ++node_weight_[node];
    return false;
}
bool SeatingDomains::fail_at_edge(std::size_t edge) {
    ++edge_weight_[edge];
    return false;
}
void SeatingDomains::touch(std::size_t node) {
    if (is_touched_[node]) return;
    is_touched_[node] = true;
    touched_.push_back(node);
}

bool SeatingDomains::open(std::size_t edge) const {
    return !placed(p_.edges[edge].first) || !placed(p_.edges[edge].second);
}

std::vector<std::size_t> SeatingDomains::sockets_for(std::size_t node) const {
    std::vector<std::size_t> result;
    for (std::size_t s = 0; s < space_.host(); ++s) {
        if (may(node, s)) result.push_back(s);
    }
    return result;
}

bool SeatingDomains::begin() {
    for (std::size_t k = 0; k < p_.wanted; ++k) {
        for (std::size_t s = 0; s < space_.host(); ++s) {
            if (!space_.may_sit(k, s) || (p_.keep_places && s != p_.place[k])) continue;
            cells_[bit_cell(k, s)] |= std::uint64_t{1} << (s % 64);
            ++cells_[room_ + k];
        }
        if (socket_count(k) == 0) return fail_at_node(k);
    }
    if (space_.nodes() > p_.wanted && !seat(p_.wanted, space_.host())) return false;
    for (std::size_t k = 0; k < p_.wanted; ++k) {
        if (!placed(k) && socket_count(k) == 1 && !seat(k, sockets_for(k).front())) return false;
    }
    return follow();
}

bool SeatingDomains::place(std::size_t node, std::size_t socket) {
    return seat(node, socket) && follow();
}

bool SeatingDomains::choose(std::size_t edge, std::size_t pair) {
    return narrow(edge, bit(pair)) && follow();
}

bool SeatingDomains::route(std::size_t edge, const std::vector<std::size_t>& trunks) {
    return take(edge, trunks) && follow();
}

bool SeatingDomains::rule_out(std::size_t node, std::size_t socket) {
    if (!may(node, socket)) return true;
    set(bit_cell(node, socket), cells_[bit_cell(node, socket)] & ~(std::uint64_t{1} << (socket % 64)));
    set(room_ + node, cells_[room_ + node] - 1);
    if (socket_count(node) == 0) return fail_at_node(node);
    return socket_count(node) > 1 || seat(node, sockets_for(node).front());
}

// The node sits there from now on; follow() draws the consequences.
bool SeatingDomains::seat(std::size_t node, std::size_t socket) {
    if (placed(node)) return place_of(node) == socket || fail_at_node(node);
    if (cells_[occupants_ + socket] != nobody) return fail_at_node(node);
    ++work_;
    set(places_ + node, socket);
    set(occupants_ + socket, node);
    for (const std::size_t end : space_.ends(node)) {
        const std::uint8_t outlets = space_.outlets_for(end, socket);
        if (outlets == 0) return fail_at_node(node);
        set(ends_ + end, outlets);
    }
    touch(node);
    for (const std::size_t end : space_.ends(node)) {
        const std::size_t far = space_.node_of(end ^ 1);
        touch(far);
        if (placed(far) && !meet(end / 2)) return false;
    }
    for (const Solder& solder : space_.soldered(socket)) {
        if (cells_[occupants_ + solder.far] != nobody) touch(cells_[occupants_ + solder.far]);
    }
    if (socket == space_.host()) return true;
    for (std::size_t other = 0; other < p_.wanted; ++other) {
        if (other != node && !placed(other) && !rule_out(other, socket)) return false;
    }
    return true;
}

bool SeatingDomains::joined(const Outlet& a, const Outlet& b) const {
    if (a.net == b.net) return true;
    if (a.net >= p_.switches || b.net >= p_.switches) return false;
    const std::uint64_t part = cells_[parts_ + a.net];
    return part != nobody && part == cells_[parts_ + b.net];
}

PairMask SeatingDomains::possible_pairs(std::size_t edge) const {
    const Socket& a = space_.socket(place_of(p_.edges[edge].first));
    const Socket& b = space_.socket(place_of(p_.edges[edge].second));
    PairMask pairs = 0;
    for (std::size_t i = 0; i < a.count; ++i) {
        for (std::size_t j = 0; j < b.count; ++j) {
            if (joined(a.outlets[i], b.outlets[j])) pairs |= bit(pair_of(i, j));
        }
    }
    return pairs;
}

// Both nodes of the edge have their places now.
bool SeatingDomains::meet(std::size_t edge) {
    const auto mask = [&](std::size_t end) { return static_cast<std::uint8_t>(cells_[ends_ + end]); };
    const PairMask pairs = static_cast<PairMask>(possible_pairs(edge) & product(mask(2 * edge), mask(2 * edge + 1)));
    if (pairs == 0) return fail_at_edge(edge);
    set(edge, pairs);
    count_cost(edge);
    set(ends_ + 2 * edge, firsts(pairs));
    set(ends_ + 2 * edge + 1, seconds(pairs));
    return true;
}

bool SeatingDomains::narrow(std::size_t edge, PairMask to) {
    const PairMask before = pairs(edge), now = static_cast<PairMask>(before & to);
    if (now == before) return true;
    if (now == 0) return fail_at_edge(edge);
    set(edge, now);
    count_cost(edge);
    if (firsts(now) != firsts(before)) {
        set(ends_ + 2 * edge, firsts(now));
        touch(p_.edges[edge].first);
    }
    if (seconds(now) != seconds(before)) {
        set(ends_ + 2 * edge + 1, seconds(now));
        touch(p_.edges[edge].second);
    }
    return true;
}

bool SeatingDomains::follow() {
    do {
        while (!touched_.empty()) {
            const std::size_t node = touched_.back();
            touched_.pop_back();
            is_touched_[node] = false;
            if (!(placed(node) ? look_at_node(node) && look_at_solder(node) : look_at_places(node))) return false;
        }
        if (!follow_trunks() || !drop_dear_pairs()) return false;
    } while (!touched_.empty() || trunks_changed_);
    return true;
}

bool SeatingDomains::look_at_node(std::size_t node) {
    ++work_;
    const auto& ends = space_.ends(node);
    if (ends.size() > links_per_node) return fail_at_node(node);
    std::array<std::uint8_t, links_per_node> masks{};
    for (std::size_t i = 0; i < ends.size(); ++i) masks[i] = static_cast<std::uint8_t>(cells_[ends_ + ends[i]]);
    if (!keep_supported(std::span(masks).first(ends.size()), space_.socket(place_of(node)))) return fail_at_node(node);
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const std::size_t end = ends[i], edge = end / 2;
        if (masks[i] == cells_[ends_ + end]) continue;
        if (open(edge)) {
            set(ends_ + end, masks[i]);
            touch(space_.node_of(end ^ 1));
        } else if (!narrow(edge, end % 2 == 0 ? product(masks[i], 0xf) : product(0xf, masks[i]))) {
            return false;
        }
    }
    return true;
}

// A soldered wire between two nodes that are in use must be an edge between them.
bool SeatingDomains::look_at_solder(std::size_t node) {
    const std::size_t at = place_of(node);
    for (const Solder& solder : space_.soldered(at)) {
        const std::size_t far = cells_[occupants_ + solder.far];
        if (far == nobody || (!p_.may_idle.empty() && p_.may_idle[solder.wire])) continue;
        std::size_t candidates = 0, last = nobody;
        PairMask its_pairs = 0;
        for (const std::size_t end : space_.ends(node)) {
            if (space_.node_of(end ^ 1) != far || (far == node && end % 2 == 1)) continue;
            PairMask wire = 0;
            const auto add = [&](std::uint8_t here, std::uint8_t there) {
                if (here >= space_.socket(at).count || there >= space_.socket(solder.far).count) return;
                wire |= end % 2 == 0 ? bit(pair_of(here, there)) : bit(pair_of(there, here));
            };
            add(solder.near_outlet, solder.far_outlet);
            if (far == node) add(solder.far_outlet, solder.near_outlet);
            if ((pairs(end / 2) & wire) == 0) continue;
            ++candidates;
            last = end / 2;
            its_pairs = wire;
        }
        if (candidates == 0) return fail_at_node(node);
        if (candidates == 1 && !narrow(last, its_pairs)) return false;
    }
    return true;
}

bool SeatingDomains::look_at_places(std::size_t node) {
    for (const std::size_t socket : sockets_for(node)) {
        if (placed(node)) return true;  // placed by ruling out the last one
        if (!can_sit(node, socket) && !rule_out(node, socket)) return false;
    }
    return true;
}

bool SeatingDomains::can_sit(std::size_t node, std::size_t socket) {
    ++work_;
    const Socket& here = space_.socket(socket);
    const auto& ends = space_.ends(node);
    std::array<std::uint8_t, links_per_node> masks{};
    for (std::size_t i = 0; i < ends.size(); ++i) {
        masks[i] = space_.outlets_for(ends[i], socket);
        const std::size_t far = space_.node_of(ends[i] ^ 1);
        if (!placed(far)) continue;
        const Socket& there = space_.socket(place_of(far));
        std::uint8_t met = 0;
        for (std::size_t o = 0; o < here.count; ++o) {
            for (std::size_t f = 0; f < there.count; ++f) {
                if (((cells_[ends_ + (ends[i] ^ 1)] >> f) & 1) != 0 && joined(here.outlets[o], there.outlets[f]))
                    met |= static_cast<std::uint8_t>(1U << o);
            }
        }
        masks[i] &= met;
    }
    return keep_supported(std::span(masks).first(ends.size()), here) && meets_solder(node, socket);
}

bool SeatingDomains::meets_solder(std::size_t node, std::size_t socket) const {
    const auto& ends = space_.ends(node);
    return std::all_of(space_.soldered(socket).begin(), space_.soldered(socket).end(), [&](const Solder& solder) {
        if (!p_.may_idle.empty() && p_.may_idle[solder.wire]) return true;
        const std::size_t far = solder.far == socket ? node : cells_[occupants_ + solder.far];
        return far == nobody ||
               std::any_of(ends.begin(), ends.end(), [&](std::size_t end) { return space_.node_of(end ^ 1) == far; });
    });
}

std::size_t SeatingDomains::edges_decided() const {
    std::size_t count = 0;
    for (std::size_t e = 0; e < p_.edges.size(); ++e)
        count += !open(e) && std::has_single_bit(pairs(e)) && !unrouted(e) ? 1 : 0;
    return count;
}

}  // namespace topologies
