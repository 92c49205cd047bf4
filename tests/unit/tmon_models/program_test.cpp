// Program: blocks of nodes, and the way from a record to its move.
#include <gtest/gtest.h>

#include <tmon_models/program.hpp>

namespace {

using tmon_models::Move;
using tmon_models::NodeState;
using tmon_models::Program;

farm_spec::FarmSpec chain(std::uint32_t nodes, std::uint32_t units) {
    farm_spec::FarmSpec spec;
    spec.nodes = nodes;
    spec.tree = farm_spec::TreeKind::Chain;
    spec.tasks = units;
    spec.model = "halo";
    return spec;
}

TEST(ProgramOfAModel, HasTwoBlocksForEachUnitOfAHalo) {
    const Program program(tmon_models::built_in("halo"), chain(3, 4));
    EXPECT_EQ(program.blocks(0), 8U);
    EXPECT_EQ(program.block(0, 0).moves.size(), 1U);
    EXPECT_EQ(program.block(1, 2).moves.size(), 2U);
    EXPECT_EQ(program.block(1, 0).step->by, "initial_fn()");
    EXPECT_EQ(program.block(1, 2).step->by, "step_fn()");
    EXPECT_EQ(program.block(1, 6).step->by, "step_fn()");
    EXPECT_EQ(program.unit_of(1, 7), 3U);
    EXPECT_EQ(program.moves_before(1, 8), 16U);
    EXPECT_EQ(program.moves_done(1, {3, 2}), 7U);
    EXPECT_EQ(program.normal(1, {3, 3}), (NodeState{4, 0}));
}

TEST(ProgramOfAModel, FindsTheMoveOfARecord) {
    const Program program(tmon_models::built_in("halo"), chain(3, 4));
    trace_record::Event event;
    event.node = 1;
    event.peer = 0;
    event.task = 2;
    event.kind = trace_record::EventKind::Send;
    event.is_result = 1;
    const auto move = program.move_of(event);
    ASSERT_TRUE(move);
    EXPECT_EQ(*move, (Move{true, 0, 0}));
    const auto spot = program.find(1, 2, *move);
    ASSERT_TRUE(spot);
    EXPECT_EQ(spot->block, 4U);
    event.is_result = 0;
    EXPECT_FALSE(program.move_of(event)) << "the flag says down, the nodes say up";
    event.peer = 7;
    EXPECT_FALSE(program.move_of(event));
    EXPECT_FALSE(program.find(1, 4, *move)) << "there are four units";
}

TEST(ProgramOfAModel, OneUnitIsTheFirst) {
    const Program program(tmon_models::built_in("halo"), chain(2, 1));
    EXPECT_EQ(program.blocks(1), 2U);
    EXPECT_EQ(program.moves_before(1, 2), 2U);
    EXPECT_EQ(Program(tmon_models::built_in("halo"), chain(2, 0)).blocks(0), 0U);
}

}  // namespace
