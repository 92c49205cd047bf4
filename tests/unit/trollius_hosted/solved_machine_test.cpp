// Networks solved onto the machine of the thesis. Its crossbars, in reset state, are programmed over the two control
// connections, and the nodes look for their neighbours. Their findings are held against edges that are written down here as
// formulas. So neither the solver nor the generators nor the code that follows wires is part of the proof.
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include <topologies/shapes.hpp>
#include <topologies/solver.hpp>
#include <topologies/ubc_machine.hpp>
#include <trollius_hosted/neighbour_look_up.hpp>
#include <trollius_hosted/network_check.hpp>

#include "switched_machines.hpp"
#include "test_multicomputer.hpp"

namespace {

using topologies::LinkLevel;
using topologies::MachineDescription;
using vocabulary::LinkNo;
using vocabulary::NodeId;

constexpr std::size_t ubc_nodes = 75;

using Pair = std::pair<std::size_t, std::size_t>;  // the lower number first
using Edges = std::map<Pair, std::size_t>;         // how often; the host is node `ubc_nodes`

Edges host_at(std::size_t node) {
    return {{{node, ubc_nodes}, 1}};
}

Edges ring_32() {
    Edges edges = host_at(0);
    for (std::size_t i = 0; i < 32; ++i) ++edges[std::minmax({i, (i + 1) % 32})];
    return edges;
}

Edges mesh_6_by_8() {
    Edges edges = host_at(0);
    for (std::size_t i = 0; i < 48; ++i) {
        if (i % 8 != 7) ++edges[{i, i + 1}];
        if (i + 8 < 48) ++edges[{i, i + 8}];
    }
    return edges;
}

Edges hypercube_16() {
    Edges edges;
    for (std::size_t i = 0; i < 16; ++i) {
        for (const std::size_t bit : {1, 2, 4, 8}) {
            if ((i & bit) == 0) ++edges[{i, i | bit}];
        }
    }
    return edges;
}

Edges binary_tree_63() {
    Edges edges = host_at(0);
    for (std::size_t i = 1; i < 63; ++i) ++edges[{i / 2, i}];
    return edges;
}

Edges ternary_tree_40() {
    Edges edges = host_at(0);
    for (std::size_t i = 1; i < 40; ++i) ++edges[{(i + 1) / 3, i}];
    return edges;
}

struct Wanted {
    std::string shape, name;
    std::size_t nodes;
    Edges (*edges)();
};

MachineDescription solved(const MachineDescription& wanted, const MachineDescription& target = topologies::ubc_machine()) {
    return std::get<topologies::Solution>(topologies::solve(wanted, target)).machine;
}

std::unique_ptr<hw_model::Machine> built(const MachineDescription& description, LinkLevel links = LinkLevel::Message) {
    hw_model::MachineOptions options;
    options.links = links;
    return std::make_unique<hw_model::Machine>("machine", description, test_support::standard_costs(), 1, options);
}

// All that the nodes and the host see, from both sides.
Edges found(const trollius_hosted::DiscoveredNetwork& network) {
    Edges twice;
    for (std::size_t n = 0; n <= ubc_nodes; ++n) {
        for (LinkNo::value_type l = 0; l < 4; ++l) {
            const auto& seen = network.neighbour(NodeId(static_cast<NodeId::value_type>(n)), LinkNo(l));
            if (!seen) continue;
            ++twice[std::minmax<std::size_t>({n, seen->node.value()})];
            const auto back = network.neighbour(seen->node, seen->link);
            EXPECT_TRUE(back && back->node.value() == n && back->link.value() == l) << "n" << n << "." << int(l);
        }
    }
    for (auto& [nodes, count] : twice) count /= 2;
    return twice;
}

class SolvedMachine : public testing::TestWithParam<std::tuple<Wanted, LinkLevel>> {};

}  // namespace

