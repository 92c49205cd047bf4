#include <tmon_models/stops.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "deciding.hpp"
#include "domains.hpp"
#include "history_search.hpp"
#include "neighbours.hpp"
#include "node_reading.hpp"

namespace tmon_models {

namespace {

using At = Neighbours::At;

// Each node where its records end; lost ones are taken as not made.
std::vector<ProgramStop> recorded_stops(const Program& program, const Neighbours& neighbours,
                                        const std::vector<NodeReading>& readings) {
    std::vector<ProgramStop> stops;
    for (const std::uint16_t node : program.tree().from_the_top()) {
        const At at{node, readings[node].recorded()};
        Neighbours::Tie tie;
        const auto look = [&](std::uint16_t other) { tie = tie | neighbours.tie(at, {other, readings[other].recorded()}); };
        if (const auto parent = program.tree().parent(node)) look(*parent);
        for (const std::uint16_t child : program.tree().children(node)) look(child);
        const auto own = own_stops(program, at, tie);
        // No record tells whether the node has left a block without moves.
        const bool is_sure = own.size() == 1 && own.front() && !program.block(node, at.state.block).moves.empty();
        if (is_sure) stops.push_back(*own.front());
    }
    std::sort(stops.begin(), stops.end());
    return stops;
}

// The first process in which a silent node may be, by its parent's state.
std::optional<ProgramStop> process_of_silent(const Program& program, const Neighbours& neighbours, std::uint16_t node,
                                             const std::vector<NodeState>& states, const std::optional<At>& parent) {
    for (const NodeState& state : states) {
        if (program.done(node, state) || state.mask != 0) continue;
        const Block& block = program.block(node, state.block);
        if (block.step->by.empty() || (parent && neighbours.tie({node, state}, *parent).began)) continue;
        if (parent && !neighbours.agree({node, state}, *parent)) continue;
        return ProgramStop{program.unit_of(node, state.block), node, StopHow::InProcess, block.step->by};
    }
    return {};
}

std::vector<ProgramAnswer> obvious_answers(const Program& program, const Neighbours& neighbours,
                                           const std::vector<NodeReading>& readings,
                                           const std::vector<std::vector<NodeState>>& domains,
                                           const std::vector<ProgramStop>& recorded) {
    std::set<ProgramAnswer> answers;
    for (const ProgramStop& stop : recorded)
        if (!readings[stop.node].is_open()) answers.insert({stop});
    for (const std::uint16_t node : program.tree().from_the_top()) {
        const auto parent = program.tree().parent(node);
        if (!readings[node].is_open() || (parent && readings[*parent].is_open())) continue;
        const bool is_known = parent && !domains[*parent].empty();
        const auto above = is_known ? std::optional(At{*parent, domains[*parent].front()}) : std::nullopt;
        if (const auto stop = process_of_silent(program, neighbours, node, domains[node], above)) answers.insert({*stop});
    }
    return {answers.begin(), answers.end()};
}

// Each unit below was completed by all members, whatever was lost: by the least state of each.
std::uint32_t complete_below(const Program& program, const std::vector<std::vector<NodeState>>& domains) {
    std::uint32_t below = program.units();
    for (const std::uint16_t node : program.tree().from_the_top()) {
        const auto& states = domains[node];
        if (states.empty()) return 0;
        if (!program.done(node, states.front())) below = std::min(below, program.unit_of(node, states.front().block));
    }
    return below;
}

// Histories in which no node came further than a few states, where all are too many. None may be among them.
std::vector<ProgramExample> some_examples(const Program& program, const Neighbours& neighbours,
                                          std::vector<std::vector<NodeState>> domains, const SearchBudget& budget) {
    for (const std::size_t most : {8, 4, 2}) {
        for (auto& states : domains) states.resize(std::min(states.size(), most));
        HistorySearch search(program, neighbours, domains, budget);
        if (search.run()) return search.examples();
    }
    return {};
}

ProgramReading read_all(const Program& program, const std::vector<NodeReading>& readings, std::vector<bool> is_open,
                        const SearchBudget& budget) {
    ProgramReading result;
    const Neighbours neighbours(program, std::move(is_open));
    result.recorded = recorded_stops(program, neighbours, readings);
    auto domains = domains_of(program, neighbours, readings, budget.states);
    if (!domains) {
        domains.emplace(readings.size());
        for (const std::uint16_t node : program.tree().from_the_top()) (*domains)[node] = {readings[node].recorded()};
        result.gave_up = true;
    }
    result.complete_below = complete_below(program, *domains);
    for (const std::uint16_t node : program.tree().from_the_top())
        result.lossy_nodes_differ = result.lossy_nodes_differ || (readings[node].is_lossy() && (*domains)[node].size() > 1);
    if (!result.gave_up) {
        HistorySearch search(program, neighbours, *domains, budget);
        result.gave_up = !search.run();
        result.examples = search.examples();
        for (const ProgramExample& each : result.examples) result.answers.push_back(each.answer);
        result.histories = search.histories();
    }
    if (result.gave_up) {
        result.answers = obvious_answers(program, neighbours, readings, *domains, result.recorded);
        result.examples = some_examples(program, neighbours, *domains, budget);
    } else if (result.answers.size() > 1) {
        result.deciding = deciding_records(program, neighbours, *domains, budget);
    }
    return result;
}

}  // namespace

ProgramReading read_stops(const Program& program, const tmon_streams::Trace& tasks, const SearchBudget& budget) {
    std::vector<NodeReading> readings;
    std::vector<bool> is_open;
    ProgramReading result;
    for (const tmon_streams::Stream& stream : tasks.streams) {
        readings.emplace_back(program, stream);
        is_open.push_back(readings.back().may_have_begun_more());
        const auto& misfit = readings.back().misfit();
        if (misfit && !result.misfit) result.misfit = misfit;
    }
    return result.misfit ? result : read_all(program, readings, std::move(is_open), budget);
}

}  // namespace tmon_models
