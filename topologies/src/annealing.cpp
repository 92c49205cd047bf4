#include "annealing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include <topologies/machine_description.hpp>
#include <vocabulary/contract.hpp>

#include "trunk_router.hpp"

namespace topologies {
namespace {

// Units of energy. An edge over a trunk is allowed but takes a scarce wire, so it costs a little.
constexpr int wrong = 8;  // an edge that cannot be made, or a soldered wire that is not wanted
constexpr int on_trunk = 2;
// Temperatures in these units: at the first nearly every move is taken, at the last hardly any that costs something.
constexpr double hottest = 10.0, coldest = 0.9;
constexpr std::size_t levels = 64;
constexpr int most_rise = 2 * 2 * static_cast<int>(links_per_node) * wrong;  // all edges and soldered wires of two sockets

class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    std::uint32_t word() { return static_cast<std::uint32_t>(engine_() >> 32); }
    std::size_t below(std::size_t bound) { return (static_cast<std::uint64_t>(word()) * bound) >> 32; }

private:
    std::mt19937_64 engine_;
};

// Small set of edges or wires that a move touches.
class Touched {
public:
    void add(std::size_t item) {
        if (item == nobody) return;
        if (std::find(begin(), end(), item) == end()) items_[count_++] = item;
    }
    const std::size_t* begin() const { return items_.data(); }
    const std::size_t* end() const { return items_.data() + count_; }

private:
    std::array<std::size_t, 2 * links_per_node> items_{};
    std::size_t count_ = 0;
};

using Seats = std::array<std::size_t, links_per_node>;  // by link of one socket: the end of an edge that sits there, or nobody

}  // namespace

class Annealing::Search {
public:
    Search(const SeatingProblem& problem, std::uint64_t seed)
        : p_(problem), random_(seed), host_(p_.net.size() / links_per_node - 1), router_(p_) {
        wire_at_.assign(p_.net.size(), nobody);
        for (std::size_t w = 0; w < p_.soldered.size(); ++w) {
            wire_at_[p_.soldered[w].first] = w;
            wire_at_[p_.soldered[w].second] = w;
        }
        host_in_use_ = std::any_of(p_.edges.begin(), p_.edges.end(), [&](const auto& e) { return e.second == p_.wanted; });
    }

    // A try grows with the network, and each is longer than the one before.
    void one_try(std::uint64_t most_steps) {
        const std::uint64_t first_try = 400 * (p_.edges.size() + p_.wanted) + 1000;
        if (steps_of_try_ == 0) {
            steps_of_try_ = first_try;
            unplaced = p_.edges.size() + 1;
        }
        begin();
        note_if_routed();
        cool(std::min(steps_of_try_, most_steps), first_try);
        steps_of_try_ += steps_of_try_ / 2;
    }

    std::optional<Seating> found;
    std::uint64_t steps = 0;
    std::size_t unplaced = 0, soldered = 0;

private:
    static std::size_t socket_of(std::size_t link) { return link / links_per_node; }

    void begin() {
        occupant_.assign(host_ + 1, nobody);
        seated_.assign(p_.net.size(), nobody);
        link_of_.assign(2 * p_.edges.size(), nobody);
        load_.assign(router_.pairs(), 0);
        place_ = p_.place;
        place_.push_back(host_);
        for (std::size_t k = 0; k < place_.size(); ++k) occupant_[place_[k]] = k;
        for (std::size_t e = 0; e < p_.edges.size(); ++e) {
            sit_first(2 * e, place_[p_.edges[e].first]);
            sit_first(2 * e + 1, place_[p_.edges[e].second]);
        }
        energy_ = wrong_ = 0;
        crossing_.clear();
        place_in_crossing_.assign(p_.edges.size(), nobody);
        for (std::size_t e = 0; e < p_.edges.size(); ++e) count_edge(e, +1);
        for (std::size_t w = 0; w < p_.soldered.size(); ++w) count_wire(w, +1);
        lowest_ = energy_ + 1;
    }