TEST_P(SolvedMachine, IsFoundByItsNodesAndNothingElseIsConnected) {
    const auto& [wanted, links] = GetParam();
    const auto machine = built(solved(topologies::make_shape(wanted.shape)), links);
    ASSERT_EQ(machine->node_count(), ubc_nodes);
    EXPECT_TRUE(test_support::program_switches(*machine).empty());
    EXPECT_EQ(found(trollius_hosted::discover_network(*machine)), wanted.edges());
}

TEST_P(SolvedMachine, IsNoNetworkBeforeItsSwitchesAreProgrammed) {
    const auto& [wanted, links] = GetParam();
    const auto machine = built(solved(topologies::make_shape(wanted.shape)), links);
    EXPECT_EQ(found(trollius_hosted::discover_network(*machine)), Edges{});
}

TEST_P(SolvedMachine, PassesTheCheckOfTheCommandLine) {
    const auto& [wanted, links] = GetParam();
    const MachineDescription shape = topologies::make_shape(wanted.shape);
    const auto machine = built(solved(shape), links);
    const auto check = trollius_hosted::check_network(*machine, shape);
    EXPECT_THAT(check.differences, testing::IsEmpty());
    EXPECT_EQ(check.control_lines, 2U);
    EXPECT_EQ(check.nodes, wanted.nodes);
    EXPECT_EQ(check.edges, wanted.edges().size());
}

INSTANTIATE_TEST_SUITE_P(Shapes, SolvedMachine,
                         testing::Combine(testing::Values(Wanted{"ring:32", "ring32", 32, ring_32},
                                                          Wanted{"mesh:6x8", "mesh6x8", 48, mesh_6_by_8},
                                                          Wanted{"hypercube:16", "hypercube16", 16, hypercube_16},
                                                          Wanted{"tree:2:63", "binary63", 63, binary_tree_63},
                                                          Wanted{"tree:3:40", "ternary40", 40, ternary_tree_40}),
                                          testing::Values(LinkLevel::Message, LinkLevel::Byte)),
                         [](const auto& one) {
                             return std::get<0>(one.param).name +
                                    (std::get<1>(one.param) == LinkLevel::Byte ? "Byte" : "Message");
                         });

namespace {

std::vector<std::string> differences(hw_model::Machine& machine, const MachineDescription& wanted) {
    return trollius_hosted::check_network(machine, wanted).differences;
}

}  // namespace

TEST(NetworkCheck, NamesAnEdgeThatIsWantedAndNotThere) {
    const auto machine = built(solved(topologies::make_shape("chain:6")));
    EXPECT_THAT(differences(*machine, topologies::make_shape("ring:6")),
                testing::ElementsAre("n0 - n5 is wanted and was not found"));
}

TEST(NetworkCheck, NamesAnEdgeThatNobodyWantsByItsLinks) {
    const auto machine = built(solved(topologies::make_shape("ring:6")));
    EXPECT_THAT(differences(*machine, topologies::make_shape("chain:6")),
                testing::ElementsAre(testing::MatchesRegex("n0\\.[0-3] - n5\\.[0-3] was found and is not wanted")));
}

TEST(NetworkCheck, CountsEdgesBetweenTheSameTwoNodes) {
    MachineDescription twice = topologies::make_shape("chain:3");
    twice.wires.push_back({topologies::NodeLink{NodeId(1), LinkNo(2)}, topologies::NodeLink{NodeId(2), LinkNo(2)}});
    const auto machine = built(solved(twice));
    EXPECT_THAT(differences(*machine, twice), testing::IsEmpty());
    EXPECT_THAT(differences(*machine, topologies::make_shape("chain:3")),
                testing::ElementsAre(testing::MatchesRegex("n1\\.[0-3] - n2\\.[0-3] was found and is not wanted")));
}

