#include "history_search.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tmon_models {

namespace {

// The earlier unit counts; stops of the same unit count together.
ProgramAnswer earliest(const ProgramAnswer& a, const ProgramAnswer& b) {
    if (a.empty() || b.empty()) return a.empty() ? b : a;
    if (a.front().unit != b.front().unit) return a.front().unit < b.front().unit ? a : b;
    ProgramAnswer both;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

// With saturation.
constexpr std::uint64_t most_histories = std::uint64_t{1} << 63U;
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    return b != 0 && a > most_histories / b ? most_histories : a * b;
}
std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
    return a > most_histories - b ? most_histories : a + b;
}

}  // namespace

std::vector<std::optional<ProgramStop>> own_stops(const Program& program, const Neighbours::At& at,
                                                  const Neighbours::Tie& tie) {
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

bool HistorySearch::run() {
    const auto& order = program_.tree().from_the_top();
    for (const std::uint16_t node : order)
        tables_[node].assign(domains_[node].size(), Partials{{Partial{{}, true, {}}, {1, no_way}}});
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
        for (const std::uint16_t child : program_.tree().children(*node)) {
            if (!join(*node, child)) return false;
            tables_[child].clear();
        }
    }
    finish();
    return true;
}

bool HistorySearch::join(std::uint16_t node, std::uint16_t child) {
    for (std::size_t i = 0; i < domains_[node].size(); ++i) {
        Partials joined;
        const Neighbours::At above{node, domains_[node][i]};
        for (std::size_t j = 0; j < domains_[child].size(); ++j) {
            const Neighbours::At below{child, domains_[child][j]};
            if (++pairs_ > budget_.pairs) return false;
            if (!tables_[node][i].empty() && neighbours_.agree(above, below) &&
                !join_states(above, tables_[node][i], below, j, joined))
                return false;
        }
        tables_[node][i] = std::move(joined);
    }
    return true;
}

bool HistorySearch::join_states(const Neighbours::At& above, const Partials& of_above, const Neighbours::At& below,
                                std::size_t state, Partials& joined) {
    const Neighbours::Tie above_tie = neighbours_.tie(above, below), below_tie = neighbours_.tie(below, above);
    for (const auto& [lower, lower_found] : tables_[below.node][state]) {
        for (const auto& own : own_stops(program_, below, lower.tie | below_tie)) {
            const ProgramAnswer answer = own ? earliest(lower.answer, {*own}) : lower.answer;
            const bool complete = lower.complete && program_.done(below.node, below.state);
            for (const auto& [upper, upper_found] : of_above) {
                if (++pairs_ > budget_.pairs) return false;
                const Partial both{upper.tie | above_tie, upper.complete && complete, earliest(upper.answer, answer)};
                const auto [found, is_new] = joined.try_emplace(both);
                std::uint64_t& count = found->second.count;
                count = plus(count, times(upper_found.count, lower_found.count));
                if (joined.size() > budget_.answers) return false;
                if (!is_new) continue;
                found->second.way = static_cast<std::uint32_t>(ways_.size());
                ways_.push_back({upper_found.way, lower_found.way, static_cast<std::uint32_t>(state), below.node});
            }
        }
    }
    return true;
}

// Something must have stopped on its own where not everything is done.
void HistorySearch::finish() {
    std::map<ProgramAnswer, std::vector<NodeState>> answers;
    for (std::size_t i = 0; i < domains_[0].size(); ++i) {
        const Neighbours::At root{0, domains_[0][i]};
        for (const auto& [partial, found] : tables_[0][i]) {
            for (const auto& own : own_stops(program_, root, partial.tie)) {
                const ProgramAnswer answer = own ? earliest(partial.answer, {*own}) : partial.answer;
                if (answer.empty() && !(partial.complete && program_.done(0, root.state))) continue;
                if (answers.count(answer) == 0) answers.emplace(answer, states_of(root, found.way));
                histories_ = plus(histories_, found.count);
            }
        }
    }
    for (auto& [answer, states] : answers) examples_.push_back({answer, std::move(states)});
}

// The state of each node in this history.
std::vector<NodeState> HistorySearch::states_of(const Neighbours::At& root, std::uint32_t last) const {
    std::vector<NodeState> states(domains_.size());
    states[root.node] = root.state;
    std::vector<std::uint32_t> open{last};
    while (!open.empty()) {
        const std::uint32_t which = open.back();
        open.pop_back();
        if (which == no_way) continue;
        const Way& way = ways_[which];
        states[way.child] = domains_[way.child][way.state];
        open.push_back(way.without);
        open.push_back(way.of_child);
    }
    return states;
}

}  // namespace tmon_models
