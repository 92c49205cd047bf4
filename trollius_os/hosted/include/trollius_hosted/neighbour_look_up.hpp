// The network as the nodes see it. A small program on every node sends its own number and link over each wired link, and takes
// its neighbour's message. It uses raw link messages and no kernel. The switches must be programmed or set.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <hw_model/machine.hpp>
#include <topologies/network.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace trollius_hosted {

class DiscoveredNetwork {
public:
    struct Seen {
        vocabulary::NodeId node;  // the host has the number after the last node
        vocabulary::LinkNo link;
        friend bool operator==(const Seen&, const Seen&) = default;
    };

    explicit DiscoveredNetwork(std::size_t ends) : seen_(ends) {}
    std::optional<Seen>& neighbour(vocabulary::NodeId node, vocabulary::LinkNo link) {
        return seen_[node.value()][link.value()];
    }
    const std::optional<Seen>& neighbour(vocabulary::NodeId node, vocabulary::LinkNo link) const {
        return seen_[node.value()][link.value()];
    }
    // True when every link of nodes and host leads where the network says, and no other link leads anywhere.
    friend bool operator==(const DiscoveredNetwork& discovered, const topologies::Network& network);

private:
    std::vector<std::array<std::optional<Seen>, 4>> seen_;
};

// Advances modelled time by `time_out`: a link that is silent until then leads nowhere. For a machine that runs nothing else
// yet. Messages left at the end are withdrawn.
DiscoveredNetwork discover_network(hw_model::Machine& machine, vocabulary::SimTime time_out = vocabulary::SimTime::ms(1));

}  // namespace trollius_hosted
