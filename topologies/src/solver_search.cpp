#include "solver_search.hpp"

#include <algorithm>
#include <utility>

#include "annealing.hpp"
#include "exact_search.hpp"

namespace topologies {
namespace {

constexpr std::uint64_t first_exact_steps = 50'000;

// The two searches take turns, each for about as many steps as the other has had, until one has the answer.
class Turns {
public:
    Turns(const SeatingProblem& problem, std::uint64_t seed, std::uint64_t most_steps, std::optional<Seating> first)
        : p_(problem), most_steps_(most_steps), annealing_(problem, seed), exact_(problem, seed) {
        if (first) exact_.offer(std::move(*first));
    }

    // Annealing first, where nodes may move: it finds most networks that have room. Where they may not, the exact search finds
    // and proves almost everything at once.
    SeatingSearch run() {
        const bool anneals = Annealing::has_moves(p_);
        bool exact_next = p_.keep_places || !anneals;
        while (!exact_.found() && !annealing_.found() && !exhausted_ && left() > 0) {
            if (exact_next || !anneals) {
                exact(exact_steps_);
            } else {
                annealing_.one_try(left());
            }
            exact_next = exact_.steps() < annealing_.steps();
        }
        if (annealing_.found()) exact_.offer(*annealing_.found());
        if (p_.fewest_changes && exact_.found()) improve();
        return result();
    }

private:
    std::uint64_t left() const {
        const std::uint64_t used = annealing_.steps() + exact_.steps();
        return used < most_steps_ ? most_steps_ - used : 0;
    }
    void exact(std::uint64_t steps) {
        exhausted_ = exact_.run(std::min(steps, left())) == ExactSearch::Outcome::Exhausted;
        exact_steps_ *= 2;
    }
    void improve() {
        offer_kept_places();
        while (!exhausted_ && left() > 0) exact(exact_steps_);
    }
    // An answer that leaves the nodes where they are often changes least.
    void offer_kept_places() {
        if (p_.keep_places || p_.wanted >= p_.net.size() / links_per_node) return;
        SeatingProblem stay = p_;
        stay.keep_places = true;
        for (std::size_t k = 0; k < p_.wanted; ++k) {
            if (!p_.kinds_fit[p_.kind_of_wanted[k]][p_.kind_of_socket[k]]) return;
            stay.place[k] = k;
        }
        ExactSearch search(stay, 1);
        search.run(left() / 4);
        extra_steps_ += search.steps();
        if (search.found()) exact_.offer(*search.found());
    }
    SeatingSearch result() const {
        SeatingSearch result;
        result.found = exact_.found();
        result.exhausted = exhausted_;
        result.steps = annealing_.steps() + exact_.steps() + extra_steps_;
        result.tries = exact_.tries();
        result.least_changes = exhausted_ && result.found ? changes_of(p_, *result.found) : exact_.least_changes();
        if (annealing_.steps() > 0) {
            result.unplaced = annealing_.unplaced();
            result.soldered = annealing_.soldered();
        } else {
            result.unplaced = p_.edges.size() - exact_.edges_decided();
        }
        return result;
    }

    const SeatingProblem& p_;
    std::uint64_t most_steps_, exact_steps_ = first_exact_steps, extra_steps_ = 0;
    Annealing annealing_;
    ExactSearch exact_;
    bool exhausted_ = false;
};

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> connections_of(const SeatingProblem& problem, const Seating& seating,
                                                                std::size_t edge) {
    std::vector<std::pair<std::size_t, std::size_t>> result;
    const auto& [from, to] = seating.links[edge];
    std::size_t way = from, at = *problem.net[from];
    if (at >= problem.switches) return result;
    for (const std::size_t trunk : seating.trunks[edge]) {
        const bool second = problem.trunks[trunk].first != at;
        result.emplace_back(way, problem.trunk_end(trunk, second));
        way = problem.trunk_end(trunk, !second);
        at = second ? problem.trunks[trunk].first : problem.trunks[trunk].second;
    }
    result.emplace_back(way, to);
    return result;
}

std::size_t changes_of(const SeatingProblem& problem, const Seating& seating) {
    std::size_t made = 0, kept = 0;
    for (std::size_t e = 0; e < problem.edges.size(); ++e) {
        for (const auto& [a, b] : connections_of(problem, seating, e)) ++(problem.partner[a] == b ? kept : made);
    }
    return made + problem.connections - kept;
}

SeatingSearch search_seating(const SeatingProblem& problem, std::uint64_t seed, std::uint64_t most_steps,
                             std::optional<Seating> first) {
    return Turns(problem, seed, most_steps, std::move(first)).run();
}

}  // namespace topologies
