// Machines of random parts, written and read again.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/machine_writer.hpp>
#include <topologies/network.hpp>

using topologies::canonical_machine;
using topologies::HostEnd;
using topologies::MachineDescription;
using topologies::Network;
using topologies::NodeLink;
using topologies::parse_machine;
using topologies::SwitchWay;
using topologies::WireEnd;
using topologies::write_machine;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SwitchId;
using vocabulary::WayNo;

namespace {

// Any machine that check_machine() accepts may come out; wires stand in any order and any way round.
class RandomMachine {
public:
    explicit RandomMachine(unsigned seed) : random_(seed) {}

    MachineDescription run() {
        machine_.name = "any";
        machine_.without_host = chance(5);
        machine_.unreachable_allowed = true;
        parts();
        while (free_.size() > 1 && !chance(20)) path();
        if (!machine_.without_host) host();
        control();
        if (chance(2)) machine_.interrupt_master = NodeId(static_cast<NodeId::value_type>(below(machine_.nodes.size())));
        weights();
        speeds();
        boards();
        std::shuffle(machine_.wires.begin(), machine_.wires.end(), random_);
        for (auto& wire : machine_.wires) {
            if (chance(2)) std::swap(wire.a, wire.b);
        }
        return machine_;
    }

private:
    std::size_t below(std::size_t bound) { return random_() % bound; }
    bool chance(std::size_t one_in) { return below(one_in) == 0; }

    // Ends of one speed stay together: what is joined by wires has one speed, whatever it is.
    void speeds() {
        constexpr std::int64_t all[] = {5'000'000, 10'000'000, 20'000'000};
        machine_.link_bits_per_second = all[below(3)];
        const std::int64_t of_switches = chance(2) ? 0 : all[below(3)];
        for (auto& one : machine_.switches) {
            one.link_bits_per_second = of_switches;
            if (chance(3)) one.revision = topologies::SwitchRevision::A;
        }
        std::set<NodeLink> wired;
        for (const auto& wire : machine_.wires) {
            const auto *a = std::get_if<NodeLink>(&wire.a), *b = std::get_if<NodeLink>(&wire.b);
            const bool to_switch = std::holds_alternative<SwitchWay>(wire.a) || std::holds_alternative<SwitchWay>(wire.b);
            const std::int64_t speed = to_switch ? of_switches : chance(2) ? 0 : all[below(3)];
            for (const NodeLink* link : {a, b}) {
                if (link == nullptr) continue;
                machine_.nodes[link->node.value()].link_bits_per_second[link->link.value()] = speed;
                wired.insert(*link);
            }
        }
        for (std::size_t n = 0; n < machine_.nodes.size(); ++n) {
            for (unsigned link = 0; link < 4; ++link) {
                const NodeLink end{NodeId(static_cast<NodeId::value_type>(n)), LinkNo(static_cast<LinkNo::value_type>(link))};
                if (!wired.contains(end) && chance(3)) machine_.nodes[n].link_bits_per_second[link] = all[below(3)];
            }
        }
    }

    void boards() {
        std::size_t node = 0, which = 0;
        while (chance(2) && node < machine_.nodes.size()) {
            topologies::BoardDescription board;
            board.name.append("b").append(std::to_string(node));
            for (std::size_t slot = 0; slot < 4 && node < machine_.nodes.size(); ++slot) {
                if (slot > 0 && chance(3)) {
                    board.slots.emplace_back();
                } else {
                    board.slots.emplace_back(NodeId(static_cast<NodeId::value_type>(node++)));
                }
            }
            if (which < machine_.switches.size() && chance(2))
                board.switches.emplace_back(static_cast<SwitchId::value_type>(which++));
            machine_.boards.push_back(std::move(board));
        }
    }

    void weights() {
        if (chance(2)) machine_.weight = 1 + static_cast<std::uint32_t>(below(9));
        const Network network(machine_);
        for (const topologies::Path& path : network.paths()) {
            if (!chance(3)) continue;
            machine_.weights.push_back({path.b, path.a, 1 + static_cast<std::uint32_t>(below(topologies::most_weight))});
            if (chance(2)) std::swap(machine_.weights.back().a, machine_.weights.back().b);
        }
        std::shuffle(machine_.weights.begin(), machine_.weights.end(), random_);
        for (std::size_t n = 0; n < machine_.nodes.size(); ++n)
            if (chance(4)) machine_.waste.emplace_back(static_cast<NodeId::value_type>(n));
        std::shuffle(machine_.waste.begin(), machine_.waste.end(), random_);
        const auto hops = network.hops(network.host());
        for (std::size_t n = 0; n < machine_.nodes.size() && chance(2); ++n)
            if (hops[n] == 1U) machine_.boot_order.emplace_back(static_cast<NodeId::value_type>(n));
    }