    // Puts the end on the first free link of the socket that leads somewhere; solver.cpp made sure that there are enough.
    void sit_first(std::size_t end, std::size_t socket) {
        if (has_own_link(end)) return sit(end, socket * links_per_node + p_.link_number[end]);
        std::size_t link = socket * links_per_node;
        const std::size_t after_last = link + links_per_node;
        while (link < after_last && (!p_.net[link] || seated_[link] != nobody)) ++link;
        EXPECTS(link < after_last, "annealing.sit_first.room");
        sit(end, link);
    }
    bool has_own_link(std::size_t end) const { return !p_.link_number.empty() && p_.link_number[end] != nobody; }
    void sit(std::size_t end, std::size_t link) {
        seated_[link] = end;
        link_of_[end] = link;
    }

    void count_edge(std::size_t edge, int sign) {
        const auto &a = p_.net[link_of_[2 * edge]], &b = p_.net[link_of_[2 * edge + 1]];
        bool made = a && b;
        if (made && *a == *b) return;
        list_crossing(edge, sign);
        made = made && *a < p_.switches && *b < p_.switches;
        if (made) {
            const std::size_t between = router_.pair(*a, *b);
            const int before = load_[between];
            load_[between] = before + sign;
            made = std::max(before, before + sign) <= router_.direct_trunks(between);
        }
        energy_ += sign * (made ? on_trunk : wrong);
        if (!made) wrong_ += sign;
    }

    // Keeps the edges whose ends are not on the same switch.
    void list_crossing(std::size_t edge, int sign) {
        if (sign > 0) {
            place_in_crossing_[edge] = crossing_.size();
            crossing_.push_back(edge);
            return;
        }
        const std::size_t at = place_in_crossing_[edge];
        crossing_[at] = crossing_.back();
        place_in_crossing_[crossing_[at]] = at;
        crossing_.pop_back();
    }

    void count_wire(std::size_t wire, int sign) {
        if (!is_unwanted(wire)) return;
        energy_ += sign * wrong;
        wrong_ += sign;
    }
    bool in_use(std::size_t socket) const { return socket == host_ ? host_in_use_ : occupant_[socket] != nobody; }
    bool is_unwanted(std::size_t wire) const {
        const auto [a, b] = p_.soldered[wire];
        if (!in_use(socket_of(a)) || !in_use(socket_of(b))) return false;
        return seated_[a] == nobody || seated_[b] == nobody || seated_[a] / 2 != seated_[b] / 2;
    }

    // Ends early where no edge needs a trunk, or some steps after the first solution: these steps look for one that needs
    // fewer.
    void cool(std::uint64_t steps_of_try, std::uint64_t steps_for_fewer) {
        std::uint64_t left = steps_of_try;
        for (std::size_t level = 0; level < levels; ++level) {
            const double heat = hottest * std::pow(coldest / hottest, static_cast<double>(level) / (levels - 1));
            for (int rise = 0; rise <= most_rise; ++rise) chance_[static_cast<std::size_t>(rise)] = chance_of(rise, heat);
            for (std::uint64_t i = 0; i < steps_of_try / levels + 1; ++i) {
                if (trunks_in_use_ == 0 || left-- == 0) return;
                ++steps;
                const std::size_t link = link_to_move();
                const std::size_t occupant = occupant_[socket_of(link)];
                if (!p_.keep_places && occupant < p_.wanted && random_.below(2) == 0) {
                    exchange_occupants(occupant);
                } else {
                    exchange_links(link);
                }
                if (energy_ < lowest_ && note_if_routed()) left = std::min(left, steps_for_fewer);
            }
        }
    }
    static std::uint32_t chance_of(int rise, double heat) {
        return static_cast<std::uint32_t>(std::min(std::exp(-rise / heat) * 0x1p32, 0x1p32 - 1));
    }
    bool is_taken(int rise) { return rise <= 0 || random_.word() < chance_[static_cast<std::size_t>(rise)]; }

    // A link of any node or the host, or as often one that an edge across switches sits on. That halves what is left over in
    // the end.
    std::size_t link_to_move() {
        if (!crossing_.empty() && random_.below(2) == 0)
            return link_of_[2 * crossing_[random_.below(crossing_.size())] + random_.below(2)];
        return place_[random_.below(place_.size())] * links_per_node + random_.below(links_per_node);
    }

