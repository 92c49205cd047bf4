#include <topologies/link_speeds.hpp>

#include <algorithm>
#include <set>

#include <vocabulary/contract.hpp>

namespace topologies {

std::int64_t switch_speed(const MachineDescription& machine, SwitchId which) {
    EXPECTS(which.value() < machine.switches.size(), "link_speeds.switch_in_machine");
    const std::int64_t own = machine.switches[which.value()].link_bits_per_second;
    return own != 0 ? own : machine.link_bits_per_second;
}

std::int64_t control_speed(const MachineDescription& machine, const std::vector<SwitchId>& along) {
    EXPECTS(!along.empty(), "link_speeds.control_of_a_switch");
    std::int64_t slowest = switch_speed(machine, along.front());
    for (const SwitchId which : along) slowest = std::min(slowest, switch_speed(machine, which));
    return slowest;
}

std::int64_t link_speed(const MachineDescription& machine, const WireEnd& end) {
    if (const auto* way = std::get_if<SwitchWay>(&end)) return switch_speed(machine, way->which);
    if (const auto* link = std::get_if<NodeLink>(&end)) {
        EXPECTS(link->node.value() < machine.nodes.size() && link->link.value() < links_per_node,
                "link_speeds.link_in_machine");
        const std::int64_t own = machine.nodes[link->node.value()].link_bits_per_second[link->link.value()];
        return own != 0 ? own : machine.link_bits_per_second;
    }
    for (const Wire& wire : machine.wires) {
        const bool from_host = wire.a == end;
        if (!from_host && wire.b != end) continue;
        const WireEnd& far = from_host ? wire.b : wire.a;
        if (!std::holds_alternative<HostEnd>(far)) return link_speed(machine, far);
    }
    return machine.link_bits_per_second;
}

std::vector<std::int64_t> wire_speeds(const MachineDescription& machine) {
    std::set<std::int64_t> speeds;
    for (const Wire& wire : machine.wires)
        speeds.insert(link_speed(machine, std::holds_alternative<HostEnd>(wire.a) ? wire.b : wire.a));
    if (speeds.empty()) speeds.insert(machine.link_bits_per_second);
    return {speeds.begin(), speeds.end()};
}

void leave_out_equal_speeds(MachineDescription& machine) {
    const auto leave_out = [&machine](std::int64_t& speed) {
        if (speed == machine.link_bits_per_second) speed = 0;
    };
    for (NodeDescription& node : machine.nodes)
        std::for_each(node.link_bits_per_second.begin(), node.link_bits_per_second.end(), leave_out);
    for (SwitchDescription& one : machine.switches) leave_out(one.link_bits_per_second);
}

}  // namespace topologies
