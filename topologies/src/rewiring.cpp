#include <topologies/rewiring.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <topologies/end_names.hpp>
#include <topologies/network.hpp>
#include <vocabulary/contract.hpp>
#include <vocabulary/source_position.hpp>

#include "wiring.hpp"

namespace topologies {
namespace {

using vocabulary::InputError;

// A connection with its lower way first.
ChangedConnection connection(std::size_t which, WayNo a, WayNo b) {
    return {SwitchId(static_cast<SwitchId::value_type>(which)), std::min(a, b), std::max(a, b)};
}

// All connections, sorted: a list of small values that can be compared.
std::vector<ChangedConnection> connections_of(const std::vector<Connections>& settings) {
    std::vector<ChangedConnection> all;
    for (std::size_t x = 0; x < settings.size(); ++x) {
        for (const auto& [a, b] : settings[x]) all.push_back(connection(x, a, b));
    }
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<Connections> settings_of(const MachineDescription& machine) {
    std::vector<Connections> settings;
    for (const SwitchDescription& one : machine.switches) settings.push_back(one.connections);
    return settings;
}

MachineDescription with_settings(MachineDescription machine, const std::vector<Connections>& settings) {
    for (std::size_t x = 0; x < settings.size(); ++x) machine.switches[x].connections = settings[x];
    return machine;
}

// A link with the connections that it passes, in order from its first end.
struct Way {
    Path path;
    std::vector<ChangedConnection> passes;
};

Way way_of(const Wiring& wiring, const Path& path) {
    Way way{path, {}};
    std::vector<SwitchWay> seen;
    wiring.walk(wiring.ends().of(path.a),
                [&](std::size_t end) { seen.push_back(std::get<SwitchWay>(wiring.ends().end(end))); });
    for (std::size_t i = 0; i + 1 < seen.size(); i += 2)
        way.passes.push_back(connection(seen[i].which.value(), seen[i].way, seen[i + 1].way));
    return way;
}

std::vector<Way> ways_of(const MachineDescription& machine) {
    const Wiring wiring(machine);
    const Network network(machine);
    std::vector<Way> ways;
    for (const Path& path : network.paths()) ways.push_back(way_of(wiring, path));
    return ways;
}

// The links of `some` that the other machine does not have over the same connections.
std::vector<Path> without(const std::vector<Way>& some, const std::vector<ChangedConnection>& there) {
    std::vector<Path> left;
    for (const Way& way : some) {
        const auto stays = [&](const ChangedConnection& one) { return std::binary_search(there.begin(), there.end(), one); };
        if (!std::all_of(way.passes.begin(), way.passes.end(), stays)) left.push_back(way.path);
    }
    return left;
}

std::vector<NodeId> lost_reach(const MachineDescription& before, const MachineDescription& after) {
    const Network one(before), two(after);
    const auto was = one.hops(one.host()), is = two.hops(two.host());
    std::vector<NodeId> lost;
    for (std::size_t n = 0; n < before.nodes.size(); ++n) {
        if (was[n] && !is[n]) lost.push_back(NodeId(static_cast<NodeId::value_type>(n)));
    }
    return lost;
}

bool is_spare(const WireEnd& end, std::size_t wanted) {
    const auto* link = std::get_if<NodeLink>(&end);
    return link != nullptr && link->node.value() >= wanted;
}

// The links among nodes outside the wanted network.
struct Rest {
    std::vector<Way> ways;
    std::size_t connections = 0;
};

Rest rest_of(const MachineDescription& now, std::size_t wanted) {
    Rest rest;
    for (Way& way : ways_of(now)) {
        if (!is_spare(way.path.a, wanted) || !is_spare(way.path.b, wanted)) continue;
        rest.connections += way.passes.size();
        rest.ways.push_back(std::move(way));
    }
    return rest;
}

// Puts them back, where a solution has left their ways free. True: all of them.
bool put_back(const Rest& rest, std::vector<Connections>& becomes) {
    const auto in_use = [&](const ChangedConnection& one) {
        return std::any_of(becomes[one.which.value()].begin(), becomes[one.which.value()].end(), [&](const auto& other) {
            return other.first == one.a || other.first == one.b || other.second == one.a || other.second == one.b;
        });
    };
    bool all = true;
    for (const Way& way : rest.ways) {
        if (std::any_of(way.passes.begin(), way.passes.end(), in_use)) {
            all = false;
            continue;
        }
        for (const ChangedConnection& one : way.passes) becomes[one.which.value()].emplace_back(one.a, one.b);
    }
    return all;
}

// The machine without them, and without the cables between switches that they take.
MachineDescription without_rest(MachineDescription machine, const Rest& rest) {
    std::set<SwitchWay> taken;
    for (const Way& way : rest.ways) {
        for (const ChangedConnection& one : way.passes) {
            taken.insert({one.which, one.a});
            taken.insert({one.which, one.b});
            std::erase_if(machine.switches[one.which.value()].connections,
                          [&](const auto& other) { return connection(one.which.value(), other.first, other.second) == one; });
        }
    }
    std::erase_if(machine.wires, [&](const Wire& wire) {
        const auto *a = std::get_if<SwitchWay>(&wire.a), *b = std::get_if<SwitchWay>(&wire.b);
        return a != nullptr && b != nullptr && (taken.count(*a) > 0 || taken.count(*b) > 0);
    });
    return machine;
}

[[noreturn]] void fail(const MachineDescription& machine, const WireEnd& end, const std::string& message) {
    throw InputError({end_name(machine, end), 0, 0}, message);
}

// The switch's way that an end is soldered to.
SwitchWay way_at(const MachineDescription& machine, const WireEnd& end) {
    for (const Wire& wire : machine.wires) {
        if (wire.a != end && wire.b != end) continue;
        const WireEnd& far = wire.a == end ? wire.b : wire.a;
        if (const auto* way = std::get_if<SwitchWay>(&far)) return *way;
        fail(machine, end,
             fmt::format("is soldered to {}, and no switch is between; take a link that leads to a switch",
                         end_name(machine, far)));
    }
    fail(machine, end, "has no cable; 'describe' lists the links of the machine");
}

// The other end of a link; empty: it leads nowhere.
std::optional<Path> link_at(const MachineDescription& machine, const WireEnd& end) {
    const Network network(machine);
    for (const Path& path : network.paths()) {
        if (path.a == end || path.b == end) return path;
    }
    return std::nullopt;
}

void check_free(const MachineDescription& machine, const WireEnd& end) {
    if (const auto path = link_at(machine, end)) {
        const std::string name = end_name(machine, end);
        fail(machine, end,
             fmt::format("leads to {} already; 'disconnect {}' first", end_name(machine, path->a == end ? path->b : path->a),
                         name));
    }
}

// Breadth first over cables between switches whose ways are free; ways in rising order.
class FreeWay {
public:
    FreeWay(const MachineDescription& machine, const SwitchWay& from, const SwitchWay& to)
        : wiring_(machine), from_(from), to_(to), came_(machine.switches.size()), seen_(machine.switches.size()) {
        for (const Wire& wire : machine.wires) {
            const auto *a = std::get_if<SwitchWay>(&wire.a), *b = std::get_if<SwitchWay>(&wire.b);
            if (a == nullptr || b == nullptr || a->which == b->which || !is_free(*a) || !is_free(*b)) continue;
            trunks_.emplace_back(*a, *b);
            trunks_.emplace_back(*b, *a);
        }
        std::sort(trunks_.begin(), trunks_.end());
    }
    // Empty: none.
    std::optional<std::vector<ChangedConnection>> find() {
        std::vector<SwitchId> order{from_.which};
        seen_[from_.which.value()] = true;
        for (std::size_t i = 0; i < order.size() && !seen_[to_.which.value()]; ++i) {
            for (const auto& trunk : trunks_) {
                if (trunk.first.which != order[i] || seen_[trunk.second.which.value()]) continue;
                seen_[trunk.second.which.value()] = true;
                came_[trunk.second.which.value()] = trunk;
                order.push_back(trunk.second.which);
            }
        }
        if (!seen_[to_.which.value()]) return std::nullopt;
        std::vector<ChangedConnection> made;
        SwitchWay at = to_;
        while (at.which != from_.which) {
            const auto& [near, far] = *came_[at.which.value()];
            made.push_back(connection(at.which.value(), far.way, at.way));
            at = near;
        }
        made.push_back(connection(at.which.value(), from_.way, at.way));
        return made;
    }

private:
    bool is_free(const SwitchWay& way) const { return !wiring_.is_connected(wiring_.ends().of(way)); }

    const Wiring wiring_;
    const SwitchWay from_, to_;
    std::vector<std::pair<SwitchWay, SwitchWay>> trunks_;               // both directions
    std::vector<std::optional<std::pair<SwitchWay, SwitchWay>>> came_;  // by switch: over which trunk
    std::vector<bool> seen_;
};

}  // namespace

Rewiring rewiring(const MachineDescription& now, const std::vector<Connections>& becomes) {
    EXPECTS(becomes.size() == now.switches.size(), "rewiring.one_setting_a_switch");
    const auto before = connections_of(settings_of(now)), after = connections_of(becomes);
    Rewiring change;
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(change.removed));
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(change.made));
    change.kept = before.size() - change.removed.size();
    const auto changes = [&](SwitchId which) {
        const auto is_its = [which](const ChangedConnection& one) { return one.which == which; };
        return std::any_of(change.removed.begin(), change.removed.end(), is_its) ||
               std::any_of(change.made.begin(), change.made.end(), is_its);
    };
    for (std::size_t x = 0; x < becomes.size(); ++x) {
        const SwitchId which(static_cast<SwitchId::value_type>(x));
        if (!changes(which)) continue;
        change.settings.push_back({which, {}});
        for (const ChangedConnection& one : after) {
            if (one.which == which) change.settings.back().connections.emplace_back(one.a, one.b);
        }
    }
    const MachineDescription next = with_settings(now, becomes);
    change.cut = without(ways_of(now), after);
    change.joined = without(ways_of(next), before);
    change.out_of_reach = lost_reach(now, next);
    return change;
}

