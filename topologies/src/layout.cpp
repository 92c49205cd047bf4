#include <topologies/layout.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include <topologies/shapes.hpp>

namespace topologies {
namespace {

using Edge = std::pair<std::size_t, std::size_t>;  // the lower node first
using Edges = std::multiset<Edge>;

Edges edges_of(const Network& network) {
    Edges edges;
    for (const Path& path : network.paths()) {
        const auto *a = std::get_if<NodeLink>(&path.a), *b = std::get_if<NodeLink>(&path.b);
        if (a != nullptr && b != nullptr) edges.insert(std::minmax<std::size_t>(a->node.value(), b->node.value()));
    }
    return edges;
}

std::vector<Place> line(std::size_t nodes) {
    // A long chain turns at the end of each line, so that the picture is no wider than a page.
    const std::size_t wide =
        nodes <= 16 ? nodes : static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(nodes) * 1.6)));
    std::vector<Place> places;
    for (std::size_t node = 0; node < nodes; ++node) {
        const std::size_t row = node / wide, column = row % 2 == 0 ? node % wide : wide - 1 - node % wide;
        places.push_back({static_cast<double>(column), -static_cast<double>(row)});
    }
    return places;
}

// n0 on top, then clockwise.
std::vector<Place> circle(std::size_t nodes, std::size_t from = 0) {
    const double around = static_cast<double>(nodes - from);
    const double radius = std::max(1.0, around / (2 * std::numbers::pi));
    std::vector<Place> places(from);
    for (std::size_t node = from; node < nodes; ++node) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(node - from) / around;
        places.push_back({radius * std::sin(angle), radius * std::cos(angle)});
    }
    return places;
}

std::vector<Place> grid(std::size_t rows, std::size_t columns) {
    std::vector<Place> places;
    for (std::size_t node = 0; node < rows * columns; ++node)
        places.push_back({static_cast<double>(node % columns), -static_cast<double>(node / columns)});
    return places;
}

// Each dimension is a direction of its own, chosen so that no wire leads through a node.
std::vector<Place> cube(std::size_t nodes) {
    constexpr std::array<Place, 4> along{{{2.0, 0}, {0, 2.0}, {0.8, 0.7}, {3.9, -0.9}}};
    std::vector<Place> places(nodes);
    for (std::size_t node = 0; node < nodes; ++node)
        for (std::size_t bit = 0; bit < along.size(); ++bit)
            if ((node >> bit & 1) != 0) {
                places[node].x += along[bit].x;
                places[node].y += along[bit].y;
            }
    return places;
}

// Layers from the manager down. Leaves stand side by side, and a parent above the middle of its children.
std::vector<Place> layers(std::size_t arity, std::size_t nodes) {
    std::vector<std::vector<std::size_t>> children(nodes);
    std::vector<std::size_t> parent(nodes, 0);
    if (nodes > 1) children[0].push_back(1);
    for (std::size_t child = 2; child < nodes; ++child) {
        parent[child] = (child - 2) / arity + 1;
        children[parent[child]].push_back(child);
    }
    std::vector<Place> places(nodes);
    for (std::size_t node = 1; node < nodes; ++node) places[node].y = places[parent[node]].y - 1;
    double leaves = 0;
    std::vector<std::size_t> open{0};
    std::vector<std::size_t> next(nodes, 0);
    while (!open.empty()) {  // depth first: the leaves in the order of their branches
        const std::size_t node = open.back();
        if (next[node] < children[node].size()) {
            open.push_back(children[node][next[node]++]);
            continue;
        }
        open.pop_back();
        places[node].x =
            children[node].empty() ? leaves++ : (places[children[node].front()].x + places[children[node].back()].x) / 2;
    }
    return places;
}

struct Candidate {
    std::string shape;
    std::vector<Place> places;
    std::size_t columns = 0;  // of a torus
};

std::vector<Candidate> candidates(std::size_t nodes) {
    std::vector<Candidate> all;
    const auto add = [&](const std::string& shape, std::vector<Place> places, std::size_t columns = 0) {
        all.push_back({shape, std::move(places), columns});
    };
    add(fmt::format("chain:{}", nodes), line(nodes));
    if (nodes >= 3) add(fmt::format("ring:{}", nodes), circle(nodes));
    for (const std::size_t arity : {std::size_t{2}, std::size_t{3}})
        add(fmt::format("tree:{}:{}", arity, nodes), layers(arity, nodes));
    for (std::size_t rows = 2; rows <= nodes / 2; ++rows) {
        if (nodes % rows != 0) continue;
        const std::size_t columns = nodes / rows;
        add(fmt::format("mesh:{}x{}", rows, columns), grid(rows, columns));
        if (rows >= 3 && columns >= 3) add(fmt::format("torus:{}x{}", rows, columns), grid(rows, columns), columns);
    }
    const bool is_power = (nodes & (nodes - 1)) == 0;
    if (is_power && nodes <= 16) add(fmt::format("hypercube:{}", nodes), cube(nodes));
    if (nodes >= 2 && nodes <= 5) {
        add(fmt::format("star:{}", nodes), circle(nodes, 1));
        add(fmt::format("complete:{}", nodes), circle(nodes));
    }
    return all;
}

// From the end of a row or column to its beginning: further apart than neighbours are.
std::vector<std::pair<NodeId, NodeId>> wraps_of(const Candidate& torus, const Edges& edges) {
    std::vector<std::pair<NodeId, NodeId>> wraps;
    for (const auto& [a, b] : edges) {
        if (a >= torus.places.size() || b >= torus.places.size()) continue;
        const double apart = std::abs(torus.places[a].x - torus.places[b].x) + std::abs(torus.places[a].y - torus.places[b].y);
        if (torus.columns > 0 && apart > 1.5)
            wraps.emplace_back(NodeId(static_cast<NodeId::value_type>(a)), NodeId(static_cast<NodeId::value_type>(b)));
    }
    return wraps;
}

}  // namespace

std::optional<Layout> layout_of(const Network& network) {
    const Edges edges = edges_of(network);
    if (edges.empty()) return std::nullopt;
    std::size_t wired = 0;
    for (const auto& [a, b] : edges) wired = std::max(wired, b + 1);
    for (const bool gateway : {false, true}) {
        if (gateway && wired < 3) continue;
        const std::size_t nodes = gateway ? wired - 1 : wired;
        for (const Candidate& candidate : candidates(nodes)) {
            const Network made(make_shape(candidate.shape, {.gateway = gateway}));
            if (made.node_count() != wired || edges_of(made) != edges) continue;
            Layout layout{candidate.shape, candidate.places, wraps_of(candidate, edges), {}};
            if (gateway) layout.gateway = NodeId(static_cast<NodeId::value_type>(wired - 1));
            return layout;
        }
    }
    return std::nullopt;
}

}  // namespace topologies
