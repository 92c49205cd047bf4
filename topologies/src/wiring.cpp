#include "wiring.hpp"

#include <vocabulary/contract.hpp>

namespace topologies {

EndIndex::EndIndex(const MachineDescription& machine)
    : host_(machine.nodes.size() * links_per_node), switches_(machine.switches.size()) {}

bool EndIndex::contains(const WireEnd& end) const {
    if (const auto* link = std::get_if<NodeLink>(&end)) {
        return link->node.value() < host_ / links_per_node && link->link.value() < links_per_node;
    }
    if (const auto* way = std::get_if<SwitchWay>(&end)) {
        return way->which.value() < switches_ && way->way.value() < ways_per_switch;
    }
    return std::get<HostEnd>(end).link.value() < host_connections;
}

std::size_t EndIndex::of(const WireEnd& end) const {
    EXPECTS(contains(end), "wiring.end_in_machine");
    if (const auto* link = std::get_if<NodeLink>(&end)) return link->node.value() * links_per_node + link->link.value();
    if (const auto* way = std::get_if<SwitchWay>(&end)) {
        return first_way() + way->which.value() * ways_per_switch + way->way.value();
    }
    return host_ + std::get<HostEnd>(end).link.value();
}

WireEnd EndIndex::end(std::size_t index) const {
    EXPECTS(index < size(), "wiring.index_in_machine");
    if (index < host_) {
        return NodeLink{NodeId(static_cast<NodeId::value_type>(index / links_per_node)),
                        LinkNo(static_cast<LinkNo::value_type>(index % links_per_node))};
    }
    if (index < first_way()) return HostEnd{LinkNo(static_cast<LinkNo::value_type>(index - host_))};
    const std::size_t way = index - first_way();
    return SwitchWay{SwitchId(static_cast<SwitchId::value_type>(way / ways_per_switch)),
                     WayNo(static_cast<WayNo::value_type>(way % ways_per_switch))};
}

Wiring::Wiring(const MachineDescription& machine) : ends_(machine), cable_(ends_.size()), joined_(ends_.size()) {
    const auto tie = [](auto& table, std::size_t a, std::size_t b) {
        EXPECTS(!table[a] && !table[b] && a != b, "wiring.end_used_once");
        table[a] = b;
        table[b] = a;
    };
    for (const Wire& wire : machine.wires) tie(cable_, ends_.of(wire.a), ends_.of(wire.b));
    for (std::size_t s = 0; s < machine.switches.size(); ++s) {
        const SwitchId which(static_cast<SwitchId::value_type>(s));
        for (const auto& [a, b] : machine.switches[s].connections) {
            tie(joined_, ends_.of(SwitchWay{which, a}), ends_.of(SwitchWay{which, b}));
        }
    }
}

}  // namespace topologies
