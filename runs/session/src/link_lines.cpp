#include "link_lines.hpp"

#include <map>

#include <topologies/end_names.hpp>
#include <topologies/network.hpp>

namespace session {

using topologies::WireEnd;
using vocabulary::LinkNo;
using vocabulary::NodeId;

namespace {

const hw_model::LinkEnd* link_at(const hw_model::Machine& machine, const WireEnd& end) {
    if (const auto* link = std::get_if<topologies::NodeLink>(&end)) return machine.node(link->node).link(link->link);
    return machine.node(machine.host()).link(std::get<topologies::HostEnd>(end).link);
}

struct Partners {
    std::map<WireEnd, WireEnd> of;
    std::vector<WireEnd> met;  // keys of `of`, as they came

    void meet(const topologies::Network& network) {
        for (const auto& path : network.paths()) {
            meet(path.a, path.b);
            meet(path.b, path.a);
        }
    }
    void meet(const WireEnd& from, const WireEnd& to) {
        if (of.insert_or_assign(from, to).second) met.push_back(from);
    }
};

Partners partners(const hw_model::Machine& machine, const std::vector<topologies::Reconfiguration>& orders,
                  const std::vector<trollius_hosted::Reconfigured>& done) {
    Partners result;
    result.meet(machine.network());
    topologies::MachineDescription now = machine.description();
    for (std::size_t i = 0; i < done.size(); ++i) {
        if (!done[i].switched || done[i].switches == 0) continue;
        for (const auto& setting : orders[i].settings) now.switches[setting.which.value()].connections = setting.connections;
        result.meet(topologies::Network(now));
    }
    return result;
}

}  // namespace

std::vector<LinkLine> link_lines(const hw_model::Machine& machine, const std::vector<topologies::Reconfiguration>& orders,
                                 const std::vector<trollius_hosted::Reconfigured>& done) {
    const Partners known = partners(machine, orders, done);
    const topologies::MachineDescription& description = machine.description();
    std::vector<LinkLine> lines;
    for (const WireEnd& from : known.met) {
        lines.push_back({topologies::end_name(description, from), topologies::end_name(description, known.of.at(from)),
                         link_at(machine, from)->totals()});
    }
    if (done.empty()) return lines;
    for (std::size_t i = 0; i <= machine.node_count(); ++i) {
        const NodeId node(static_cast<NodeId::value_type>(i));
        for (std::uint8_t number = 0; number < topologies::links_per_node; ++number) {
            const LinkNo link(number);
            const WireEnd from =
                node == machine.host() ? WireEnd(topologies::HostEnd{link}) : WireEnd(topologies::NodeLink{node, link});
            const hw_model::LinkEnd* end = machine.node(node).link(link);
            if (end == nullptr || known.of.count(from) > 0) continue;
            LinkLine line{topologies::end_name(description, from), "-", end->totals()};
            if (line.used()) lines.push_back(std::move(line));
        }
    }
    return lines;
}

}  // namespace session
