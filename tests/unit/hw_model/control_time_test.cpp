// The calculated time of a change of switches, held against the control connections of the modelled machine.
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include <hw_model/control_time.hpp>
#include <hw_model/machine.hpp>
#include <topologies/rewiring.hpp>
#include <topologies/shapes.hpp>
#include <topologies/ubc_machine.hpp>

#include "child_process.hpp"
#include "hw_bench.hpp"

namespace {

using hw_model::ControlTime;
using hw_model::SwitchSetting;
using vocabulary::SimTime;

struct Change {
    topologies::MachineDescription machine;
    std::vector<SwitchSetting> from, to;
};

Change change_of(const char* present, const char* wanted) {
    Change change{topologies::ubc_machine(), {}, {}};
    change.machine =
        topologies::rewired(change.machine, topologies::rewiring_to(change.machine, topologies::make_shape(present)));
    change.to = topologies::rewiring_to(change.machine, topologies::make_shape(wanted)).settings;
    for (const SwitchSetting& one : change.to)
        change.from.push_back({one.which, change.machine.switches[one.which.value()].connections});
    return change;
}

// The time and the bytes that the modelled machine takes.
using Figures = std::array<std::int64_t, 2>;
Figures modelled(const Change& change, const topologies::CostTable& costs) {
    const auto result = test_support::in_child([&] {
        hw_model::Machine machine("machine", change.machine, costs, 1);
        machine.connect_switches();
        hw_model::SwitchProgram program(machine);
        std::optional<hw_model::ProgrammedSwitches> done;
        program.change(change.from, change.to, [&](const hw_model::ProgrammedSwitches& its) { done = its; });
        while (!done) machine.run_until(machine.timeline().next_time());
        return Figures{(done->ended - done->began).in_ps(), static_cast<std::int64_t>(done->bytes)};
    });
    return result.value_or(Figures());
}

void expect_equal(const Change& change, const topologies::CostTable& costs) {
    const ControlTime calculated = hw_model::control_time(change.machine, costs, change.from, change.to);
    EXPECT_EQ(modelled(change, costs), (Figures{calculated.time.in_ps(), static_cast<std::int64_t>(calculated.bytes)}));
}

}  // namespace

TEST(ControlTime, IsThatOfTheModelledMachine) {
    expect_equal(change_of("chain:6", "ring:16"), hw_test::costs());
    expect_equal(change_of("ring:60", "chain:20"), hw_test::costs());
    expect_equal(change_of("chain:6", "chain:7"), hw_test::costs());
}

TEST(ControlTime, FollowsTheCostTable) {
    topologies::CostTable costs = hw_test::costs();
    costs.set("switch.internal", 5, "a test");
    costs.set("control.forward", 40, "a test");
    costs.set("host.operation", 3, "a test");
    expect_equal(change_of("ring:16", "chain:40"), costs);
}

TEST(ControlTime, IsByteTimesWhereNothingElseCosts) {
    // One switch next to the host: request and answer each pass one controller. 11 bit times of 50 ns a byte.
    topologies::CostTable costs = hw_test::costs();
    for (const char* none : {"switch.internal", "control.forward", "host.operation"}) costs.set(none, 0, "a test");
    topologies::MachineDescription machine = topologies::make_shape("chain:2", {.through_switches = true, .gateway = false});
    const std::vector<SwitchSetting> from{{vocabulary::SwitchId(0), machine.switches[0].connections}};
    const std::vector<SwitchSetting> to{{vocabulary::SwitchId(0), {}}};
    const ControlTime calculated = hw_model::control_time(machine, costs, from, to);
    const std::int64_t connections = static_cast<std::int64_t>(machine.switches[0].connections.size());
    const SimTime byte = hw_model::link_timing(costs, machine.link_bits_per_second).byte_one_way[0];
    EXPECT_EQ(calculated.bytes, static_cast<std::uint64_t>(3 * connections + 64));
    // Down: header and bytes of both requests; the 64 enquiries on the configuration link; the last reply; header and replies
    // up.
    EXPECT_EQ(calculated.time, byte * (4 + 3 * connections + 4 + 64 + 64 + 1 + 4 + 32));
}

TEST(ControlTimeDeathTest, NeedsPairsAndSwitchesOnALine) {
    const topologies::MachineDescription machine = topologies::ubc_machine();
    EXPECT_DEATH(hw_model::control_time(machine, hw_test::costs(), {}, {{vocabulary::SwitchId(0), {}}}), "control_time.pairs");
    topologies::MachineDescription loose = machine;
    loose.control = {{vocabulary::SwitchId(0)}};
    const std::vector<SwitchSetting> from{{vocabulary::SwitchId(1), {}}};
    const std::vector<SwitchSetting> to{{vocabulary::SwitchId(1), {{vocabulary::WayNo(0), vocabulary::WayNo(1)}}}};
    EXPECT_DEATH(hw_model::control_time(loose, hw_test::costs(), from, to), "control_time.switch_on_a_line");
}
