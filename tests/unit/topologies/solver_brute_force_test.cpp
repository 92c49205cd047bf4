// The solver against all settings of small machines. The test follows wires and settings itself, step by step. It uses nothing
// of the solver nor of Network to say what a setting amounts to.
#include <set>

#include "solver_cases.hpp"

namespace solver_brute_force_cases {

using namespace solver_cases;  // NOLINT: names of this folder's tests
using topologies::HostEnd;
using topologies::NodeLink;
using topologies::NotFound;
using topologies::Solution;
using topologies::SolverOptions;
using topologies::SwitchWay;
using topologies::WireEnd;

namespace {

constexpr int cases_of_each = 100;

using Connections = std::vector<std::vector<std::pair<std::size_t, std::size_t>>>;  // by switch, the lower way first

struct Joined {
    std::size_t a, link_a, b, link_b;  // a <= b; the host is the node after the last
    bool soldered;
};

// The ends that a setting joins. Empty when a connection leads nowhere, the host to itself, or a path through a switch twice,
// which the solver never sets.
std::optional<std::vector<Joined>> followed(const MachineDescription& machine, const Connections& connections) {
    const std::size_t host = machine.nodes.size();
    std::map<WireEnd, WireEnd> cable;
    for (const auto& wire : machine.wires) {
        cable.emplace(wire.a, wire.b);
        cable.emplace(wire.b, wire.a);
    }
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> inside;
    std::size_t halves = 0, passed = 0;
    for (std::size_t x = 0; x < connections.size(); ++x) {
        for (const auto& [a, b] : connections[x]) {
            inside[{x, a}] = b;
            inside[{x, b}] = a;
            ++halves;
        }
    }
    std::vector<Joined> joined;
    for (const auto& [start, first] : cable) {
        if (std::holds_alternative<SwitchWay>(start)) continue;
        WireEnd at = first;
        std::set<std::size_t> through;
        bool arrived = true;
        while (const auto* entry = std::get_if<SwitchWay>(&at)) {
            const auto on = inside.find({entry->which.value(), entry->way.value()});
            if (on == inside.end()) {
                arrived = false;
                break;
            }
            if (!through.insert(entry->which.value()).second) return std::nullopt;
            at = cable.at(way(entry->which.value(), on->second));
        }
        if (!arrived) continue;
        const auto number = [&](const WireEnd& end) {
            const auto* at_node = std::get_if<NodeLink>(&end);
            return at_node ? std::pair<std::size_t, std::size_t>(at_node->node.value(), at_node->link.value())
                           : std::pair<std::size_t, std::size_t>(host, std::get<HostEnd>(end).link.value());
        };
        const auto one = number(start), other = number(at);
        if (one > other) continue;  // seen from there
        if (one.first == host) return std::nullopt;
        passed += through.size();
        joined.push_back({one.first, one.second, other.first, other.second, through.empty()});
    }
    if (passed != halves) return std::nullopt;
    return joined;
}

// Every set of pairs that connects some of these ways.
void all_pairings(std::vector<std::size_t> ways, std::vector<std::pair<std::size_t, std::size_t>>& so_far,
                  std::vector<std::vector<std::pair<std::size_t, std::size_t>>>& result) {
    if (ways.empty()) {
        result.push_back(so_far);
        return;
    }
    const std::size_t first = ways.front();
    ways.erase(ways.begin());
    all_pairings(ways, so_far, result);
    for (std::size_t i = 0; i < ways.size(); ++i) {
        auto rest = ways;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        so_far.emplace_back(first, ways[i]);
        all_pairings(rest, so_far, result);
        so_far.pop_back();
    }
}

struct Case {
    MachineDescription target, wanted;
    std::vector<std::pair<Connections, std::vector<Joined>>> settings;  // all that lead somewhere
};

class Cases {
public:
    explicit Cases(unsigned seed) : random_(seed) {}

    Case next() {
        for (;;) {
            Case result;
            result.target = machine();
            if (!all_settings(result)) continue;
            const auto& [present, joined] = result.settings[below(result.settings.size())];
            for (std::size_t x = 0; x < present.size(); ++x) {
                for (const auto& [a, b] : present[x])
                    result.target.switches[x].connections.emplace_back(way(x, a).way, way(x, b).way);
            }
            topologies::check_machine(result.target);
            result.wanted = network(result);
            return result;
        }
    }
    std::size_t below(std::size_t bound) { return random_() % bound; }

private:
    static constexpr std::size_t most_ways = 7, most_settings = 2'000;

