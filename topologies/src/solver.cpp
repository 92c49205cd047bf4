#include <topologies/solver.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include <topologies/link_speeds.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/machine_writer.hpp>
#include <topologies/network.hpp>
#include <vocabulary/source_position.hpp>

#include "exact_search.hpp"
#include "quantity.hpp"
#include "solver_demands.hpp"
#include "solver_search.hpp"
#include "solver_target.hpp"

namespace topologies {
namespace {

constexpr std::uint64_t most_present_steps = 200'000;  // to find the network among what is connected already

// New number of each node of the target: the wanted ones first.
std::vector<NodeId> new_numbers(const std::vector<NodeId>& place, std::size_t sockets) {
    std::vector<std::optional<NodeId>> chosen(sockets);
    for (std::size_t k = 0; k < place.size(); ++k) chosen[place[k].value()] = node_id(k);
    std::vector<NodeId> result;
    std::size_t next = place.size();
    for (const auto& number : chosen) result.push_back(number ? *number : node_id(next++));
    return result;
}

// The wanted network's weights, at the links that its edges have got. Links between the same two nodes take theirs in turn.
void take_weights(MachineDescription& solved, const MachineDescription& wanted) {
    solved.weight = wanted.weight;
    solved.weights.clear();
    const Network asked(wanted), got(solved);
    const auto socket = [&](const WireEnd& end) {
        const auto* link = std::get_if<NodeLink>(&end);
        return link ? std::optional(link->node) : std::nullopt;
    };
    std::vector<bool> taken(got.paths().size());
    for (const Path& edge : asked.paths()) {
        for (std::size_t i = 0; i < taken.size(); ++i) {
            const Path& path = got.paths()[i];
            if (taken[i] || std::minmax(socket(edge.a), socket(edge.b)) != std::minmax(socket(path.a), socket(path.b)))
                continue;
            taken[i] = true;
            if (edge.weight != wanted.weight) solved.weights.push_back({path.a, path.b, edge.weight});
            break;
        }
    }
}

MachineDescription solved_machine(const MachineDescription& wanted, const MachineDescription& target,
                                  const std::vector<NodeId>& place, Settings settings) {
    MachineDescription machine = target;
    machine.name = fmt::format("{}_on_{}", wanted.name, target.name);
    const auto number = new_numbers(place, target.nodes.size());
    for (std::size_t s = 0; s < number.size(); ++s) machine.nodes[number[s].value()] = target.nodes[s];
    for (Wire& wire : machine.wires) {
        for (WireEnd* end : {&wire.a, &wire.b}) {
            if (auto* link = std::get_if<NodeLink>(end)) link->node = number[link->node.value()];
        }
    }
    for (BoardDescription& board : machine.boards) {
        for (auto& slot : board.slots) {
            if (slot) slot = number[slot->value()];
        }
    }
    for (std::size_t x = 0; x < settings.size(); ++x) machine.switches[x].connections = std::move(settings[x]);
    if (wanted.interrupt_master) {
        machine.interrupt_master = wanted.interrupt_master;
    } else if (target.interrupt_master) {
        machine.interrupt_master = number[target.interrupt_master->value()];
    }
    take_weights(machine, wanted);
    machine.waste = wanted.waste;
    machine.boot_order = wanted.boot_order;
    machine.unreachable_allowed = wanted.unreachable_allowed || wanted.without_host || place.size() < target.nodes.size();
    machine = canonical_machine(std::move(machine));
    check_machine(machine);
    return machine;
}

// Soldered wires of nodes that are not used are left out.
std::vector<Path> edges_in_use(const MachineDescription& solved, const WantedGraph& graph) {
    const auto is_used = [&graph](const WireEnd& end) {
        const auto* link = std::get_if<NodeLink>(&end);
        return link ? link->node.value() < graph.nodes : graph.wants_host;
    };
    const Network network(solved);
    std::vector<Path> used;
    std::copy_if(network.paths().begin(), network.paths().end(), std::back_inserter(used),
                 [&is_used](const Path& path) { return is_used(path.a) && is_used(path.b); });
    return used;
}

// The wanted network in the present connections, each node where it is or, when that may be, where it fits.
std::optional<Seating> present_seating(const SolverTarget& target, const SeatingProblem& problem, std::uint64_t most_steps,
                                       std::uint64_t& steps) {
    if (problem.connections == 0 && problem.soldered.empty()) return std::nullopt;
    SeatingProblem stands = target.as_it_stands(problem);
    if (stands.soldered.size() < stands.edges.size()) return std::nullopt;
    const auto search = [&]() -> std::optional<Seating> {
        ExactSearch exact(stands, 1);
        exact.run(std::min(most_present_steps, most_steps - std::min(most_steps, steps)));
        steps += exact.steps();
        if (!exact.found()) return std::nullopt;
        return target.with_trunks(problem, *exact.found());
    };
    bool may_stay = true;
    for (std::size_t k = 0; k < stands.wanted; ++k) {
        may_stay = may_stay && stands.kinds_fit[stands.kind_of_wanted[k]][stands.kind_of_socket[k]];
    }
    if (may_stay) {
        for (std::size_t k = 0; k < stands.wanted; ++k) stands.place[k] = k;
        stands.keep_places = true;
        if (auto found = search()) return found;
    }
    if (problem.keep_places) return std::nullopt;
    stands.place = problem.place;
    stands.keep_places = false;
    return search();
}

// Compares with the target itself, not with the counts of the search.
SettingChanges changes_between(const MachineDescription& is, const MachineDescription& becomes) {
    SettingChanges changes;
    for (std::size_t x = 0; x < is.switches.size(); ++x) {
        const auto sorted = [](std::vector<std::pair<WayNo, WayNo>> list) {
            for (auto& [a, b] : list) {
                if (b < a) std::swap(a, b);
            }
            std::sort(list.begin(), list.end());
            return list;
        };
        const auto before = sorted(is.switches[x].connections), after = sorted(becomes.switches[x].connections);
        std::vector<std::pair<WayNo, WayNo>> kept;
        std::set_intersection(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(kept));
        changes.kept += kept.size();
        changes.made += after.size() - kept.size();
        changes.taken_away += before.size() - kept.size();
    }
    return changes;
}

}  // namespace

std::string NotFound::text() const {
    if (impossible) {
        const std::string kept = keep_places && keep_links ? " with places and link numbers kept"
                                 : keep_places             ? " with the places kept"
                                 : keep_links              ? " with the link numbers kept"
                                                           : "";
        if (tries == 0) return fmt::format("impossible{}: the wiring and the request exclude it before the first try", kept);
        return fmt::format("impossible{}, proven in {} {}", kept, tries, tries == 1 ? "try" : "tries");
    }
    const std::string in_the_way = soldered == 0 ? "" : fmt::format(", {} soldered wires were in the way", soldered);
    return fmt::format("not found after {} steps; {} of {} edges could not be placed{}; nothing proves it impossible", steps,
                       unplaced, edges, in_the_way);
}

std::variant<Solution, NotFound> solve(const MachineDescription& wanted, const MachineDescription& target,
                                       const SolverOptions& options) {
    const WantedGraph graph = wanted_graph(wanted);
    if (const auto speeds = wire_speeds(target); speeds.front() < options.link_bits_per_second)
        throw vocabulary::InputError(
            {wanted.name, 0, 0},
            fmt::format("wants links of {}, but {} of {} run at {}; ask for less", bit_rate_text(options.link_bits_per_second),
                        speeds.size() == 1 ? "those" : "some", target.name, bit_rate_text(speeds.front())));
    SolverTarget sockets(target);
    const SeatingProblem problem =
        sockets.problem(wanted, graph, first_placement(wanted, graph, target, options.keep_places), options);
    std::uint64_t steps = 0;
    std::optional<Seating> present = present_seating(sockets, problem, options.steps, steps);
    SeatingSearch search;
    if (present && !options.fewest_changes) {
        search.found = std::move(present);
    } else {
        search = search_seating(problem, options.seed, options.steps - std::min(options.steps, steps), std::move(present));
    }
    search.steps += steps;
    if (!search.found) {
        return NotFound{.edges = graph.edges.size(),
                        .unplaced = search.unplaced,
                        .soldered = search.soldered,
                        .steps = search.steps,
                        .tries = search.tries,
                        .impossible = search.exhausted,
                        .keep_places = options.keep_places,
                        .keep_links = options.keep_links};
    }
    Solution solution;
    for (const std::size_t socket : search.found->place) solution.place.push_back(node_id(socket));
    solution.machine = solved_machine(wanted, target, solution.place, sockets.settings(problem, *search.found));
    solution.steps = search.steps;
    solution.tries = search.tries;
    solution.edges = edges_in_use(solution.machine, graph);
    solution.changes = changes_between(target, solution.machine);
    if (options.fewest_changes) solution.least_changes = search.least_changes;
    return solution;
}

}  // namespace topologies
