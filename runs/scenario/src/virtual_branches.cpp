#include <scenario/virtual_branches.hpp>

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include <topologies/network.hpp>
#include <vocabulary/source_position.hpp>

namespace scenario {

using vocabulary::LinkNo;
using vocabulary::NodeId;

std::vector<std::pair<NodeId, NodeId>> virtual_branches(const Scenario& scenario) {
    std::vector<std::pair<NodeId, NodeId>> branches;
    if (scenario.mpi) return branches;  // its tree means nothing
    if (scenario.farm.nodes == 0 || scenario.best_tree || scenario.farm.nodes > scenario.machine.nodes.size()) return branches;
    const topologies::Network network(scenario.machine);
    for (const NodeId node : scenario.farm.members()) {
        const auto up = scenario.farm.parent(node);
        bool is_link = !up;
        for (std::uint8_t link = 0; link < topologies::links_per_node && !is_link; ++link) {
            const auto& neighbour = network.neighbour(node, LinkNo(link));
            is_link = neighbour && neighbour->node == *up;
        }
        if (!is_link) branches.emplace_back(*up, node);
    }
    return branches;
}

std::string virtual_branches_text(const Scenario& scenario) {
    constexpr std::size_t most = 4;
    const auto branches = virtual_branches(scenario);
    if (branches.empty()) return {};
    std::string text;
    for (std::size_t i = 0; i < std::min(most, branches.size()); ++i)
        text += fmt::format("{}n{} - n{}", i == 0 ? "" : ", ", branches[i].first.value(), branches[i].second.value());
    if (branches.size() > most) text += fmt::format(" and {} more", branches.size() - most);
    return text + (branches.size() == 1 ? " is no link of the machine; its messages go over the network"
                                        : " are no links of the machine; their messages go over the network");
}

void refuse_virtual_branches(const Scenario& scenario, const std::string& what, const std::string& why) {
    const std::string text = virtual_branches_text(scenario);
    if (!text.empty())
        throw vocabulary::RequestError(
            fmt::format("{} needs a tree whose branches are links, since {}; {}. Choose a machine of the farm's topology "
                        "('magicwire describe' prints its links)",
                        what, why, text));
}

}  // namespace scenario