    MachineDescription machine() {
        MachineDescription machine;
        machine.name = "target";
        const std::size_t nodes = 2 + below(3), switches = 1 + below(3);
        machine.nodes.assign(nodes, {4U << 20, 20'000'000});
        machine.unreachable_allowed = true;
        for (std::size_t x = 0; x < switches; ++x) machine.switches.push_back({"x" + std::to_string(x), {}});
        std::vector<std::size_t> next(switches);
        std::vector<NodeLink> loose;
        const auto wire_to_some = [&](const WireEnd& end) {
            const std::size_t x = below(switches);
            if (next[x] < most_ways) machine.wires.push_back({end, way(x, next[x]++)});
        };
        for (std::size_t n = 0; n < nodes; ++n) {
            for (std::size_t l = 0; l < topologies::links_per_node; ++l) {
                const std::size_t what = below(10);
                if (what == 0) continue;
                if (what == 1) {
                    loose.push_back(link(n, l));
                } else {
                    wire_to_some(link(n, l));
                }
            }
        }
        for (std::size_t i = 0; i + 1 < loose.size(); i += 2) machine.wires.push_back({loose[i], loose[i + 1]});
        for (std::size_t t = below(4); switches > 1 && t > 0; --t) {
            const std::size_t a = below(switches), b = below(switches);
            if (a == b || next[a] == most_ways || next[b] == most_ways) continue;
            const std::size_t from = next[a]++;
            machine.wires.push_back({way(a, from), way(b, next[b]++)});
        }
        const std::size_t host_wires = machine.wires.size();
        for (std::size_t h = 0; h < 1 + below(2); ++h) wire_to_some(HostEnd{LinkNo(static_cast<LinkNo::value_type>(h))});
        machine.without_host = machine.wires.size() == host_wires;
        return machine;
    }

    bool all_settings(Case& result) {
        std::vector<std::vector<std::vector<std::pair<std::size_t, std::size_t>>>> pairings(result.target.switches.size());
        std::size_t count = 1;
        for (std::size_t x = 0; x < pairings.size(); ++x) {
            std::vector<std::size_t> ways;
            for (const auto& wire : result.target.wires) {
                for (const auto& end : {wire.a, wire.b}) {
                    const auto* at = std::get_if<SwitchWay>(&end);
                    if (at && at->which.value() == x) ways.push_back(at->way.value());
                }
            }
            std::sort(ways.begin(), ways.end());
            std::vector<std::pair<std::size_t, std::size_t>> none;
            all_pairings(ways, none, pairings[x]);
            count *= pairings[x].size();
        }
        if (count > most_settings) return false;
        for (std::size_t i = 0; i < count; ++i) {
            Connections connections;
            std::size_t rest = i;
            for (const auto& choices : pairings) {
                connections.push_back(choices[rest % choices.size()]);
                rest /= choices.size();
            }
            if (auto joined = followed(result.target, connections)) result.settings.emplace_back(connections, *joined);
        }
        return true;
    }

    // Half of the networks are a part of what some setting gives, which may well fit; the others are arbitrary.
    MachineDescription network(const Case& result) {
        MachineDescription wanted;
        wanted.name = "wanted";
        const std::size_t sockets = result.target.nodes.size(), nodes = 1 + below(sockets);
        wanted.nodes.assign(nodes, {topologies::least_ram_bytes, topologies::least_clock_hz});
        wanted.unreachable_allowed = true;
        const auto end = [&](std::size_t node, std::size_t number) {
            return node == sockets ? WireEnd(HostEnd{LinkNo(static_cast<LinkNo::value_type>(number))})
                                   : WireEnd(link(node, number));
        };
        if (below(2) == 0) {
            for (const Joined& one : result.settings[below(result.settings.size())].second) {
                const bool inside = one.a < nodes && (one.b < nodes || one.b == sockets);
                if (inside && below(8) > 0) wanted.wires.push_back({end(one.a, one.link_a), end(one.b, one.link_b)});
            }
        } else {
            std::vector<std::vector<std::size_t>> free(nodes, {0, 1, 2, 3});
            const auto take = [&](std::size_t n) {
                const std::size_t at = below(free[n].size()), number = free[n][at];
                free[n].erase(free[n].begin() + static_cast<std::ptrdiff_t>(at));
                return link(n, number);
            };
            for (std::size_t i = below(2 * nodes + 1); i > 0; --i) {
                const std::size_t a = below(nodes), b = below(nodes);
                if (free[a].size() < (a == b ? 2U : 1U) || free[b].empty()) continue;
                const NodeLink one = take(a);
                wanted.wires.push_back({one, take(b)});
            }
            const std::size_t n = below(nodes);
            if (below(2) == 0 && !free[n].empty()) wanted.wires.push_back({HostEnd{}, take(n)});
        }
        wanted.without_host = std::none_of(wanted.wires.begin(), wanted.wires.end(), [](const auto& wire) {
            return std::holds_alternative<HostEnd>(wire.a) || std::holds_alternative<HostEnd>(wire.b);
        });
        return wanted;
    }