Rewiring rewiring_to(const MachineDescription& now, const MachineDescription& wanted, SolverOptions options) {
    options.keep_places = options.fewest_changes = options.any_host_link = true;
    const auto answer = solve(wanted, now, options);
    if (const auto* none = std::get_if<NotFound>(&answer))
        throw InputError({wanted.name, 0, 0}, fmt::format("cannot be made of {}: {}", now.name, none->text()));
    const auto& solution = std::get<Solution>(answer);
    const Rest rest = rest_of(now, wanted.nodes.size());
    std::vector<Connections> becomes = settings_of(solution.machine);
    const bool whole = put_back(rest, becomes);
    Rewiring change = rewiring(now, becomes);
    if (!whole) {  // cables of the rest were taken; it may be better not to take them
        const auto second = solve(wanted, without_rest(now, rest), options);
        if (const auto* other = std::get_if<Solution>(&second)) {
            becomes = settings_of(other->machine);
            put_back(rest, becomes);
            if (Rewiring its = rewiring(now, becomes); its.changes() < change.changes()) change = std::move(its);
        }
    }
    // The solver counts the connections of the rest as taken away, in every solution.
    if (solution.least_changes)
        change.least_changes = *solution.least_changes - std::min(*solution.least_changes, rest.connections);
    return change;
}

