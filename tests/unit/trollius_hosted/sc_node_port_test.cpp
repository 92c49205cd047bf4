// The kernel's port on a modelled node: calls that need a process or an interrupt line.
#include <trollius_hosted/sc_node_port.hpp>

#include <gtest/gtest.h>

#include "test_multicomputer.hpp"

namespace {

class ScNodePortDeathTest : public testing::Test {
protected:
    hw_model::Machine machine{"machine", topologies::chain(2), test_support::standard_costs(), 1};
    trollius_hosted::ScNodePort port{machine.node(vocabulary::NodeId(0)), machine.timeline(), machine.link_timing()};
};

}  // namespace

TEST_F(ScNodePortDeathTest, ChargingOutsideAProcessIsABrokenContract) {
    EXPECT_DEATH(port.charge(vocabulary::Cycles(1)), "sc_node_port.outside_a_process");
}

TEST_F(ScNodePortDeathTest, MovingTheInterruptLineOfANodeWithoutOneIsABrokenContract) {
    EXPECT_DEATH(port.move_interrupt_line(true), "sc_node_port.no_interrupt_line");
}
