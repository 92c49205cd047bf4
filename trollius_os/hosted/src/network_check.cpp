#include <trollius_hosted/network_check.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <topologies/end_names.hpp>
#include <topologies/network.hpp>
#include <trollius_hosted/neighbour_look_up.hpp>

#include <text/time_text.hpp>

namespace trollius_hosted {
namespace {

using topologies::MachineDescription;
using topologies::NodeLink;
using topologies::WireEnd;
using vocabulary::LinkNo;
using vocabulary::NodeId;

using Pair = std::pair<std::size_t, std::size_t>;  // node numbers, the lower first; the host is the highest

hw_model::ProgrammedSwitches program(hw_model::Machine& machine) {
    std::vector<topologies::SwitchSetting> settings;
    const auto& switches = machine.description().switches;
    for (std::size_t s = 0; s < switches.size(); ++s)
        settings.push_back({vocabulary::SwitchId(static_cast<vocabulary::SwitchId::value_type>(s)), switches[s].connections});
    hw_model::SwitchProgram job(machine);
    hw_model::ProgrammedSwitches result;
    bool done = false;
    job.set_up(settings, [&](const hw_model::ProgrammedSwitches& programmed) {
        result = programmed;
        done = true;
    });
    // Every request is answered, if only by a controller that has waited in vain.
    while (!done) machine.run_until(machine.timeline().next_time());
    return result;
}

class Comparison {
public:
    Comparison(const MachineDescription& machine, const MachineDescription& wanted, std::vector<std::string>& differences)
        : machine_(machine), wanted_(wanted), host_(machine.nodes.size()), differences_(differences) {
        const topologies::Network network(wanted);
        for (const topologies::Path& path : network.paths()) {
            ++edges_;
            ++missing_[pair_of(node_of(path.a), node_of(path.b))];
        }
    }
    std::size_t edges() const { return edges_; }

    void run(const DiscoveredNetwork& found) {
        for (std::size_t node = 0; node <= host_; ++node) {
            for (LinkNo::value_type link = 0; link < topologies::links_per_node; ++link)
                look_at(found, {NodeId(static_cast<NodeId::value_type>(node)), LinkNo(link)});
        }
        for (const auto& [nodes, count] : missing_) {
            if (count == 0) continue;
            differences_.push_back(fmt::format("{} - {} is wanted and was not found{}", name(nodes.first), name(nodes.second),
                                               count == 1 ? "" : fmt::format(", {} times", count)));
        }
    }

private:
    // In the numbers of the machine. Only link ends of nodes and of the host have neighbours.
    std::size_t node_of(const WireEnd& end) const {
        const auto* link = std::get_if<NodeLink>(&end);
        return link ? link->node.value() : host_;
    }
    static Pair pair_of(std::size_t a, std::size_t b) { return {std::min(a, b), std::max(a, b)}; }
    std::string name(std::size_t node) const {
        return node == host_ ? "host" : topologies::node_name(NodeId(static_cast<NodeId::value_type>(node)));
    }
    WireEnd as_end(const NodeLink& link) const {
        return link.node.value() == host_ ? WireEnd(topologies::HostEnd{link.link}) : WireEnd(link);
    }
    bool is_wanted(std::size_t node) const { return node == host_ ? !wanted_.without_host : node < wanted_.nodes.size(); }
    bool soldered(const NodeLink& a, const NodeLink& b) const {
        return std::any_of(machine_.wires.begin(), machine_.wires.end(), [&](const topologies::Wire& wire) {
            return (wire.a == as_end(a) && wire.b == as_end(b)) || (wire.a == as_end(b) && wire.b == as_end(a));
        });
    }

    void look_at(const DiscoveredNetwork& found, const NodeLink& near) {
        const auto& seen = found.neighbour(near.node, near.link);
        if (!seen) return;
        const NodeLink far{seen->node, seen->link};
        const std::string here = topologies::end_name(machine_, as_end(near));
        if (far.node.value() > host_ || far.link.value() >= topologies::links_per_node) {  // damaged on the way
            differences_.push_back(fmt::format("{} hears a link that {} does not have", here, machine_.name));
            return;
        }
        const std::string there = topologies::end_name(machine_, as_end(far));
        const auto& back = found.neighbour(far.node, far.link);
        if (back != DiscoveredNetwork::Seen{near.node, near.link}) {
            differences_.push_back(fmt::format("{} hears {}, but {} does not hear it", here, there, there));
        } else if (near < far) {
            const std::size_t a = near.node.value(), b = far.node.value();
            const auto wanted = missing_.find(pair_of(a, b));
            if (wanted != missing_.end() && wanted->second > 0) {
                --wanted->second;
            } else if ((is_wanted(a) && is_wanted(b)) || !soldered(near, far)) {
                differences_.push_back(fmt::format("{} - {} was found and is not wanted", here, there));
            }
        }
    }

    const MachineDescription& machine_;
    const MachineDescription& wanted_;
    std::size_t host_;
    std::vector<std::string>& differences_;
    std::map<Pair, std::size_t> missing_;
    std::size_t edges_ = 0;
};

}  // namespace

NetworkCheck check_network(hw_model::Machine& machine, const MachineDescription& wanted) {
    NetworkCheck check;
    check.programmed = program(machine);
    for (const auto& line : topologies::control_of(machine.description())) check.control_lines += line.empty() ? 0 : 1;
    check.differences = check.programmed.differences;
    Comparison comparison(machine.description(), wanted, check.differences);
    check.nodes = wanted.nodes.size();
    check.edges = comparison.edges();
    comparison.run(discover_network(machine));
    return check;
}

std::string network_check_text(const NetworkCheck& check) {
    const auto& programmed = check.programmed;
    const std::string head =
        fmt::format("programmed with {} bytes over {} control line{} in {}", programmed.bytes, check.control_lines,
                    check.control_lines == 1 ? "" : "s", text::time_text(programmed.ended - programmed.began));
    const std::string wanted = fmt::format("{} node{}", check.nodes, check.nodes == 1 ? "" : "s");
    const std::string edges = fmt::format("{} edge{}", check.edges, check.edges == 1 ? "" : "s");
    if (check.differences.empty()) return fmt::format("{}; {} found exactly the wanted {}\n", head, wanted, edges);
    std::string text = fmt::format("{}; {} did not find the wanted {}\n", head, wanted, edges);
    for (const std::string& difference : check.differences) text += "  " + difference + "\n";
    return text;
}

std::string network_check_json(const NetworkCheck& check) {
    const auto& programmed = check.programmed;
    const nlohmann::ordered_json json = {{"good", check.differences.empty()},
                                         {"configuration_bytes", programmed.bytes},
                                         {"control_lines", check.control_lines},
                                         {"programming_ps", (programmed.ended - programmed.began).in_ps()},
                                         {"nodes", check.nodes},
                                         {"edges", check.edges},
                                         {"differences", check.differences}};
    return json.dump(2);
}

}  // namespace trollius_hosted
