// Two nodes whose links are wired to ways 3 and 29 of one C004 in reset state, and configuration bytes for it.
#pragma once

#include <initializer_list>

#include "hw_bench.hpp"
#include "link_pair.hpp"

namespace hw_test {

using vocabulary::SwitchId;
using vocabulary::WayNo;

inline topologies::MachineDescription two_nodes_and_a_switch() {
    using topologies::NodeLink;
    using topologies::SwitchWay;
    topologies::MachineDescription result = topologies::chain(2);
    const topologies::WireEnd a = NodeLink{NodeId(0), LinkNo(1)}, b = NodeLink{NodeId(1), LinkNo(0)};
    std::erase_if(result.wires, [&](const topologies::Wire& wire) { return wire.a == a || wire.b == a; });
    result.switches.push_back({"x0", {}});
    result.wires.push_back({a, SwitchWay{SwitchId(0), WayNo(3)}});
    result.wires.push_back({b, SwitchWay{SwitchId(0), WayNo(29)}});
    result.unreachable_allowed = true;
    return result;
}

class SwitchBench {
public:
    // `listens`: takes the switch's replies away from the control line.
    explicit SwitchBench(const topologies::CostTable& prices = costs(), bool listens = true,
                         hw_model::LinkLevel level = hw_model::LinkLevel::Message)
        : machine("machine", two_nodes_and_a_switch(), prices, 1, options(level)), script(machine.timeline()) {
        if (listens) which().on_reply([this](std::uint8_t reply) { replies.push_back(reply); });
    }
    hw_model::LinkSwitch& which() { return machine.link_switch(SwitchId(0)); }
    void configure(std::initializer_list<int> bytes) {
        for (const int byte : bytes) which().configure(static_cast<std::uint8_t>(byte));
    }
    // Gives the bytes and waits until they have acted.
    void after(std::initializer_list<int> bytes) {
        configure(bytes);
        machine.run_until(machine.timeline().now() + SimTime::us(100));
    }
    int input_of(int output) {
        const auto input = which().input_of(WayNo(static_cast<WayNo::value_type>(output)));
        return input ? input->value() : -1;
    }

    hw_model::Machine machine;
    Script script;
    std::vector<int> replies;

private:
    static hw_model::MachineOptions options(hw_model::LinkLevel level) {
        hw_model::MachineOptions result;
        result.links = level;
        return result;
    }
};

}  // namespace hw_test
