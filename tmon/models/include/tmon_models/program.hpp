// Program: a fault model without choice on a given tree, for a given number of units. Each node runs one process. Its blocks
// are the steps of its places in order, one unit after the other. The moves of a block may come in any order. A process whose
// step moves nothing is a block without moves: no record tells when the node leaves it. Cost: memory for three places a node,
// whatever the number of units; constant time a question.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include <farm_spec/farm_tree.hpp>
#include <tmon_models/fault_model.hpp>
#include <trace_record/event.hpp>

namespace tmon_models {

// One end of a message over a link of the tree.
struct Move {
    bool send = false;
    std::uint16_t peer = 0;
    std::size_t message = 0;  // index into FaultModel::messages

    friend bool operator==(const Move&, const Move&) = default;
};

struct Block {
    const Step* step = nullptr;
    bool sends = false;
    std::vector<Move> moves;
};

// How far a node has come: all blocks before `block`, and the moves of `mask` in it. A full block counts as the next one; one
// without moves is never full.
struct NodeState {
    std::uint64_t block = 0;
    std::uint32_t mask = 0;

    friend auto operator<=>(const NodeState&, const NodeState&) = default;
};

class Program {
public:
    // The model must be fixed (FaultModel::is_fixed()) and outlive the program. Throws vocabulary::RequestError when a node
    // would have more than 30 moves in a block.
    Program(const FaultModel& model, const farm_spec::FarmSpec& spec);

    const FaultModel& model() const { return model_; }
    const farm_spec::FarmTree& tree() const { return tree_; }
    std::uint32_t units() const { return units_; }

    std::uint64_t blocks(std::uint16_t node) const;
    const Block& block(std::uint16_t node, std::uint64_t number) const;
    std::uint32_t unit_of(std::uint16_t node, std::uint64_t block) const;
    std::uint64_t moves_before(std::uint16_t node, std::uint64_t block) const;

    struct Spot {
        std::uint64_t block = 0;
        unsigned move = 0;  // index in its block
    };
    // The place of this move of this unit in the node's program. Empty when the program has none.
    std::optional<Spot> find(std::uint16_t node, std::uint32_t unit, const Move& move) const;
    // The move that a record tells of. Empty when it fits no message of the model.
    std::optional<Move> move_of(const trace_record::Event& event) const;

    // The record of this move of a node in this block, without number and time.
    trace_record::Event record_of(std::uint16_t node, std::uint64_t block, const Move& move) const;

    bool done(std::uint16_t node, const NodeState& state) const { return state.block == blocks(node); }
    bool has_done(const NodeState& state, const Spot& spot) const {
        return state.block > spot.block || (state.block == spot.block && (state.mask >> spot.move & 1U) != 0);
    }
    std::uint64_t moves_done(std::uint16_t node, const NodeState& state) const;
    // The next state when the block of this one is full.
    NodeState normal(std::uint16_t node, NodeState state) const;

private:
    // Blocks of one unit of work.
    struct Pattern {
        std::vector<Block> blocks;
        std::vector<std::uint64_t> moves_before{0};  // one more than blocks
    };
    struct NodePatterns {
        Pattern first, other, last;
    };
    struct Where {
        const Pattern* pattern = nullptr;
        std::uint32_t unit = 0;
        std::size_t block = 0;  // in the pattern
    };

    Pattern pattern(std::uint16_t node, For which) const;
    const Place* place(std::uint16_t node, For which) const;
    std::vector<Move> moves(std::uint16_t node, const Step& step) const;
    const Pattern& pattern_of(std::uint16_t node, std::uint32_t unit) const;
    template <class Count>
    std::uint64_t sum_below(std::uint16_t node, std::uint32_t unit, const Count& count) const;
    std::uint64_t first_block(std::uint16_t node, std::uint32_t unit) const;
    std::uint64_t moves_before_unit(std::uint16_t node, std::uint32_t unit) const;
    Where where(std::uint16_t node, std::uint64_t block) const;

    const FaultModel& model_;
    farm_spec::FarmTree tree_;
    std::uint32_t units_;
    std::vector<NodePatterns> nodes_;
};

}  // namespace tmon_models
