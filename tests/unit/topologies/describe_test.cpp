#include <gtest/gtest.h>

#include <topologies/describe.hpp>
#include <topologies/generators.hpp>
#include <topologies/machine_parser.hpp>

using topologies::chain;
using topologies::describe_json;
using topologies::describe_text;
using topologies::MachineDescription;
using topologies::parse_machine;

namespace {

MachineDescription odd_machine() {
    return parse_machine(
        "version: 1\nname: odd\nnodes: {count: 4, ram: 4MiB, override: {n1: {ram: 1MiB}}}\nhost: n0.0\nunreachable: allowed\n"
        "switches:\n  x0: {wires: [n0.1 - 0, x1.3 - 1, n3.1 - 31], connect: [0 - 1]}\n"
        "  x1: {wires: [n1.0 - 2], connect: [2 - 3]}\n",
        "odd.yaml");
}

MachineDescription full_machine() {
    return parse_machine(
        "version: 1\nname: full\nnodes: {count: 2, ram: 4MiB}\nhost: [n0.0, none, x1.7]\nlinks: [n0.1 - n1.0]\n"
        "switches:\n  x0: {}\n  x1: {wires: [n1.1 - 6], connect: [6 - 7]}\n  x2: {}\ncontrol: [[x1], [x0, x2]]\n"
        "interrupts: {master: n1}\n",
        "full.yaml");
}

}  // namespace

TEST(Describe, SaysWhatASmallMachineIs) {
    EXPECT_EQ(describe_text(chain(2)),
              "Machine chain_2\n"
              "  nodes     2 T800 at 20MHz with 4MiB RAM: n0 and n1\n"
              "  host      wired to n0.0\n"
              "  links     1 between nodes at 20Mbit/s\n"
              "  diameter  1 hop, from n0 to n1\n"
              "\n"
              "Links\n"
              "  from  to    through\n"
              "  n0.0  host  wire\n"
              "  n0.1  n1.0  wire\n");
}

TEST(Describe, ShowsUnequalNodesSwitchesOnTheWayAndIdleWays) {
    EXPECT_EQ(describe_text(odd_machine()),
              "Machine odd\n"
              "  nodes     3 T800 at 20MHz with 4MiB RAM: n0, n2 and n3\n"
              "            1 T800 at 20MHz with 1MiB RAM: n1\n"
              "  host      wired to n0.0\n"
              "  links     1 between nodes at 20Mbit/s\n"
              "  switches  2 C004\n"
              "  diameter  none, since the nodes are not all connected\n"
              "\n"
              "Links\n"
              "  from  to    through\n"
              "  n0.0  host  wire\n"
              "  n0.1  n1.0  x0, x1\n"
              "\n"
              "Switches\n"
              "  x0: 3 of 32 ways wired, 1 connection\n"
              "     0 - 1   n0.1 - x1.3\n"
              "    31       n3.1 (not connected)\n"
              "  x1: 2 of 32 ways wired, 1 connection\n"
              "     2 - 3   n1.0 - x0.1\n");
}

TEST(Describe, ShowsEveryConnectionOfTheHostControlAndInterrupts) {
    const std::string text = describe_text(full_machine());
    EXPECT_NE(text.find("  host      connection 0 wired to n0.0\n            connection 2 wired to x1.7\n"), std::string::npos);
    EXPECT_NE(text.find("  control   connection 0 programs x1\n            connection 1 programs x0, x2\n"), std::string::npos);
    EXPECT_NE(text.find("  interrupt from n1 to the event pins of all other nodes\n"), std::string::npos);
    EXPECT_NE(text.find("  n1.1    host.2  x1\n"), std::string::npos) << text;
    EXPECT_NE(text.find("     6 - 7   n1.1 - host.2\n"), std::string::npos);
}