    void exchange_links(std::size_t link) {
        const std::size_t other = socket_of(link) * links_per_node + random_.below(links_per_node);
        if (link == other || seated_[link] == seated_[other]) return;  // the latter: both empty
        for (const std::size_t at : {link, other}) {
            if (seated_[at] != nobody && has_own_link(seated_[at])) return;
        }
        Touched edges, wires;
        for (const std::size_t at : {link, other}) {
            if (seated_[at] != nobody) edges.add(seated_[at] / 2);
            wires.add(wire_at_[at]);
        }
        const int before = energy_;
        const auto exchange = [&] {
            count(edges, wires, -1);
            std::swap(seated_[link], seated_[other]);
            for (const std::size_t at : {link, other}) {
                if (seated_[at] != nobody) link_of_[seated_[at]] = at;
            }
            count(edges, wires, +1);
        };
        exchange();
        if (!is_taken(energy_ - before)) exchange();
    }

    void exchange_occupants(std::size_t k) {
        const std::size_t a = place_[k], b = random_.below(host_);
        if (a == b || !may_sit(k, b) || (occupant_[b] != nobody && !may_sit(occupant_[b], a))) return;
        Touched edges, wires;
        const Seats at_a = seats(a), at_b = seats(b);
        for (std::size_t l = 0; l < links_per_node; ++l) {
            for (const std::size_t end : {at_a[l], at_b[l]}) {
                if (end != nobody) edges.add(end / 2);
            }
            wires.add(wire_at_[a * links_per_node + l]);
            wires.add(wire_at_[b * links_per_node + l]);
        }
        const int before = energy_;
        count(edges, wires, -1);
        swap_occupants(a, b);
        clear(a, b);
        for (const auto& [ends, socket] : {std::pair(at_a, b), std::pair(at_b, a)}) {
            for (const std::size_t end : ends) {
                if (end != nobody && has_own_link(end)) sit(end, socket * links_per_node + p_.link_number[end]);
            }
        }
        seat_near_neighbours(at_a, b);
        seat_near_neighbours(at_b, a);
        seat_rest(at_a, b);
        seat_rest(at_b, a);
        count(edges, wires, +1);
        if (is_taken(energy_ - before)) return;
        count(edges, wires, -1);
        swap_occupants(a, b);
        clear(a, b);
        seat_back(at_a, a);
        seat_back(at_b, b);
        count(edges, wires, +1);
    }

    bool may_sit(std::size_t k, std::size_t socket) const {
        return p_.kinds_fit[p_.kind_of_wanted[k]][p_.kind_of_socket[socket]];
    }
    void count(const Touched& edges, const Touched& wires, int sign) {
        for (const std::size_t edge : edges) count_edge(edge, sign);
        for (const std::size_t wire : wires) count_wire(wire, sign);
    }
    void swap_occupants(std::size_t a, std::size_t b) {
        std::swap(occupant_[a], occupant_[b]);
        for (const std::size_t socket : {a, b}) {
            if (occupant_[socket] != nobody) place_[occupant_[socket]] = socket;
        }
    }
    Seats seats(std::size_t socket) const {
        Seats result{};
        std::copy_n(seated_.begin() + static_cast<std::ptrdiff_t>(socket * links_per_node), links_per_node, result.begin());
        return result;
    }
    void clear(std::size_t a, std::size_t b) {
        for (const std::size_t socket : {a, b}) {
            for (std::size_t link = socket * links_per_node; link < (socket + 1) * links_per_node; ++link) {
                if (seated_[link] != nobody) link_of_[seated_[link]] = nobody;
                seated_[link] = nobody;
            }
        }
    }
    // Seats the ends whose far end sits on a switch that a free link of the socket leads to, on that link.
    void seat_near_neighbours(const Seats& ends, std::size_t socket) {
        const std::size_t turn = random_.word();
        for (std::size_t i = 0; i < links_per_node; ++i) {
            const std::size_t end = ends[(i + turn) % links_per_node];
            if (end == nobody || link_of_[end ^ 1] == nobody || has_own_link(end)) continue;
            const auto& far = p_.net[link_of_[end ^ 1]];
            for (std::size_t link = socket * links_per_node; link < (socket + 1) * links_per_node; ++link) {
                if (seated_[link] != nobody || !far || p_.net[link] != far) continue;
                sit(end, link);
                break;
            }
        }
    }
    void seat_rest(const Seats& ends, std::size_t socket) {
        std::size_t l = random_.word();
        for (const std::size_t end : ends) {
            if (end == nobody || link_of_[end] != nobody) continue;  // or seated already
            while (seated_[socket * links_per_node + l % links_per_node] != nobody) ++l;
            sit(end, socket * links_per_node + l % links_per_node);
        }
    }
    void seat_back(const Seats& ends, std::size_t socket) {
        for (std::size_t l = 0; l < links_per_node; ++l) {
            if (ends[l] != nobody) sit(ends[l], socket * links_per_node + l);
        }
    }

