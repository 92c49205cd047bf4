#include <tmon_models/program.hpp>

#include <algorithm>

#include <vocabulary/source_position.hpp>

namespace tmon_models {

namespace {

constexpr std::size_t most_moves = 30;  // bits of a mask

}  // namespace

Program::Program(const FaultModel& model, const farm_spec::FarmSpec& spec)
    : model_(model), tree_(spec), units_(spec.tasks), nodes_(spec.nodes) {
    for (const std::uint16_t node : tree_.from_the_top())
        nodes_[node] = {pattern(node, For::First), pattern(node, For::Each), pattern(node, For::Last)};
}

const Place* Program::place(std::uint16_t node, For which) const {
    const bool is_leaf = tree_.children(node).empty();
    const auto is_at = [&](At at) {
        switch (at) {
            case At::Root:
                return node == 0;
            case At::Worker:
                return node != 0;
            case At::Inner:
                return node != 0 && !is_leaf;
            case At::Leaf:
                return node != 0 && is_leaf;
            case At::EveryNode:
                break;
        }
        return true;
    };
    const auto found = std::find_if(model_.places.begin(), model_.places.end(), [&](const Place& each) {
        return is_at(each.at) && (each.units == For::Each || each.units == which);
    });
    return found != model_.places.end() ? &*found : nullptr;
}

std::vector<Move> Program::moves(std::uint16_t node, const Step& step) const {
    std::vector<Move> moves;
    if (step.what == Step::What::Compute) return moves;
    const auto add = [&](std::uint16_t peer) { moves.push_back({step.what == Step::What::Send, peer, step.message}); };
    const auto parent = tree_.parent(node);
    const bool to_parent = step.peer == Peer::Parent || step.peer == Peer::EachNeighbour;
    if (to_parent && parent) add(*parent);
    if (step.peer == Peer::EachChild || step.peer == Peer::EachNeighbour)
        for (const std::uint16_t child : tree_.children(node)) add(child);
    return moves;
}

Program::Pattern Program::pattern(std::uint16_t node, For which) const {
    Pattern pattern;
    const Place* const found = place(node, which);
    if (found == nullptr) return pattern;
    for (const Step& step : found->steps) {
        Block block{&step, step.what == Step::What::Send, moves(node, step)};
        if (block.moves.empty() && step.by.empty()) continue;
        if (block.moves.size() > most_moves)
            throw vocabulary::RequestError("node " + std::to_string(node) + " has more than " + std::to_string(most_moves) +
                                           " neighbours; a fault model takes no more");
        pattern.moves_before.push_back(pattern.moves_before.back() + block.moves.size());
        pattern.blocks.push_back(std::move(block));
    }
    return pattern;
}

const Program::Pattern& Program::pattern_of(std::uint16_t node, std::uint32_t unit) const {
    const NodePatterns& patterns = nodes_[node];
    return unit == 0 ? patterns.first : unit + 1 == units_ ? patterns.last : patterns.other;
}

// The sum of what each unit below this one has of something.
template <class Count>
std::uint64_t Program::sum_below(std::uint16_t node, std::uint32_t unit, const Count& count) const {
    const NodePatterns& patterns = nodes_[node];
    if (unit == 0) return 0;
    if (units_ == 1) return count(patterns.first);
    const std::uint64_t others = std::min(unit, units_ - 1) - std::uint64_t{1};
    return count(patterns.first) + others * count(patterns.other) + (unit == units_ ? count(patterns.last) : 0);
}

std::uint64_t Program::first_block(std::uint16_t node, std::uint32_t unit) const {
    return sum_below(node, unit, [](const Pattern& pattern) { return std::uint64_t{pattern.blocks.size()}; });
}

std::uint64_t Program::moves_before_unit(std::uint16_t node, std::uint32_t unit) const {
    return sum_below(node, unit, [](const Pattern& pattern) { return pattern.moves_before.back(); });
}

std::uint64_t Program::blocks(std::uint16_t node) const {
    return first_block(node, units_);
}

Program::Where Program::where(std::uint16_t node, std::uint64_t block) const {
    const NodePatterns& patterns = nodes_[node];
    const std::uint64_t first = patterns.first.blocks.size(), each = patterns.other.blocks.size();
    if (block < first) return {&patterns.first, 0, static_cast<std::size_t>(block)};
    const std::uint64_t others = units_ > 2 ? units_ - std::uint64_t{2} : 0, rest = block - first;
    if (rest < others * each)
        return {&patterns.other, static_cast<std::uint32_t>(1 + rest / each), static_cast<std::size_t>(rest % each)};
    return {&patterns.last, units_ - 1, static_cast<std::size_t>(rest - others * each)};
}

const Block& Program::block(std::uint16_t node, std::uint64_t number) const {
    const Where at = where(node, number);
    return at.pattern->blocks[at.block];
}

std::uint32_t Program::unit_of(std::uint16_t node, std::uint64_t block) const {
    return where(node, block).unit;
}

std::uint64_t Program::moves_before(std::uint16_t node, std::uint64_t block) const {
    if (units_ == 0) return 0;
    if (block == blocks(node)) return moves_before_unit(node, units_);
    const Where at = where(node, block);
    return moves_before_unit(node, at.unit) + at.pattern->moves_before[at.block];
}

std::optional<Program::Spot> Program::find(std::uint16_t node, std::uint32_t unit, const Move& move) const {
    if (unit >= units_) return std::nullopt;
    const std::vector<Block>& blocks = pattern_of(node, unit).blocks;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const auto found = std::find(blocks[i].moves.begin(), blocks[i].moves.end(), move);
        if (found == blocks[i].moves.end()) continue;
        return Spot{first_block(node, unit) + i, static_cast<unsigned>(found - blocks[i].moves.begin())};
    }
    return std::nullopt;
}