TEST(Describe, GivesEveryConnectionOfTheHostControlAndInterruptsAsJson) {
    std::string compact = describe_json(full_machine());
    std::erase_if(compact, [](char c) { return c == ' ' || c == '\n'; });
    EXPECT_NE(
        compact.find(R"("host":"n0.0","host_connections":[{"connection":0,"end":"n0.0"},{"connection":2,"end":"x1.7"}],)"),
        std::string::npos);
    EXPECT_NE(compact.find(R"("control":[["x1"],["x0","x2"]],"interrupt_master":"n1",)"), std::string::npos);
}

TEST(Describe, SaysThatANetworkOnItsOwnHasNoHost) {
    const MachineDescription machine =
        parse_machine("version: 1\nname: own\nnodes: {count: 1, ram: 1MiB}\nhost: none\n", "own.yaml");
    EXPECT_NE(describe_text(machine).find("  host      none: a network on its own\n"), std::string::npos);
    EXPECT_NE(describe_json(machine).find("\"host\": null,\n  \"host_connections\": [],"), std::string::npos);
}

TEST(Describe, LeavesOutTheFarthestPairOfASingleNode) {
    EXPECT_NE(describe_text(chain(1)).find("  diameter  0 hops\n"), std::string::npos);
}

TEST(Describe, GivesTheSameAsJson) {
    std::string compact = describe_json(odd_machine());
    std::erase_if(compact, [](char c) { return c == ' ' || c == '\n'; });
    const auto node = [](const std::string& name, int ram) {
        return R"({"node":")" + name + R"(","ram_bytes":)" + std::to_string(ram) +
               R"(,"clock_hz":20000000,"link_bits_per_second":[20000000,20000000,20000000,20000000]})";
    };
    EXPECT_EQ(
        compact,
        R"({"schema":"magicwire.describe/1","name":"odd","host":"n0.0","host_connections":[{"connection":0,"end":"n0.0"}],)"
        R"("link_bits_per_second":20000000,"nodes":[)" +
            node("n0", 4194304) + "," + node("n1", 1048576) + "," + node("n2", 4194304) + "," + node("n3", 4194304) +
            R"(],"paths":[{"a":"n0.0","b":"host","through":[],"weight":1,"bits_per_second":20000000},)"
            R"({"a":"n0.1","b":"n1.0","through":["x0","x1"],"weight":1,"bits_per_second":20000000}],)"
            R"("switches":[{"name":"x0","wires":[{"way":0,"end":"n0.1"},{"way":1,"end":"x1.3"},{"way":31,"end":"n3.1"}],)"
            R"("connections":[[0,1]],"link_bits_per_second":20000000,"revision":"B"},)"
            R"({"name":"x1","wires":[{"way":2,"end":"n1.0"},{"way":3,"end":"x0.1"}],"connections":[[2,3]],)"
            R"("link_bits_per_second":20000000,"revision":"B"}],"boards":[],)"
            R"("waste":[],"boot_order":[],"control":[["x0","x1"]],"interrupt_master":null,)"
            R"("unreachable_allowed":true,"diameter":null,"farthest":null})");
}

TEST(Describe, GivesDiameterAndFarthestPairAsJson) {
    const std::string json = describe_json(chain(3));
    EXPECT_NE(json.find("\"diameter\": 2"), std::string::npos);
    EXPECT_NE(json.find("\"n0\",\n    \"n2\""), std::string::npos);
}

TEST(Describe, ShowsWeightsWasteAndBootOrder) {
    const MachineDescription machine = parse_machine(
        "version: 1\nname: w\nnodes: {count: 3, ram: 4MiB}\nhost: n0.0\nlinks: [n0.1 - n1.0, n1.1 - n2.0]\n"
        "weights: {default: 2, n1.0 - n0.1: 100}\nwaste: [n2, n0]\nboot_order: [n0, n1]\n",
        "w.yaml");
    const std::string text = describe_text(machine);
    EXPECT_NE(text.find("  waste     do not compute: n0 and n2\n  boot      the host, n0, n1\n"), std::string::npos) << text;
    EXPECT_NE(text.find("  from  to    weight  through\n"
                        "  n0.0  host       2  wire\n"
                        "  n0.1  n1.0     100  wire\n"
                        "  n1.1  n2.0       2  wire\n"),
              std::string::npos)
        << text;
}
