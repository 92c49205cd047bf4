// Links that flip bits and swallow messages, at a rate and from a seed, for tests of the layers above the links.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <span>

#include <trollius_hosted/multicomputer.hpp>

namespace test_support {

struct BadLinks {
    std::uint64_t seed = 1;
    std::uint32_t one_in = 100;      // one message in so many is hit
    std::uint32_t swallowed_in = 4;  // of those hit, one in so many is lost; 0: none
    bool from_power_up = false;      // false: all is well until the farm's first task has arrived somewhere
    std::uint64_t happened = 0;      // messages hit so far
};

// A link loses nothing in silence: where the sender goes on after a loss, it has been told (link_protocol.hpp), and counts it.
// Half of the flips hit the header, where they do most harm. `links` outlives the machine's run.
inline void spoil(trollius_hosted::Multicomputer& box, BadLinks& links) {
    auto random = std::make_shared<std::mt19937_64>(links.seed);
    auto begun = std::make_shared<bool>(links.from_power_up);
    for (std::size_t i = 0; i <= box.node_count(); ++i) {
        const vocabulary::NodeId node(static_cast<vocabulary::NodeId::value_type>(i));
        box.port(node).set_damage([&box, &links, random, begun, node](vocabulary::LinkNo link, std::span<std::byte> header,
                                                                      std::span<std::byte> body) {
            constexpr std::size_t trek_header = 20;
            constexpr std::byte task{1};
            *begun = *begun || (header.size() == trek_header && header[0] == task);
            if (!*begun || (*random)() % links.one_in != 0) return true;
            ++links.happened;
            if (links.swallowed_in > 0 && (*random)() % links.swallowed_in == 0) {
                box.kernel(box.machine().network().neighbour(node, link)->node).drop("link", "lost on its way");
                return false;
            }
            const std::uint64_t flips = 1 + (*random)() % 3;
            for (std::uint64_t flip = 0; flip < flips; ++flip) {
                const bool in_header = body.empty() || (!header.empty() && (*random)() % 2 == 0);
                const std::span<std::byte> bytes = in_header ? header : body;
                if (bytes.empty()) break;
                bytes[(*random)() % bytes.size()] ^= static_cast<std::byte>(1U << ((*random)() % 8));
            }
            return true;
        });
    }
}

}  // namespace test_support