    std::mt19937 random_;
};

using Wanted = std::multiset<std::array<std::size_t, 4>>;  // node, link, node, link; links are 0 where they do not matter

// The wanted network with its nodes on these sockets; `keep_links`: 0 none, 1 those of nodes, 2 the host's too.
Wanted seated(const Case& one, const std::vector<std::size_t>& place, int keep_links) {
    const std::size_t host = one.target.nodes.size();
    const auto joined = followed(one.wanted, {});
    Wanted result;
    for (const Joined& edge : *joined) {
        const bool to_host = edge.b == one.wanted.nodes.size();
        std::pair a(place[edge.a], keep_links > 0 ? edge.link_a : 0);
        std::pair b(to_host ? host : place[edge.b], keep_links > (to_host ? 1 : 0) ? edge.link_b : 0);
        if (b < a) std::swap(a, b);
        result.insert({a.first, a.second, b.first, b.second});
    }
    return result;
}

// The fewest changes of any setting that gives the wanted network on these sockets and nothing else.
std::optional<std::size_t> fewest_changes(const Case& one, const std::vector<std::size_t>& place, int keep_links,
                                          const std::vector<bool>& host_links) {
    const std::size_t host = one.target.nodes.size();
    const Wanted wanted = seated(one, place, keep_links);
    std::vector<bool> used(host + 1);
    for (const std::size_t socket : place) used[socket] = true;
    for (const auto& edge : wanted) used[host] = used[host] || edge[2] == host;
    std::optional<std::size_t> fewest;
    for (const auto& [connections, joined] : one.settings) {
        Wanted found;
        bool good = true;
        for (const Joined& edge : joined) {
            if (!used[edge.a] || !used[edge.b]) {
                good = good && edge.soldered;
                continue;
            }
            const bool to_host = edge.b == host;
            good = good && (!to_host || host_links[edge.link_b]);
            found.insert({edge.a, keep_links > 0 ? edge.link_a : 0, edge.b, keep_links > (to_host ? 1 : 0) ? edge.link_b : 0});
        }
        if (!good || found != wanted) continue;
        std::size_t changes = 0;
        for (std::size_t x = 0; x < connections.size(); ++x) {
            std::set<std::pair<std::size_t, std::size_t>> now(connections[x].begin(), connections[x].end());
            std::size_t kept = 0;
            for (const auto& [a, b] : one.target.switches[x].connections) kept += now.count({a.value(), b.value()});
            changes += now.size() + one.target.switches[x].connections.size() - 2 * kept;
        }
        fewest = std::min(fewest.value_or(changes), changes);
    }
    return fewest;
}

std::optional<std::size_t> fewest_changes_anywhere(const Case& one, int keep_links, const std::vector<bool>& host_links) {
    std::vector<std::size_t> sockets(one.target.nodes.size());
    for (std::size_t s = 0; s < sockets.size(); ++s) sockets[s] = s;
    std::optional<std::size_t> fewest;
    std::set<std::vector<std::size_t>> seen;
    do {
        const std::vector<std::size_t> place(sockets.begin(),
                                             sockets.begin() + static_cast<std::ptrdiff_t>(one.wanted.nodes.size()));
        if (!seen.insert(place).second) continue;
        const auto here = fewest_changes(one, place, keep_links, host_links);
        if (here) fewest = std::min(fewest.value_or(*here), *here);
    } while (std::next_permutation(sockets.begin(), sockets.end()));
    return fewest;
}

// Soldered, or switched through at present.
bool is_connected(const Case& one, const topologies::WireEnd& end) {
    const auto* way = std::get_if<topologies::SwitchWay>(&end);
    if (way == nullptr) return true;
    const auto& connections = one.target.switches[way->which.value()].connections;
    return std::any_of(connections.begin(), connections.end(),
                       [way](const auto& ends) { return ends.first == way->way || ends.second == way->way; });
}

// The links of the host that the solver may take: those in use now, then the lowest wired ones, or all.
std::vector<bool> host_links(const Case& one, const SolverOptions& options) {
    std::size_t asked = 0;
    for (const auto& wire : one.wanted.wires)
        asked += std::holds_alternative<HostEnd>(wire.a) || std::holds_alternative<HostEnd>(wire.b);
    std::vector<bool> wired(topologies::host_connections), connected = wired, result = wired;
    for (const auto& wire : one.target.wires) {
        for (const auto& [end, other] : {std::pair(wire.a, wire.b), std::pair(wire.b, wire.a)}) {
            const auto* at = std::get_if<HostEnd>(&end);
            if (at == nullptr) continue;
            wired[at->link.value()] = true;
            connected[at->link.value()] = is_connected(one, other);
        }
    }
    if (options.any_host_link) return wired;
    for (const auto& candidates : {connected, wired}) {
        for (std::size_t l = 0; l < wired.size(); ++l) {
            if (!candidates[l] || result[l] || asked == 0) continue;
            result[l] = true;
            --asked;
        }
    }
    return result;
}

struct Tally {
    std::size_t found = 0, impossible = 0, refused = 0;
};

void compare(const Case& one, const SolverOptions& options, Tally& tally) {
    const auto allowed = options.keep_links && !options.any_host_link ? std::vector<bool>(4, true) : host_links(one, options);
    const int keep = !options.keep_links ? 0 : options.any_host_link ? 1 : 2;
    std::vector<std::size_t> identity(one.wanted.nodes.size());
    for (std::size_t k = 0; k < identity.size(); ++k) identity[k] = k;
    const auto fewest =
        options.keep_places ? fewest_changes(one, identity, keep, allowed) : fewest_changes_anywhere(one, keep, allowed);
    try {
        const auto answer = topologies::solve(one.wanted, one.target, options);
        if (const auto* nothing = std::get_if<NotFound>(&answer)) {
            EXPECT_TRUE(nothing->impossible) << nothing->text();
            EXPECT_FALSE(fewest) << "impossible, but a setting does it";
            ++tally.impossible;
            return;
        }
        ++tally.found;
        const auto& solution = std::get<Solution>(answer);
        expect_solves(one.wanted, one.target, solution);
        ASSERT_TRUE(fewest) << "found what no setting is";
        const std::size_t changes = solution.changes.made + solution.changes.taken_away;
        EXPECT_GE(changes, *fewest);
        if (!options.fewest_changes) return;
        EXPECT_EQ(changes, *fewest);
        EXPECT_EQ(solution.least_changes, *fewest);
    } catch (const vocabulary::InputError& error) {
        ++tally.refused;
        EXPECT_FALSE(fewest) << error.what();
    }
}

}  // namespace

class SolverAgainstAllSettings : public testing::TestWithParam<SolverOptions> {};

TEST_P(SolverAgainstAllSettings, FindsExactlyWhatThereIs) {
    Cases cases(static_cast<unsigned>(GetParam().seed));
    Tally tally;
    for (int i = 0; i < cases_of_each; ++i) {
        SCOPED_TRACE(testing::Message() << "case " << i);
        compare(cases.next(), GetParam(), tally);
        if (testing::Test::HasFailure()) break;
    }
    EXPECT_GT(tally.found, 10U);
    EXPECT_GT(tally.impossible, 0U);
}

INSTANTIATE_TEST_SUITE_P(Options, SolverAgainstAllSettings,
                         testing::Values(SolverOptions{.seed = 1}, SolverOptions{.seed = 2, .keep_places = true},
                                         SolverOptions{.seed = 3, .keep_places = true, .keep_links = true},
                                         SolverOptions{.seed = 4, .keep_links = true, .any_host_link = true},
                                         SolverOptions{.seed = 5, .fewest_changes = true, .any_host_link = true},
                                         SolverOptions{.seed = 6, .keep_places = true, .fewest_changes = true},
                                         SolverOptions{
                                             .seed = 7, .keep_places = true, .keep_links = true, .fewest_changes = true},
                                         SolverOptions{.seed = 8, .fewest_changes = true}));

}  // namespace solver_brute_force_cases