    // Called for a state that is better than any in this try. Can the edges between switches be routed over the trunks, also
    // over several? True for the first state where they can; later ones are kept when they need fewer trunks.
    bool note_if_routed() {
        lowest_ = energy_;
        if (wrong_ > static_cast<int>(p_.trunks.size() + unplaced + soldered)) return false;
        std::size_t unwanted = 0, trunks = 0;
        for (std::size_t wire = 0; wire < p_.soldered.size(); ++wire) unwanted += is_unwanted(wire) ? 1 : 0;
        TrunkRoutes routes = router_.route(link_of_);
        if (routes.unplaced + unwanted < unplaced + soldered) {
            unplaced = routes.unplaced;
            soldered = unwanted;
        }
        if (routes.unplaced + unwanted > 0) return false;
        for (const auto& way : routes.trunks) trunks += way.size();
        if (trunks >= trunks_in_use_) return false;
        const bool first = !found;
        trunks_in_use_ = trunks;
        found = Seating{{place_.begin(), place_.end() - 1}, {}, std::move(routes.trunks)};
        for (std::size_t e = 0; e < p_.edges.size(); ++e) found->links.emplace_back(link_of_[2 * e], link_of_[2 * e + 1]);
        return first;
    }

    const SeatingProblem& p_;
    Random random_;
    std::size_t host_;
    TrunkRouter router_;
    std::vector<std::size_t> wire_at_;  // soldered wire at each link
    bool host_in_use_ = false;
    std::vector<std::size_t> place_, occupant_;  // by wanted node with the host last, by socket
    std::vector<std::size_t> seated_, link_of_;  // end of an edge on each link (end 2e and 2e + 1 of edge e), and the reverse
    std::vector<std::size_t> crossing_, place_in_crossing_;  // edges across switches; by edge
    std::vector<int> load_;                                  // edges between two switches, by pair
    int energy_ = 0, wrong_ = 0, lowest_ = 0;
    std::array<std::uint32_t, most_rise + 1> chance_{};  // probability of accepting a rise in energy, at this temperature
    std::size_t trunks_in_use_ = nobody;                 // by the solution found, if any
    std::uint64_t steps_of_try_ = 0;
};

Annealing::Annealing(const SeatingProblem& problem, std::uint64_t seed) : search_(std::make_unique<Search>(problem, seed)) {}
Annealing::~Annealing() = default;

bool Annealing::has_moves(const SeatingProblem& problem) {
    return !problem.keep_places || problem.link_number.empty() ||
           std::find(problem.link_number.begin(), problem.link_number.end(), nobody) != problem.link_number.end();
}

void Annealing::one_try(std::uint64_t most_steps) {
    search_->one_try(most_steps);
}
const std::optional<Seating>& Annealing::found() const {
    return search_->found;
}
std::uint64_t Annealing::steps() const {
    return search_->steps;
}
std::size_t Annealing::unplaced() const {
    return search_->unplaced;
}
std::size_t Annealing::soldered() const {
    return search_->soldered;
}

}  // namespace topologies