Rewiring rewiring_with_link(const MachineDescription& now, const WireEnd& a, const WireEnd& b) {
    if (a == b) fail(now, a, "is one end, and a link has two; name another end");
    const auto *one = std::get_if<NodeLink>(&a), *other = std::get_if<NodeLink>(&b);
    if (one != nullptr && other != nullptr && one->node == other->node)
        fail(now, b,
             fmt::format("is a link of {} as well, and a node has no use for a link to itself; name another node",
                         node_name(one->node)));
    if (one == nullptr && other == nullptr) fail(now, b, "is a connection of the host too; name a link of a node, as n0.1");
    for (const WireEnd* end : {&a, &b}) check_free(now, *end);
    const SwitchWay from = way_at(now, a), to = way_at(now, b);
    const auto made = FreeWay(now, from, to).find();
    if (!made)
        fail(now, b,
             fmt::format("hangs on switch {} and {} on {}, and no free cables lead from one to the other; take other links, or "
                         "disconnect what uses the cables",
                         now.switches[to.which.value()].name, end_name(now, a), now.switches[from.which.value()].name));
    std::vector<Connections> becomes = settings_of(now);
    for (const ChangedConnection& each : *made) becomes[each.which.value()].emplace_back(each.a, each.b);
    return rewiring(now, becomes);
}

Rewiring rewiring_without_link(const MachineDescription& now, const WireEnd& a, const std::optional<WireEnd>& b) {
    const auto path = link_at(now, a);
    if (!path) fail(now, a, "leads nowhere; 'links' lists where each link leads");
    const WireEnd far = path->a == a ? path->b : path->a;
    if (b && *b != far)
        fail(now, a,
             fmt::format("leads to {}, not to {}; 'links' lists where each link leads", end_name(now, far), end_name(now, *b)));
    if (path->through.empty())
        fail(now, a,
             fmt::format("is soldered to {}, and no switch is between; 'fault cut' breaks a cable", end_name(now, far)));
    std::vector<Connections> becomes = settings_of(now);
    const Way way = way_of(Wiring(now), *path);
    for (const ChangedConnection& each : way.passes) {
        std::erase_if(becomes[each.which.value()],
                      [&](const auto& one) { return connection(each.which.value(), one.first, one.second) == each; });
    }
    return rewiring(now, becomes);
}

MachineDescription rewired(MachineDescription machine, const Rewiring& change) {
    for (const SwitchSetting& setting : change.settings)
        machine.switches[setting.which.value()].connections = setting.connections;
    return machine;
}

}  // namespace topologies
