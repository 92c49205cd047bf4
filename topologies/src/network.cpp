#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <utility>

#include <topologies/network.hpp>
#include <vocabulary/contract.hpp>
#include <vocabulary/split_mix.hpp>

#include "wiring.hpp"

namespace topologies {
namespace {

// The host is an end without a node number of its own; here it is the node after the last, with its connections for links.
NodeLink as_link(const WireEnd& end, std::size_t node_count) {
    if (const auto* link = std::get_if<NodeLink>(&end)) return *link;
    return {NodeId(static_cast<NodeId::value_type>(node_count)), std::get<HostEnd>(end).link};
}

// Calls enter(to, from, link) for each wire that it meets, from a node that it has reached: true when `to` is new.
// Within one distance the queue is ordered by first link, since neighbours are entered in the order of the links. So the first
// visit of a node comes by the lowest first link of all its shortest paths. The host, the last of the neighbours, is held back
// until there is nothing else to go on from. So it leads only to nodes that cannot be reached otherwise. Routes stay consistent
// from node to node: a node that needs the host on the way has only such neighbours until the host.
template <class Neighbours, class Enter>
void breadth_first(const Neighbours& neighbours, NodeId start, const Enter& enter) {
    const NodeId host(static_cast<NodeId::value_type>(neighbours.size() - 1));
    std::vector<NodeId> queue{start};
    queue.reserve(neighbours.size());
    bool host_reached = false;
    const auto go_on_from = [&](NodeId node) {
        for (std::size_t link = 0; link < links_per_node; ++link) {
            const auto& neighbour = neighbours[node.value()][link];
            if (!neighbour || !enter(neighbour->node, node, LinkNo(static_cast<LinkNo::value_type>(link)))) continue;
            if (neighbour->node == host) {
                host_reached = true;
            } else {
                queue.push_back(neighbour->node);
            }
        }
    };
    std::size_t next = 0;
    for (; next < queue.size(); ++next) go_on_from(queue[next]);
    if (host_reached) go_on_from(host);
    for (; next < queue.size(); ++next) go_on_from(queue[next]);
}

}  // namespace

Network::Network(const MachineDescription& machine) : neighbours_(machine.nodes.size() + 1) {
    const Wiring wiring(machine);
    const std::size_t node_count = machine.nodes.size();
    std::map<std::pair<WireEnd, WireEnd>, std::uint32_t> weights;
    for (const LinkWeight& one : machine.weights) weights.emplace(std::minmax(one.a, one.b), one.weight);
    const auto weight_of = [&](const WireEnd& a, const WireEnd& b) {
        if (weights.empty()) return machine.weight;
        const auto own = weights.find(std::minmax(a, b));
        return own == weights.end() ? machine.weight : own->second;
    };
    for (std::size_t start = 0; start < wiring.ends().first_way(); ++start) {
        Walk walk = wiring.walk(start);
        if (walk.outcome != Walk::Outcome::Arrived) continue;
        const NodeLink near = as_link(wiring.ends().end(start), node_count);
        const NodeLink far = as_link(wiring.ends().end(walk.last), node_count);
        const std::uint32_t weight = weight_of(wiring.ends().end(start), wiring.ends().end(walk.last));
        neighbours_[near.node.value()][near.link.value()] = Neighbour{far.node, far.link, walk.through.size(), weight};
        if (start < walk.last) {
            paths_.push_back({wiring.ends().end(start), wiring.ends().end(walk.last), std::move(walk.through), weight});
        }
    }
    equal_weights_ =
        std::all_of(paths_.begin(), paths_.end(), [this](const Path& path) { return path.weight == paths_[0].weight; });
}

const std::optional<Neighbour>& Network::neighbour(NodeId node, LinkNo link) const {
    EXPECTS(node.value() < neighbours_.size() && link.value() < links_per_node, "network.neighbour_in_machine");
    return neighbours_[node.value()][link.value()];
}

namespace {

// The length of a path. The second part decides between equal weights: the number of hops for routes, the sum of the wires'
// keys for casts. Equal weights have different keys, except with a chance below 10^-6 on the largest machine; castd finds
// those.
struct PathLength {
    std::uint64_t weight = 0, second = 0;
    friend auto operator<=>(const PathLength&, const PathLength&) = default;
};

// The key of a wire, from its lower end: 48 bits, so that a path's sum has room.
std::uint64_t wire_key(const NodeLink& a, const NodeLink& b) {
    const NodeLink& low = std::min(a, b);
    return vocabulary::split_mix(low.node.value(), low.link.value()) >> 16;
}

struct LeastPaths {
    std::vector<std::optional<LinkNo>> first;       // on which the path leaves its start
    std::vector<std::optional<PathLength>> length;  // empty: cannot be reached
};

// Dijkstra's search. `second(at, link, neighbour)` is the second part of a wire's length, which must not be 0. Ties take the
// lowest first link. A wire of the host is longer than all paths without the host.
template <class Second>
LeastPaths least_paths(const Network& network, NodeId from, const Second& second) {
    constexpr std::uint64_t past_the_host = std::uint64_t{1} << 40;
    LeastPaths paths{std::vector<std::optional<LinkNo>>(network.node_count() + 1),
                     std::vector<std::optional<PathLength>>(network.node_count() + 1)};
    using Reached = std::pair<PathLength, NodeId>;
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
    paths.length[from.value()].emplace();
    queue.push({{}, from});
    while (!queue.empty()) {
        const auto [so_far, at] = queue.top();
        queue.pop();
        if (so_far != *paths.length[at.value()]) continue;
        for (LinkNo::value_type number = 0; number < links_per_node; ++number) {
            const LinkNo link(number);
            const auto& next = network.neighbour(at, link);
            if (!next || next->node == from) continue;
            const bool of_host = at == network.host() || next->node == network.host();
            const PathLength through{so_far.weight + next->weight + (of_host ? past_the_host : 0),
                                     so_far.second + second(at, link, *next)};
            auto& best = paths.length[next->node.value()];
            if (best && *best < through) continue;
            const LinkNo first = at == from ? link : *paths.first[at.value()];
            if (best == through) {
                auto& so_far_first = paths.first[next->node.value()];
                so_far_first = std::min(*so_far_first, first);
                continue;
            }
            best = through;
            paths.first[next->node.value()] = first;
            queue.push({through, next->node});
        }
    }
    return paths;
}

LeastPaths least_weight_paths(const Network& network, NodeId from) {
    return least_paths(network, from, [](NodeId, LinkNo, const Neighbour&) { return std::uint64_t{1}; });
}

}  // namespace

void Network::cut(NodeId node, LinkNo link) {
    const std::optional<Neighbour> far = neighbour(node, link);
    if (!far) return;
    neighbours_[node.value()][link.value()].reset();
    neighbours_[far->node.value()][far->link.value()].reset();
    std::erase_if(paths_, [&](const Path& path) {
        const NodeLink a = as_link(path.a, node_count()), b = as_link(path.b, node_count());
        return a == NodeLink{node, link} || b == NodeLink{node, link};
    });
}

std::vector<std::optional<LinkNo>> Network::routes(NodeId from) const {
    EXPECTS(from.value() < neighbours_.size(), "network.routes_in_machine");
    if (!equal_weights_) return least_weight_paths(*this, from).first;
    std::vector<std::optional<LinkNo>> first(neighbours_.size());
    breadth_first(neighbours_, from, [&](NodeId to, NodeId at, LinkNo link) {
        if (to == from || first[to.value()]) return false;
        first[to.value()] = at == from ? link : *first[at.value()];
        return true;
    });
    return first;
}

// If all paths of least weight are unique, each part of one is the path of least weight between its ends. So paths from one
// node never join again.
std::vector<std::optional<LinkNo>> Network::cast_routes(NodeId from) const {
    EXPECTS(from.value() < neighbours_.size(), "network.cast_routes_in_machine");
    return least_paths(*this, from,
                       [](NodeId at, LinkNo link, const Neighbour& next) {
                           return wire_key({at, link}, {next.node, next.link});
                       })
        .first;
}

std::vector<std::optional<std::size_t>> Network::hops(NodeId from) const {
    EXPECTS(from.value() < neighbours_.size(), "network.hops_in_machine");
    std::vector<std::optional<std::size_t>> hops(neighbours_.size());
    if (!equal_weights_) {
        const LeastPaths paths = least_weight_paths(*this, from);
        for (std::size_t node = 0; node < hops.size(); ++node)
            if (paths.length[node]) hops[node] = paths.length[node]->second;
        return hops;
    }
    hops[from.value()] = 0;
    breadth_first(neighbours_, from, [&](NodeId to, NodeId at, LinkNo) {
        if (hops[to.value()]) return false;
        hops[to.value()] = *hops[at.value()] + 1;
        return true;
    });
    return hops;
}

std::optional<FarthestPair> Network::farthest_pair() const {
    std::optional<FarthestPair> best;
    for (std::size_t a = 0; a < node_count(); ++a) {
        const NodeId from(static_cast<NodeId::value_type>(a));
        const auto distance = hops(from);
        for (std::size_t b = a; b < node_count(); ++b) {
            if (!distance[b]) return std::nullopt;
            if (!best || *distance[b] > best->hops) best = {from, NodeId(static_cast<NodeId::value_type>(b)), *distance[b]};
        }
    }
    return best;
}

std::optional<std::size_t> Network::diameter() const {
    const auto pair = farthest_pair();
    if (!pair) return std::nullopt;
    return pair->hops;
}

}  // namespace topologies