TEST(NetworkCheck, MissesTheHostOfANetworkThatWasSolvedWithoutOne) {
    MachineDescription alone = topologies::make_shape("chain:4");
    std::erase_if(alone.wires, [](const topologies::Wire& wire) {
        return std::holds_alternative<topologies::HostEnd>(wire.a) || std::holds_alternative<topologies::HostEnd>(wire.b);
    });
    alone.without_host = true;
    const auto machine = built(solved(alone));
    EXPECT_THAT(differences(*machine, topologies::make_shape("chain:4")),
                testing::ElementsAre("n0 - host is wanted and was not found"));
}

TEST(NetworkCheck, SeesWhatAStuckOutputDoesToTheNetwork) {
    const MachineDescription ring = topologies::make_shape("ring:12");
    const auto machine = built(solved(ring));
    const auto& switches = machine->description().switches;
    const auto used = std::find_if(switches.begin(), switches.end(), [](const auto& one) { return !one.connections.empty(); });
    ASSERT_NE(used, switches.end());
    const auto which = vocabulary::SwitchId(static_cast<vocabulary::SwitchId::value_type>(used - switches.begin()));
    const auto [in, out] = used->connections.front();
    machine->link_switch(which).stick(out, std::optional<vocabulary::WayNo>());
    const auto check = trollius_hosted::check_network(*machine, ring);
    const std::string text = trollius_hosted::network_check_text(check);
    EXPECT_THAT(check.differences, testing::Contains(used->name + " output " + std::to_string(out.value()) +
                                                     " is low, not connected to input " + std::to_string(in.value())));
    EXPECT_THAT(check.differences, testing::Contains(testing::EndsWith("is wanted and was not found")));
    EXPECT_THAT(text, testing::HasSubstr("12 nodes did not find the wanted 13 edges\n"));
}

namespace {

// The differences that one flipped bit from n0 to n1, picked by the seed, makes in a chain of four by wires.
std::vector<std::string> damaged_chain(std::uint64_t seed) {
    const MachineDescription chain = topologies::make_shape("chain:4");
    hw_model::MachineOptions options;
    options.tapped_wires = {1};
    hw_model::Machine machine("machine", chain, test_support::standard_costs(), 1, options);
    machine.tap(1)->flip(0, {true, false}, std::nullopt, seed);
    return differences(machine, chain);
}

}  // namespace

TEST(NetworkCheck, NamesALinkThatHearsWhatDoesNotHearIt) {
    const auto found = damaged_chain(3);
    EXPECT_THAT(found, testing::Contains("n1.0 hears n1.1, but n1.1 does not hear it"));
    EXPECT_THAT(found, testing::Contains("n0 - n1 is wanted and was not found"));
}

TEST(NetworkCheck, DoesNotBelieveInANodeThatTheMachineDoesNotHave) {
    EXPECT_THAT(damaged_chain(6), testing::Contains("n1.0 hears a link that chain_4 does not have"));
}

TEST(NetworkCheck, LeavesSolderedWiresOfUnusedNodesAlone) {
    MachineDescription target = topologies::make_shape("chain:6");  // all wires are soldered
    target.unreachable_allowed = true;
    const auto machine = built(target);
    EXPECT_THAT(differences(*machine, topologies::make_shape("chain:4")), testing::IsEmpty());
}

TEST(NetworkCheck, SaysHowManyBytesWentOverHowManyControlLinesAndHowLongItTook) {
    const MachineDescription ring = topologies::make_shape("ring:32");
    const MachineDescription machine_file = solved(ring);
    std::size_t connections = 0;
    for (const auto& one : machine_file.switches) connections += one.connections.size();
    const auto machine = built(machine_file);
    const auto check = trollius_hosted::check_network(*machine, ring);
    // To each switch reset, end of set-up and an enquiry about each of 32 outputs; three bytes a connection.
    EXPECT_EQ(check.programmed.bytes, 10 * (2 + 64) + 3 * connections);
    EXPECT_THAT(trollius_hosted::network_check_text(check),
                testing::MatchesRegex("programmed with [0-9]+ bytes over 2 control lines in [0-9]+\\.[0-9]+ [mu]s; "
                                      "32 nodes found exactly the wanted 33 edges\n"));
}
