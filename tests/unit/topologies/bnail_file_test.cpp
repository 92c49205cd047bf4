// Network descriptions of Trollius.
#include <gmock/gmock.h>

#include <topologies/bnail_file.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/network.hpp>
#include <vocabulary/source_position.hpp>

using topologies::parse_bnail;

namespace {

constexpr const char* bnail_pair = "HOST h\nNODE 0 ITB conf h:0 1:0 - -\nNODE 1 ITB conf 0:1 - - -\nTORDER h 0 1\n";

std::string bnail_error(const std::string& text) {
    try {
        parse_bnail(text, "bnail.x");
    } catch (const vocabulary::InputError& error) {
        return error.what();
    }
    return "none";
}

void expect_same_network(const topologies::MachineDescription& a, const topologies::MachineDescription& b) {
    ASSERT_EQ(a.nodes, b.nodes);
    const topologies::Network one(a), two(b);
    for (std::size_t node = 0; node <= a.nodes.size(); ++node) {
        for (std::uint8_t link = 0; link < 4; ++link) {
            const vocabulary::NodeId id(static_cast<vocabulary::NodeId::value_type>(node));
            const auto &x = one.neighbour(id, vocabulary::LinkNo(link)), &y = two.neighbour(id, vocabulary::LinkNo(link));
            ASSERT_EQ(x.has_value(), y.has_value()) << node << "." << int{link};
            if (!x) continue;
            EXPECT_TRUE(x->node == y->node && x->link == y->link) << node << "." << int{link};
        }
    }
}

}  // namespace

TEST(BnailFile, OfTheExamplesIsTheMachineOfTheSameName) {
    const std::string examples = MAGICWIRE_SOURCE_DIR "/examples/thesis/",
                      machines = MAGICWIRE_SOURCE_DIR "/topologies/machines/";
    expect_same_network(topologies::read_machine(examples + "bnail.btree_8"),
                        topologies::read_machine(machines + "btree_8.yaml"));
    expect_same_network(topologies::read_machine(examples + "bnail.chain_6"),
                        topologies::read_machine(machines + "chain_6.yaml"));
    EXPECT_EQ(topologies::read_machine(examples + "bnail.chain_6").name, "chain_6");
}

TEST(BnailFile, TakesLinksFromNodesAndFromPairs) {
    expect_same_network(
        parse_bnail(bnail_pair, "bnail.x"),
        parse_bnail("NODE 1 ITB c\nNODE 0 ITB c\nTLINK h.0 0.0 /* to the\n host */\nTLINK 0.1 1.0 1 # both\n", "bnail.x"));
    expect_same_network(parse_bnail(bnail_pair, "bnail.x"), parse_bnail("NODE 0 ITB c h 1\nNODE 1 ITB c 0\n", "bnail.x"));
    const auto machine = parse_bnail(std::string("RAM 16MiB\nCLOCK 25MHz\n") + bnail_pair, "bnail.x");
    EXPECT_EQ(machine.nodes[1].ram_bytes, 16ULL << 20);
    EXPECT_EQ(machine.nodes[1].clock_hz, 25'000'000);
}

TEST(BnailFile, SaysWhereItIsWrong) {
    const std::string pair = bnail_pair;
    EXPECT_EQ(bnail_error(""), "bnail.x: there is no node; give each a line NODE 0 ITB conf.t800 h:0 1:0 - -");
    EXPECT_EQ(
        bnail_error("NODDE 0\n"),
        "bnail.x:1:1: expected NODE, TLINK, TORDER, TWEIGHT, HOST, DEVICE, WASTE, RAM or CLOCK, and got 'NODDE', did you mean "
        "'NODE'?");
    EXPECT_EQ(bnail_error(pair + "NODE 1 ITB c\n"), "bnail.x:5:6: node 1 has a line already; give each node one");
    EXPECT_EQ(bnail_error("NODE 1 ITB c h\n"), "bnail.x:1:6: node 1 is there and node 0 is not; number the nodes from 0 on");
    EXPECT_EQ(bnail_error("NODE 0 ITB c h 1:0\nNODE 1 ITB c - -\n"),
              "bnail.x:1:16: the line of node 1 names node 0 nowhere; write both ends with their links, as 3:1");
    EXPECT_EQ(bnail_error("NODE 0 ITB c h 1 1\nNODE 1 ITB c 0 0\n"),
              "bnail.x:1:16: the line of node 1 names node 0 more than once; write both ends with their links, as 3:1");
    EXPECT_EQ(bnail_error("NODE 0 ITB c h 7\n"), "bnail.x:1:16: there is no node 7");
    EXPECT_EQ(bnail_error("NODE 0 ITB c h - - - -\n"), "bnail.x:1:22: a node has four links");
    EXPECT_EQ(bnail_error("NODE 0 OTB c h\n"), "bnail.x:1:8: a node in the box is of type ITB; the host is named with HOST");
    EXPECT_EQ(bnail_error(pair + "TORDER 1\n"), "bnail.x:5:8: this node is in the boot order already");
    EXPECT_EQ(bnail_error("NODE 0 ITB c h 1\nNODE 1 ITB c 0\nTORDER h 1 0\n"),
              "bnail.x:3:10: no neighbour of this node stands before it in the boot order");
    EXPECT_EQ(bnail_error("NODE 0 ITB c h 1\nNODE 1 ITB c 0\nTORDER 0 1\n"),
              "bnail.x:3:8: the boot order begins with the host, h");
    EXPECT_EQ(bnail_error("RAM\n"), "bnail.x:1:1: 'RAM' needs a value");
    EXPECT_THAT(bnail_error("NODE 0 ITB c h\nNODE 1 ITB c - \n"), testing::HasSubstr("n1"));  // the host cannot reach it
}

