#include "tree_routes.hpp"

#include <optional>

namespace session {

using trek_kernel::Branch;
using vocabulary::LinkNo;
using vocabulary::NodeId;

namespace {

using Routes = std::vector<std::optional<LinkNo>>;

// To a node by that link, and so to everything that the tree has below it.
bool lead_down(const Routes& from_here, const Branch& child, const std::vector<trek_kernel::TreePlace>& places) {
    std::vector<NodeId> below{child.node};
    for (std::size_t i = 0; i < below.size(); ++i) {
        if (from_here[below[i].value()] != child.link) return false;
        for (const Branch& next : places[below[i].value()].children) below.push_back(next.node);
    }
    return true;
}

}  // namespace

bool routes_follow_tree(const topologies::Network& network, const std::vector<trek_kernel::TreePlace>& places,
                        std::span<const NodeId> nodes) {
    const NodeId host = network.host();
    const Routes from_host = network.routes(host);
    const NodeId manager(0);
    for (const NodeId node : nodes) {
        const auto& link = from_host[node.value()];
        const auto first = link ? network.neighbour(host, *link) : std::nullopt;
        if (!first || first->node != manager) return false;
        const Routes here = network.routes(node);
        const trek_kernel::TreePlace& place = places[node.value()];
        if (place.parent && place.parent->over_network) return false;
        if (place.parent && here[host.value()] != place.parent->link) return false;
        for (const Branch& child : place.children) {
            if (!lead_down(here, child, places)) return false;
        }
    }
    return true;
}

}  // namespace session