    void parts() {
        const std::size_t nodes = 1 + below(12);
        for (std::size_t n = 0; n < nodes; ++n) {
            machine_.nodes.push_back({std::uint64_t{1} << (16 + below(9)), chance(3) ? 17'500'000 : 20'000'000, {}});
            for (unsigned link = 0; link < 4; ++link) {
                free_.push_back(
                    NodeLink{NodeId(static_cast<NodeId::value_type>(n)), LinkNo(static_cast<LinkNo::value_type>(link))});
            }
        }
        std::shuffle(free_.begin(), free_.end(), random_);
        const std::size_t switches = below(4);
        for (std::size_t s = 0; s < switches; ++s) {
            std::string name = "x";
            machine_.switches.push_back({name.append(std::to_string(s * 7)), {}});
            ways_.emplace_back();
            for (unsigned way = 0; way < 32; ++way) ways_.back().push_back(WayNo(static_cast<WayNo::value_type>(way)));
            std::shuffle(ways_.back().begin(), ways_.back().end(), random_);
        }
    }

    WireEnd take() {
        const WireEnd end = free_.back();
        free_.pop_back();
        return end;
    }
    WayNo take_way(std::size_t which) {
        const WayNo way = ways_[which].back();
        ways_[which].pop_back();
        return way;
    }

    // Two ends become one path through none to three switches, or one is wired to a way and left idle.
    void path() { lead(take(), chance(10) ? std::nullopt : std::optional(take())); }

    void lead(WireEnd from, const std::optional<WireEnd>& to) {
        const std::size_t hops = machine_.switches.empty() ? 0 : below(4);
        for (std::size_t hop = 0; hop < hops; ++hop) {
            const std::size_t which = below(machine_.switches.size());
            if (ways_[which].size() < 2) break;
            const SwitchId id(static_cast<SwitchId::value_type>(which));
            const WayNo in = take_way(which);
            machine_.wires.push_back({from, SwitchWay{id, in}});
            if (!to) return;
            const WayNo out = take_way(which);
            machine_.switches[which].connections.emplace_back(in, out);
            from = SwitchWay{id, out};
        }
        if (to) machine_.wires.push_back({from, *to});
    }

    // At least one connection of the host, even if it takes the place of a wire.
    void host() {
        if (free_.empty()) {
            for (auto& one : machine_.switches) one.connections.clear();
            machine_.wires.clear();
            free_.push_back(NodeLink{NodeId(0), LinkNo(0)});
        }
        std::vector<unsigned> connections{0, 1, 2, 3};
        std::shuffle(connections.begin(), connections.end(), random_);
        for (std::size_t i = 0; i < 1 + below(4) && !free_.empty(); ++i) {
            lead(take(), HostEnd{LinkNo(static_cast<LinkNo::value_type>(connections[i]))});
        }
    }

    void control() {
        if (machine_.switches.empty() || chance(2)) return;
        std::vector<SwitchId> order;
        for (std::size_t s = 0; s < machine_.switches.size(); ++s)
            order.push_back(SwitchId(static_cast<SwitchId::value_type>(s)));
        std::shuffle(order.begin(), order.end(), random_);
        const auto cut = order.begin() + static_cast<std::ptrdiff_t>(below(order.size()));
        if (cut != order.begin()) machine_.control.emplace_back(order.begin(), cut);
        machine_.control.emplace_back(cut, order.end());
    }

    std::mt19937 random_;  // its numbers are the same everywhere
    MachineDescription machine_;
    std::vector<WireEnd> free_;
    std::vector<std::vector<WayNo>> ways_;
};

}  // namespace

TEST(MachineRoundTrip, GivesTheSameMachineAndTheSameBytesForAnyMachine) {
    std::size_t with_many_connections = 0;
    std::size_t on_their_own = 0;
    for (unsigned seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const MachineDescription machine = RandomMachine(seed).run();
        ASSERT_NO_THROW(topologies::check_machine(machine));
        const std::string text = write_machine(machine);
        const MachineDescription again = parse_machine(text, "w.yaml");
        ASSERT_EQ(again, canonical_machine(machine)) << text;
        ASSERT_EQ(write_machine(again), text);
        const Network network(machine);
        const auto host_wires = std::count_if(network.paths().begin(), network.paths().end(),
                                              [](const auto& path) { return std::holds_alternative<HostEnd>(path.b); });
        with_many_connections += host_wires > 1 ? 1 : 0;
        on_their_own += machine.without_host ? 1 : 0;
    }
    EXPECT_GT(with_many_connections, 100u);
    EXPECT_GT(on_their_own, 50u);
}