TEST(BnailFile, HasWeightsOfLinksAndNodesThatDoNotCompute) {
    const auto machine =
        parse_bnail(std::string("TWEIGHT 3\nWASTE 1\nTLINK 1.0 0.1 7\n") + bnail_pair + "TLINK 0.2 1.2\n", "bnail.x");
    EXPECT_EQ(machine.weight, 3u);
    EXPECT_EQ(machine.waste, std::vector{vocabulary::NodeId(1)});
    EXPECT_EQ(machine.boot_order, (std::vector{vocabulary::NodeId(0), vocabulary::NodeId(1)}));
    const topologies::Network network(machine);
    const auto weight = [&](std::uint16_t node, std::uint8_t link) {
        return network.neighbour(vocabulary::NodeId(node), vocabulary::LinkNo(link))->weight;
    };
    EXPECT_EQ(weight(0, 1), 7u);
    EXPECT_EQ(weight(1, 0), 7u);
    EXPECT_EQ(weight(0, 2), 3u);
    EXPECT_EQ(weight(2, 0), 3u);  // the host's
    EXPECT_EQ(network.routes(vocabulary::NodeId(0))[1], vocabulary::LinkNo(2));
}

TEST(BnailFile, SaysWhereAWeightOrAWasteIsWrong) {
    const std::string pair = bnail_pair;
    EXPECT_EQ(bnail_error(pair + "TWEIGHT 0\n"), "bnail.x:5:9: a link cannot have the weight 0; write 1 to 65535");
    EXPECT_EQ(bnail_error(pair + "TWEIGHT 2.5\n"), "bnail.x:5:9: expected the weight of a link, and got '2.5'");
    EXPECT_EQ(bnail_error(pair + "TWEIGHT\n"), "bnail.x:5:1: 'TWEIGHT' needs a value");
    EXPECT_EQ(bnail_error(pair + "TLINK 0.1 1.0 65536\n"),
              "bnail.x:5:15: a link cannot have the weight 65536; write 1 to 65535");
    EXPECT_EQ(bnail_error(pair + "TLINK 0.1 1.0 2\nTLINK 1.0 0.1 2\n"),
              "bnail.x:6:15: this link has a weight already at line 5, column 15; give it one");
    EXPECT_EQ(bnail_error(pair + "WASTE\n"), "bnail.x:5:1: 'WASTE' needs the numbers of nodes that do not compute");
    EXPECT_EQ(bnail_error(pair + "WASTE 0 h\n"),
              "bnail.x:5:9: the host is none of the nodes that compute; name nodes in the box");
    EXPECT_EQ(bnail_error(pair + "WASTE 0\nWASTE 1 0\n"),
              "bnail.x:6:9: n0 is among the nodes that do not compute already; name it once");
    EXPECT_EQ(bnail_error(pair + "WASTE 2\n"),
              "bnail.x:5:7: n2 cannot be a node that does not compute, because the machine has no such node; name another");
    EXPECT_EQ(bnail_error(pair + "WASTE 20000\n"), "bnail.x:5:7: a machine has nodes 0 to 16383");
    EXPECT_EQ(bnail_error("NODE 0 ITB c h\nTORDER h 0 5\n"),
              "bnail.x:2:12: n5 cannot be in the boot order, because the machine has no such node; name another");
}
