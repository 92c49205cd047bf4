#include <tmon_models/stops.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "domains.hpp"
#include "neighbours.hpp"
#include "node_reading.hpp"

namespace tmon_models {

namespace {

using At = Neighbours::At;

// The earlier unit counts; stops of the same unit count together.
ProgramAnswer earliest(const ProgramAnswer& a, const ProgramAnswer& b) {
    if (a.empty() || b.empty()) return a.empty() ? b : a;
    if (a.front().unit != b.front().unit) return a.front().unit < b.front().unit ? a : b;
    ProgramAnswer both;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

// A node's own stop, or none. Without a wait there is one. With a wait there is none, or the process before it never ended.
// Where a silent node may have died, there may be none, too.
std::vector<std::optional<ProgramStop>> own_stops(const Program& program, const At& at, const Neighbours::Tie& tie) {
    if (program.done(at.node, at.state)) return {std::nullopt};
    const Block& block = program.block(at.node, at.state.block);
    const std::uint32_t unit = program.unit_of(at.node, at.state.block);
    std::optional<ProgramStop> stop;
    const bool may_be_in_process = at.state.mask == 0 && !tie.began && !block.step->by.empty();
    if (may_be_in_process) {
        stop = {unit, at.node, StopHow::InProcess, block.step->by};
    } else if (!tie.waits || tie.one_may_be_dead) {
        const StopHow how = block.sends ? StopHow::NotSent : StopHow::NotReceived;
        stop = {unit, at.node, how, program.model().messages[block.step->message].label};
    }
    if (!stop) return {std::nullopt};
    if (tie.waits || tie.one_may_be_dead) return {std::nullopt, stop};
    return {stop};
}

// One result for histories of a part of the tree. It lacks the stop of the top node, which depends on the nodes above.
struct Partial {
    Neighbours::Tie tie;    // of the top node with its children
    bool complete = false;  // all nodes below the top have done everything
    ProgramAnswer answer;

    friend auto operator<=>(const Partial&, const Partial&) = default;
};
using Partials = std::map<Partial, std::uint64_t>;  // with the number of histories

// With saturation.
constexpr std::uint64_t most_histories = std::uint64_t{1} << 63U;
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    return b != 0 && a > most_histories / b ? most_histories : a * b;
}
std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
    return a > most_histories - b ? most_histories : a + b;
}

class Search {
public:
    Search(const Program& program, const Neighbours& neighbours, const std::vector<std::vector<NodeState>>& domains,
           const SearchBudget& budget)
        : program_(program), neighbours_(neighbours), domains_(domains), budget_(budget), tables_(domains.size()) {}

    // False when the budget ended first.
    bool run(ProgramReading& reading) {
        const auto& order = program_.tree().from_the_top();
        for (const std::uint16_t node : order)
            tables_[node].assign(domains_[node].size(), Partials{{Partial{{}, true, {}}, 1}});
        for (auto node = order.rbegin(); node != order.rend(); ++node) {
            for (const std::uint16_t child : program_.tree().children(*node)) {
                if (!join(*node, child)) return false;
                tables_[child].clear();
            }
        }
        finish(reading);
        return true;
    }

private:
    bool join(std::uint16_t node, std::uint16_t child) {
        for (std::size_t i = 0; i < domains_[node].size(); ++i) {
            Partials joined;
            const At above{node, domains_[node][i]};
            for (std::size_t j = 0; j < domains_[child].size(); ++j) {
                const At below{child, domains_[child][j]};
                if (++pairs_ > budget_.pairs) return false;
                if (!tables_[node][i].empty() && neighbours_.agree(above, below) &&
                    !join_states(above, tables_[node][i], below, tables_[child][j], joined))
                    return false;
            }
            tables_[node][i] = std::move(joined);
        }
        return true;
    }

    bool join_states(const At& above, const Partials& of_above, const At& below, const Partials& of_below, Partials& joined) {
        const Neighbours::Tie above_tie = neighbours_.tie(above, below), below_tie = neighbours_.tie(below, above);
        for (const auto& [lower, lower_count] : of_below) {
            for (const auto& own : own_stops(program_, below, lower.tie | below_tie)) {
                const ProgramAnswer answer = own ? earliest(lower.answer, {*own}) : lower.answer;
                const bool complete = lower.complete && program_.done(below.node, below.state);
                for (const auto& [upper, upper_count] : of_above) {
                    if (++pairs_ > budget_.pairs) return false;
                    const Partial both{upper.tie | above_tie, upper.complete && complete, earliest(upper.answer, answer)};
                    std::uint64_t& count = joined[both];
                    count = plus(count, times(upper_count, lower_count));
                    if (joined.size() > budget_.answers) return false;
                }
            }
        }
        return true;
    }

    // Something must have stopped on its own where not everything is done.
    void finish(ProgramReading& reading) const {
        std::set<ProgramAnswer> answers;
        for (std::size_t i = 0; i < domains_[0].size(); ++i) {
            const At root{0, domains_[0][i]};
            for (const auto& [partial, count] : tables_[0][i]) {
                for (const auto& own : own_stops(program_, root, partial.tie)) {
                    const ProgramAnswer answer = own ? earliest(partial.answer, {*own}) : partial.answer;
                    if (answer.empty() && !(partial.complete && program_.done(0, root.state))) continue;
                    answers.insert(answer);
                    reading.histories = plus(reading.histories, count);
                }
            }
        }
        reading.answers.assign(answers.begin(), answers.end());
    }

    const Program& program_;
    const Neighbours& neighbours_;
    const std::vector<std::vector<NodeState>>& domains_;
    const SearchBudget& budget_;
    std::vector<std::vector<Partials>> tables_;  // by node, by state
    std::size_t pairs_ = 0;
};

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
    result.gave_up = result.gave_up || !Search(program, neighbours, *domains, budget).run(result);
    if (result.gave_up) result.answers = obvious_answers(program, neighbours, readings, *domains, result.recorded);
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
