// The search for all histories of a program. Neighbours in a tree bind only one another, so it goes from the leaves to the
// root. For each state of a node it keeps the possible answers of the nodes below. Private: stops.cpp uses it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <tmon_models/stops.hpp>
#include "neighbours.hpp"

namespace tmon_models {

// A node's own stop, or none. Without a wait there is one. With a wait there is none, or the process before it never ended.
// Where a silent node may have died, there may be none, too.
std::vector<std::optional<ProgramStop>> own_stops(const Program& program, const Neighbours::At& at, const Neighbours::Tie& tie);

class HistorySearch {
public:
    // All must outlive it. domains: the states in which each node may be, by node.
    HistorySearch(const Program& program, const Neighbours& neighbours, const std::vector<std::vector<NodeState>>& domains,
                  const SearchBudget& budget)
        : program_(program), neighbours_(neighbours), domains_(domains), budget_(budget), tables_(domains.size()) {}

    // False when the budget ended first.
    bool run();
    // Empty before run() has returned true.
    const std::vector<ProgramExample>& examples() const { return examples_; }  // one for each answer, ascending
    std::uint64_t histories() const { return histories_; }
    std::size_t pairs() const { return pairs_; }  // that were compared so far

private:
    // One result for histories of a part of the tree. It lacks the stop of the top node, which depends on the nodes above.
    struct Partial {
        Neighbours::Tie tie;    // of the top node with its children
        bool complete = false;  // all nodes below the top have done everything
        ProgramAnswer answer;

        friend auto operator<=>(const Partial&, const Partial&) = default;
    };
    static constexpr std::uint32_t no_way = UINT32_MAX;
    // The number of histories, and one of them: an index into ways_.
    struct Found {
        std::uint64_t count = 0;
        std::uint32_t way = no_way;
    };
    using Partials = std::map<Partial, Found>;
    // A history of a part of the tree. It consists of one for the part without its last child, the child's state, and one for
    // the child's part.
    struct Way {
        std::uint32_t without = no_way, of_child = no_way, state = 0;
        std::uint16_t child = 0;
    };

    bool join(std::uint16_t node, std::uint16_t child);
    bool join_states(const Neighbours::At& above, const Partials& of_above, const Neighbours::At& below, std::size_t state,
                     Partials& joined);
    void finish();
    std::vector<NodeState> states_of(const Neighbours::At& root, std::uint32_t last) const;

    const Program& program_;
    const Neighbours& neighbours_;
    const std::vector<std::vector<NodeState>>& domains_;
    const SearchBudget& budget_;
    std::vector<std::vector<Partials>> tables_;  // by node, by state
    std::vector<Way> ways_;
    std::vector<ProgramExample> examples_;
    std::uint64_t histories_ = 0;
    std::size_t pairs_ = 0;
};

}  // namespace tmon_models
