#include <algorithm>
#include <numeric>
#include <set>

#include <vocabulary/split_mix.hpp>

#include "edge_list.hpp"

namespace topologies {
namespace {

constexpr std::size_t rounds = 20;  // rounds of one exchange per edge; a few rounds mix a network well

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

private:
    std::uint64_t next() { return vocabulary::split_mix(state_ += vocabulary::split_mix_step); }
    std::uint64_t state_;
};

using Edge = std::pair<std::size_t, std::size_t>;

Edge ordered(std::size_t a, std::size_t b) {
    return {std::min(a, b), std::max(a, b)};
}

bool connected(std::size_t node_count, const std::vector<Edge>& edges) {
    std::vector<std::size_t> leader(node_count);
    std::iota(leader.begin(), leader.end(), 0);
    const auto find = [&leader](std::size_t node) {
        while (leader[node] != node) node = leader[node] = leader[leader[node]];
        return node;
    };
    std::size_t parts = node_count;
    for (const auto& [a, b] : edges) {
        const std::size_t one = find(a);
        const std::size_t other = find(b);
        if (one == other) continue;
        leader[one] = other;
        --parts;
    }
    return parts == 1;
}

// Two edges a-b and c-d become a-c and b-d, or a-d and b-c, unless one of these exists. Every degree stays what it was.
void exchange(std::vector<Edge>& edges, std::set<Edge>& present, Random& random) {
    const std::size_t i = random.below(edges.size());
    const std::size_t j = random.below(edges.size());
    const auto [a, b] = edges[i];
    auto [c, d] = edges[j];
    if (random.below(2) == 1) std::swap(c, d);
    if (i == j || a == c || b == d) return;
    const Edge one = ordered(a, c);
    const Edge other = ordered(b, d);
    if (present.contains(one) || present.contains(other) || one == other) return;
    present.erase(edges[i]);
    present.erase(edges[j]);
    present.insert({one, other});
    edges[i] = one;
    edges[j] = other;
}

}  // namespace

// Begins with each node wired to the next two on a circle, which is such a network for 5 nodes or more. Then it exchanges edges
// at random; a round that takes the network apart is undone.
EdgeList random_four_regular(std::size_t node_count, std::uint64_t seed) {
    std::vector<Edge> edges;
    for (std::size_t node = 0; node < node_count; ++node) {
        edges.push_back(ordered(node, (node + 1) % node_count));
        edges.push_back(ordered(node, (node + 2) % node_count));
    }
    Random random(seed);
    for (std::size_t round = 0; round < rounds; ++round) {
        std::vector<Edge> tried = edges;
        std::set<Edge> present(tried.begin(), tried.end());
        for (std::size_t i = 0; i < tried.size(); ++i) exchange(tried, present, random);
        if (connected(node_count, tried)) edges = std::move(tried);
    }
    std::sort(edges.begin(), edges.end());
    return {{}, node_count, std::move(edges)};
}

}  // namespace topologies
