#include "exact_search.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <vocabulary/split_mix.hpp>

namespace topologies {
namespace {

// Links for the outlets that the search has chosen: present connections stay where they can.
class Links {
public:
    Links(const SeatingSpace& space, const SeatingDomains& domains)
        : space_(space), p_(space.problem()), domains_(domains), used_(p_.net.size()), link_(2 * p_.edges.size(), nobody) {}

    std::vector<std::pair<std::size_t, std::size_t>> run() {
        for (std::size_t e = 0; e < p_.edges.size(); ++e) keep_present(e);
        std::vector<std::pair<std::size_t, std::size_t>> links;
        for (std::size_t e = 0; e < p_.edges.size(); ++e) {
            for (const std::size_t end : {2 * e, 2 * e + 1}) {
                if (link_[end] == nobody) sit(end, free_links(end).front());
            }
            links.emplace_back(link_[2 * e], link_[2 * e + 1]);
        }
        return links;
    }

private:
    std::vector<std::size_t> free_links(std::size_t end) const {
        const auto pair = static_cast<std::size_t>(std::countr_zero(domains_.pairs(end / 2)));
        const std::size_t outlet = end % 2 == 0 ? pair / links_per_node : pair % links_per_node;
        const std::size_t socket = domains_.place_of(space_.node_of(end));
        std::vector<std::size_t> links;
        for (std::size_t l = 0; l < links_per_node; ++l) {
            const std::size_t link = socket * links_per_node + l;
            if (((space_.socket(socket).outlets[outlet].links >> l) & 1) != 0 && !used_[link]) links.push_back(link);
        }
        return links;
    }
    void sit(std::size_t end, std::size_t link) {
        link_[end] = link;
        used_[link] = true;
    }
    void keep_present(std::size_t edge) {
        const auto& trunks = domains_.trunks(edge);
        const auto pair = static_cast<std::size_t>(std::countr_zero(domains_.pairs(edge)));
        if (domains_.crosses(edge, pair)) {
            keep_end(2 * edge, trunks.front());
            keep_end(2 * edge + 1, trunks.back());
            return;
        }
        for (const std::size_t one : free_links(2 * edge)) {
            const std::size_t other = p_.partner[one];
            const auto far = free_links(2 * edge + 1);
            if (std::find(far.begin(), far.end(), other) == far.end()) continue;
            sit(2 * edge, one);
            sit(2 * edge + 1, other);
            return;
        }
    }
    void keep_end(std::size_t end, std::size_t trunk) {
        for (const std::size_t link : free_links(end)) {
            if (p_.partner[link] != p_.trunk_end(trunk, false) && p_.partner[link] != p_.trunk_end(trunk, true)) continue;
            return sit(end, link);
        }
    }