std::optional<Move> Program::move_of(const trace_record::Event& event) const {
    using trace_record::EventKind;
    if (event.kind != EventKind::Send && event.kind != EventKind::Receive) return std::nullopt;
    if (event.node >= nodes_.size() || event.peer >= nodes_.size() || event.subtask != 0) return std::nullopt;
    if (!tree_.has(event.node) || !tree_.has(event.peer)) return std::nullopt;
    const bool send = event.kind == EventKind::Send;
    const bool at_child = tree_.parent(event.node) == event.peer;
    if (!at_child && tree_.parent(event.peer) != event.node) return std::nullopt;
    const bool up = at_child == send;
    if ((event.is_result != 0) != up) return std::nullopt;
    for (std::size_t i = 0; i < model_.messages.size(); ++i) {
        const Way way = model_.messages[i].way;
        if (way == Way::Both || (way == Way::Up) == up) return Move{send, event.peer, i};
    }
    return std::nullopt;
}

trace_record::Event Program::record_of(std::uint16_t node, std::uint64_t block, const Move& move) const {
    trace_record::Event event;
    event.node = node;
    event.peer = move.peer;
    event.kind = move.send ? trace_record::EventKind::Send : trace_record::EventKind::Receive;
    event.task = unit_of(node, block);
    const bool at_child = tree_.parent(node) == move.peer;
    event.is_result = at_child == move.send ? 1 : 0;
    return event;
}

std::uint64_t Program::moves_done(std::uint16_t node, const NodeState& state) const {
    return moves_before(node, state.block) + static_cast<std::uint64_t>(__builtin_popcount(state.mask));
}

NodeState Program::normal(std::uint16_t node, NodeState state) const {
    if (done(node, state)) return state;
    const std::size_t moves = block(node, state.block).moves.size();
    if (moves > 0 && state.mask == (1U << moves) - 1U) return {state.block + 1, 0};
    return state;
}

}  // namespace tmon_models
