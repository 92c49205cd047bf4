// Every delivered machine file, and the example in the format's description, is read as the program's users read it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <topologies/generators.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/machine_writer.hpp>
#include <topologies/network.hpp>

using topologies::binary_tree;
using topologies::chain;
using topologies::MachineDescription;
using topologies::Network;
using topologies::parse_machine;
using topologies::read_machine;
using topologies::write_machine;
using vocabulary::LinkNo;
using vocabulary::NodeId;

namespace {

const std::filesystem::path source_dir = MAGICWIRE_SOURCE_DIR;

MachineDescription delivered(const std::string& name) {
    return read_machine(source_dir / "topologies/machines" / (name + ".yaml"));
}

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::vector<std::filesystem::path> machine_files() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(source_dir / "topologies/machines"))
        if (entry.is_regular_file()) files.push_back(entry.path());  // those of historic/: historic_machines_test.cpp
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

TEST(MachineFiles, AllParseAndAreNamedAsTheirFile) {
    EXPECT_GE(machine_files().size(), 7u);
    for (const auto& file : machine_files()) EXPECT_EQ(read_machine(file).name, file.stem());
}

TEST(MachineFiles, AreACommentAndTheCanonicalText) {
    for (const auto& file : machine_files()) {
        const std::string text = text_of(file);
        EXPECT_TRUE(text.starts_with("# ")) << file;
        EXPECT_EQ(text.substr(text.find('\n') + 1), write_machine(read_machine(file))) << file;
    }
}

TEST(MachineFiles, AreWhatTheGeneratorsMake) {
    EXPECT_EQ(delivered("btree_8"), binary_tree(8));
    EXPECT_EQ(delivered("btree_16"), binary_tree(16));
    EXPECT_EQ(delivered("chain_6"), chain(6));
    EXPECT_EQ(delivered("btree_8_c004"), binary_tree(8, true));
    EXPECT_EQ(delivered("btree_16_c004"), binary_tree(16, true));
    EXPECT_EQ(delivered("chain_6_c004"), chain(6, true));
}

TEST(MachineFiles, PairIsTheSmallestChain) {
    MachineDescription pair = chain(2);
    pair.name = "pair";
    EXPECT_EQ(delivered("pair"), pair);
}

TEST(MachineFiles, ExampleOfTheFormatDescriptionParses) {
    const std::string page = text_of(source_dir / "docs/formats/machine_file.md");
    const std::string fence = "```yaml\n";
    const std::size_t begin = page.find(fence);
    ASSERT_NE(begin, std::string::npos);
    const std::size_t end = page.find("```", begin + fence.size());
    const MachineDescription machine =
        parse_machine(page.substr(begin + fence.size(), end - begin - fence.size()), "example.yaml");
    EXPECT_EQ(machine.nodes.size(), 5u);
    EXPECT_EQ(machine.nodes[3].ram_bytes, 16u << 20);
    EXPECT_EQ(machine.switches.size(), 2u);
    EXPECT_EQ(Network(machine).neighbour(NodeId(2), LinkNo(1))->switches, 2u);
}