    const SeatingSpace& space_;
    const SeatingProblem& p_;
    const SeatingDomains& domains_;
    std::vector<bool> used_;
    std::vector<std::size_t> link_;  // by end
};

}  // namespace

ExactSearch::ExactSearch(const SeatingProblem& problem, std::uint64_t seed)
    : space_(problem), domains_(space_), p_(problem), seed_(seed) {
    possible_ = domains_.begin();
    root_ = domains_.mark();
    if (!possible_ || !p_.fewest_changes) return;
    least_changes_ = static_cast<std::size_t>(std::max<std::int64_t>(domains_.least_changes(), 0));
    if (p_.edges.size() > p_.connections + p_.soldered.size())
        least_changes_ = std::max(least_changes_, p_.edges.size() - p_.connections - p_.soldered.size());
}

void ExactSearch::offer(Seating seating) {
    const std::size_t changes = changes_of(p_, seating);
    if (found_ && changes_of(p_, *found_) <= changes) return;
    found_ = std::move(seating);
    domains_.bound(changes);
}

ExactSearch::Outcome ExactSearch::run(std::uint64_t most_steps) {
    if (!possible_) return Outcome::Exhausted;
    ++runs_;
    domains_.undo(root_);
    frames_.clear();
    const std::uint64_t begin = steps();
    while (true) {
        if (found_ && (!p_.fewest_changes || changes_of(p_, *found_) <= least_changes_)) return Outcome::Exhausted;
        if (const auto choice = most_constrained()) {
            open_frame(*choice);
        } else {
            offer(seating());
            most_decided_ = p_.edges.size();
            if (!p_.fewest_changes) return Outcome::Found;
        }
        while (!frames_.empty() && !advance()) {
            if (steps() - begin >= most_steps) return Outcome::OutOfSteps;
        }
        if (frames_.empty()) return Outcome::Exhausted;
        if (steps() - begin >= most_steps) return Outcome::OutOfSteps;
    }
}

// The next value of the last choice; without one the choice is taken back. True when a value was taken that leads on.
bool ExactSearch::advance() {
    Frame& frame = frames_.back();
    domains_.undo(frame.mark);
    if (frame.routes == nullptr && frame.next == frame.values.size()) {
        frames_.pop_back();
        return false;
    }
    const std::size_t open = frames_.size();
    if (try_next(frame)) return true;
    if (frames_.size() == open) note_decided();
    return false;
}

bool ExactSearch::try_next(Frame& frame) {
    if (frame.routes != nullptr) {
        const auto route = frame.routes->next();
        if (!route) {
            frames_.pop_back();
            return false;
        }
        ++tries_;
        return domains_.route(frame.choice.which, *route);
    }
    ++tries_;
    const std::size_t value = frame.values[frame.next++];
    return frame.choice.what == What::Edge ? domains_.choose(frame.choice.which, value)
                                           : domains_.place(frame.choice.which, value);
}

void ExactSearch::note_decided() {
    most_decided_ = std::max(most_decided_, domains_.edges_decided());
}

// With fewest_changes, edges that may keep a connection come before all others: when they are settled, so are the changes.
std::optional<ExactSearch::Choice> ExactSearch::most_constrained() const {
    std::optional<Choice> best;
    std::uint64_t best_size = 0, best_weight = 1, best_tie = 0;
    bool best_first = false;
    const auto consider = [&](Choice choice, std::uint64_t size, std::uint64_t weight, std::uint64_t tie, bool first = false) {
        if (best && best_first != first) {
            if (best_first) return;
            best.reset();
        }
        best_first = first;
        if (best && size * best_weight > best_size * weight) return;
        if (best && size * best_weight == best_size * weight && tie >= best_tie) return;
        best = choice;
        best_size = size;
        best_weight = weight;
        best_tie = tie;
    };
    for (std::size_t e = 0; e < p_.edges.size(); ++e) {
        if (domains_.open(e)) continue;
        const auto& [a, b] = p_.edges[e];
        const std::uint64_t weight = domains_.weight_of_node(a) + domains_.weight_of_node(b) + domains_.weight_of_edge(e);
        const auto left = static_cast<std::uint64_t>(std::popcount(domains_.pairs(e)));
        if (left > 1) {
            consider({What::Edge, e}, left, weight, shuffled(e, 0) >> 8, p_.fewest_changes && domains_.least_cost(e) < 1);
        } else if (domains_.unrouted(e)) {
            consider({What::Route, e}, 2, weight, shuffled(e, 0) >> 8, p_.fewest_changes);
        }
    }
    for (std::size_t k = 0; k < p_.wanted; ++k) {
        if (domains_.placed(k)) continue;
        std::size_t near = 0;  // neighbours that have their places
        for (const std::size_t end : space_.ends(k)) near += domains_.placed(space_.node_of(end ^ 1)) ? 1 : 0;
        const std::size_t far = 3 * links_per_node - 2 * near - space_.ends(k).size();
        consider({What::Place, k}, domains_.socket_count(k), 2 * domains_.weight_of_node(k),
                 (std::uint64_t{1} + far) << 57 | shuffled(k, 1) >> 8);
    }
    return best;
}

void ExactSearch::open_frame(const Choice& choice) {
    Frame frame{.choice = choice, .mark = domains_.mark(), .values = {}, .next = 0, .routes = nullptr};
    if (choice.what == What::Edge) frame.values = pairs_in_order(choice.which);
    if (choice.what == What::Place) frame.values = sockets_in_order(choice.which);
    if (choice.what == What::Route) {
        const auto [from, to] = domains_.switches_of(choice.which);
        frame.routes = std::make_unique<RouteWalk>(domains_, from, to, domains_.first_way(choice.which));
    }
    frames_.push_back(std::move(frame));
}

// Pairs that change nothing come first, then those that need fewest trunks.
std::vector<std::size_t> ExactSearch::pairs_in_order(std::size_t edge) const {
    std::vector<std::pair<std::pair<std::int64_t, std::uint64_t>, std::size_t>> ranked;
    const Socket& a = space_.socket(domains_.place_of(p_.edges[edge].first));
    const Socket& b = space_.socket(domains_.place_of(p_.edges[edge].second));
    for (std::size_t pair = 0; pair < links_per_node * links_per_node; ++pair) {
        if (((domains_.pairs(edge) >> pair) & 1) == 0) continue;
        std::int64_t rank = 0;
        if (p_.fewest_changes) {
            rank = domains_.cost(edge, pair);
        } else if (!is_present(edge, pair)) {
            const std::size_t from = a.outlets[pair / links_per_node].net, to = b.outlets[pair % links_per_node].net;
            rank = 1 + (from == to ? 0 : static_cast<std::int64_t>(space_.distance(from, to)));
        }
        ranked.push_back({{rank, shuffled(edge, 2 + pair)}, pair});
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::size_t> values;
    for (const auto& [rank, pair] : ranked) values.push_back(pair);
    return values;
}

bool ExactSearch::is_present(std::size_t edge, std::size_t pair) const {
    const std::size_t at_a = domains_.place_of(p_.edges[edge].first), at_b = domains_.place_of(p_.edges[edge].second);
    const Outlet& a = space_.socket(at_a).outlets[pair / links_per_node];
    const Outlet& b = space_.socket(at_b).outlets[pair % links_per_node];
    for (std::size_t l = 0; l < links_per_node; ++l) {
        if (((a.links >> l) & 1) == 0) continue;
        const std::size_t partner = p_.partner[at_a * links_per_node + l];
        if (partner == nobody) continue;
        if (a.net != b.net && partner >= p_.net.size()) return true;  // along a trunk
        if (partner / links_per_node == at_b && ((b.links >> (partner % links_per_node)) & 1) != 0) return true;
    }
    return false;
}

// One of each group of sockets that can stand for one another.
std::vector<std::size_t> ExactSearch::sockets_in_order(std::size_t node) const {
    std::vector<std::pair<std::pair<std::size_t, std::uint64_t>, std::size_t>> ranked;
    for (const std::size_t socket : domains_.sockets_for(node)) {
        const std::size_t rank = has_present_neighbour(node, socket) ? 0 : socket == p_.place[node] ? 1 : 2;
        ranked.push_back({{rank, shuffled(node, 32 + socket)}, socket});
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<bool> seen(space_.sockets());
    std::vector<std::size_t> values;
    for (const auto& [rank, socket] : ranked) {
        const std::size_t group = space_.group(socket);
        if (!seen[group]) values.push_back(socket);
        seen[group] = true;
    }
    return values;
}

bool ExactSearch::has_present_neighbour(std::size_t node, std::size_t socket) const {
    const auto& ends = space_.ends(node);
    return std::any_of(ends.begin(), ends.end(), [&](std::size_t end) {
        const std::size_t far = space_.node_of(end ^ 1);
        if (!domains_.placed(far)) return false;
        for (std::size_t link = socket * links_per_node; link < (socket + 1) * links_per_node; ++link) {
            const std::size_t partner = p_.partner[link];
            if (partner < p_.net.size() && partner / links_per_node == domains_.place_of(far)) return true;
        }
        return false;
    });
}

std::uint64_t ExactSearch::shuffled(std::size_t a, std::size_t b) const {
    return vocabulary::split_mix(vocabulary::split_mix(seed_ + runs_, a), b);
}

Seating ExactSearch::seating() const {
    Seating seating;
    for (std::size_t k = 0; k < p_.wanted; ++k) seating.place.push_back(domains_.place_of(k));
    seating.links = Links(space_, domains_).run();
    for (std::size_t e = 0; e < p_.edges.size(); ++e) {
        const auto pair = static_cast<std::size_t>(std::countr_zero(domains_.pairs(e)));
        seating.trunks.push_back(domains_.crosses(e, pair) ? domains_.trunks(e) : std::vector<std::size_t>());
    }
    return seating;
}

}  // namespace topologies
