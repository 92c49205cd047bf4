#include <tmon_models/model_check.hpp>

#include <algorithm>
#include <vector>

namespace tmon_models {

namespace {

class FreeRun {
public:
    FreeRun(const Program& program, std::size_t nodes) : program_(program), states_(nodes) {}

    std::optional<std::string> stuck() {
        const auto& nodes = program_.tree().from_the_top();
        for (bool moved = true; moved;) {
            moved = false;
            for (const std::uint16_t node : nodes) moved = go_on(node) || moved;
        }
        for (const std::uint16_t node : nodes)
            if (!program_.done(node, states_[node])) return text_of(node);
        return std::nullopt;
    }

private:
    bool go_on(std::uint16_t node) {
        bool moved = false;
        while (!program_.done(node, states_[node])) {
            const Block& block = program_.block(node, states_[node].block);
            const NodeState before = states_[node];
            if (block.moves.empty()) ++states_[node].block;
            for (unsigned i = 0; i < block.moves.size() && states_[node].block == before.block; ++i)
                if ((states_[node].mask >> i & 1U) == 0 && may(node, block.moves[i])) finish(node, i);
            if (states_[node] == before) break;
            moved = true;
        }
        return moved;
    }

    void finish(std::uint16_t node, unsigned move) {
        states_[node].mask |= 1U << move;
        states_[node] = program_.normal(node, states_[node]);
    }

    // A synchronous message moves at its receiver, and the sender follows.
    bool may(std::uint16_t node, const Move& move) const {
        const bool synchronous = program_.model().messages[move.message].synchronous;
        if (move.send && !synchronous) return true;
        const std::uint32_t unit = program_.unit_of(node, states_[node].block);
        const auto other = program_.find(move.peer, unit, {!move.send, node, move.message});
        if (!other) return false;
        if (move.send || !synchronous) return program_.has_done(states_[move.peer], *other);
        return states_[move.peer].block == other->block;
    }

    std::string text_of(std::uint16_t node) const {
        const Block& block = program_.block(node, states_[node].block);
        const auto open = [&](unsigned i) { return (states_[node].mask >> i & 1U) == 0; };
        unsigned first = 0;
        while (!open(first)) ++first;
        const Move& move = block.moves[first];
        return "node " + std::to_string(node) + (move.send ? " cannot send " : " waits for ") +
               program_.model().messages[move.message].name + (move.send ? " to node " : " of node ") +
               std::to_string(move.peer) + " in " + program_.model().unit + " " +
               std::to_string(program_.unit_of(node, states_[node].block));
    }

    const Program& program_;
    std::vector<NodeState> states_;
};

}  // namespace

std::optional<std::string> stuck_at(const FaultModel& model, const farm_spec::FarmSpec& spec) {
    farm_spec::FarmSpec few = spec;
    few.tasks = std::min(spec.tasks, 4U);
    return FreeRun(Program(model, few), spec.nodes).stuck();
}

}  // namespace tmon_models
