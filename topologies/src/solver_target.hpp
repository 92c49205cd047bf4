// The target of a solution in the numbers of the search (solver_search.hpp), and the way back. Used by solver.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <topologies/machine_description.hpp>
#include <topologies/solver.hpp>

#include "solver_demands.hpp"
#include "solver_search.hpp"

namespace topologies {

using Settings = std::vector<std::vector<std::pair<WayNo, WayNo>>>;  // by switch

class SolverTarget {
public:
    // The machine must outlive it.
    explicit SolverTarget(const MachineDescription& machine);

    // Throws vocabulary::InputError for requested host connections that are not wired.
    SeatingProblem problem(const MachineDescription& wanted, const WantedGraph& graph, FirstPlacement placement,
                           const SolverOptions& options);
    // The same problem with wires in place of the present connections, and no other connections. None of these wires needs to
    // be an edge. A seating on it needs no new connection.
    SeatingProblem as_it_stands(const SeatingProblem& problem) const;
    // A seating of as_it_stands() as one of the problem itself.
    Seating with_trunks(const SeatingProblem& problem, Seating seating) const;
    Settings settings(const SeatingProblem& problem, const Seating& seating) const;

private:
    std::size_t host_links() const { return machine_.nodes.size() * links_per_node; }
    std::size_t link_number(const WireEnd& end) const;
    void add_wire(SeatingProblem& problem, const Wire& wire);
    void add_present(SeatingProblem& problem) const;
    bool is_connected(const SeatingProblem& problem, std::size_t link) const;  // at present; the link must be wired
    void choose_host_links(SeatingProblem& problem, const MachineDescription& wanted, const WantedGraph& graph,
                           const SolverOptions& options) const;

    const MachineDescription& machine_;
    std::vector<std::optional<SwitchWay>> way_of_;  // by way in the numbers of the search
};

}  // namespace topologies
