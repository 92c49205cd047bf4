// Neighbours: the bonds between the states of two nodes that exchange messages. Private.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tmon_models/program.hpp>

namespace tmon_models {

class Neighbours {
public:
    // is_open: by node; the last send of such a node may have left without a record.
    Neighbours(const Program& program, std::vector<bool> is_open) : program_(program), is_open_(std::move(is_open)) {}

    struct At {
        std::uint16_t node = 0;
        NodeState state;
    };
    // False when one has received what the other never sent, or has ended a synchronous send that the other never received.
    bool agree(const At& a, const At& b) const { return heard(a, b) && heard(b, a); }

    // The bonds of a node's block by its open moves with neighbours.
    struct Tie {
        bool waits = false;  // a neighbour has not come to its part
        bool began = false;  // a neighbour has done its part, so the process before the block is over
        // Both ends of a synchronous message have come to it, and one of them is silent. It may have died there, so the stop
        // may be its own or the other's.
        bool one_may_be_dead = false;

        friend Tie operator|(const Tie& a, const Tie& b) {
            return {a.waits || b.waits, a.began || b.began, a.one_may_be_dead || b.one_may_be_dead};
        }
        friend auto operator<=>(const Tie&, const Tie&) = default;
    };
    Tie tie(const At& node, const At& neighbour) const;

    // The last unit whose move is done.
    std::optional<std::uint32_t> latest(const At& at, const Move& move) const;

private:
    bool heard(const At& receiver, const At& sender) const;
    bool has_begun(const At& at, std::uint32_t unit, const Move& move) const;

    const Program& program_;
    std::vector<bool> is_open_;
};

}  // namespace tmon_models
