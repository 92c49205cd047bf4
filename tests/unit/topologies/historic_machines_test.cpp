// The machines that existed: each file can be built, and each of its numbers says where it comes from.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <topologies/machine_parser.hpp>
#include <topologies/machine_writer.hpp>
#include <topologies/network.hpp>

namespace historic_machines {
namespace {

std::vector<std::filesystem::path> files() {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(MAGICWIRE_SOURCE_DIR "/topologies/machines/historic"))
        found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

bool has_digit(const std::string& text) {
    return std::any_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_one_of(std::string_view letters, char c) {
    return letters.find(c) != std::string_view::npos;
}

// "[12] and more": 12; else empty.
std::string source_of(const std::string& text) {
    const std::size_t end = text.find_first_not_of("0123456789", 1);
    const bool is_source = text.starts_with('[') && end != std::string::npos && end > 1 && text[end] == ']';
    return is_source ? text.substr(1, end - 1) : "";
}

// The fault of a line's mark; empty: none. V and R name a source of the head, D and A give a reason.
std::string fault_of_mark(const std::string& comment, const std::set<std::string>& sources) {
    bool marked = false;
    for (std::size_t at = 0; at + 3 < comment.size(); ++at) {
        const bool begins = at == 0 || is_one_of(" ,;", comment[at - 1]);
        if (!begins || comment[at + 1] != ' ') continue;
        const std::string rest = comment.substr(at + 2);
        if (is_one_of("VR", comment[at]) && !source_of(rest).empty()) {
            marked = true;
            if (!sources.contains(source_of(rest))) return "names source " + source_of(rest) + ", which the head does not have";
        }
        const bool is_reason = is_one_of("[0123456789abcdefghijklmnopqrstuvwxyz", rest[0]) && !is_one_of(",;", rest[1]);
        marked = marked || (is_one_of("DA", comment[at]) && is_reason);
    }
    return marked ? "" : "has no mark: V [n], R [n], D reason, A reason";
}

}  // namespace

TEST(HistoricMachines, AreRealisableAndNamedAsTheirFile) {
    EXPECT_GE(files().size(), 6u);
    for (const auto& file : files()) {
        const auto machine = topologies::read_machine(file);  // throws if it cannot be built
        EXPECT_EQ(machine.name, file.stem());
        EXPECT_FALSE(machine.unreachable_allowed) << file;
        EXPECT_FALSE(machine.without_host) << file;
        EXPECT_TRUE(topologies::Network(machine).farthest_pair()) << file << ": the nodes are all connected";
    }
}

TEST(HistoricMachines, AreTheSameAfterTheyAreWritten) {
    for (const auto& file : files()) {
        const auto machine = topologies::canonical_machine(topologies::read_machine(file));
        EXPECT_EQ(topologies::parse_machine(topologies::write_machine(machine), "again.yaml"), machine) << file;
    }
}

TEST(HistoricMachines, HaveEveryNodeAndEverySwitchOnABoard) {
    for (const auto& file : files()) {
        const auto machine = topologies::read_machine(file);
        std::size_t nodes = 0, switches = 0;
        for (const auto& board : machine.boards) {
            nodes += static_cast<std::size_t>(
                std::count_if(board.slots.begin(), board.slots.end(), [](const auto& slot) { return slot.has_value(); }));
            switches += board.switches.size();
        }
        EXPECT_EQ(nodes, machine.nodes.size()) << file;
        EXPECT_EQ(switches, machine.switches.size()) << file;
    }
}

TEST(HistoricMachines, SayWhereEachNumberComesFrom) {
    for (const auto& file : files()) {
        const auto lines = lines_of(file);
        std::set<std::string> sources;
        for (const std::string& line : lines)
            if (line.starts_with("# ") && !source_of(line.substr(2)).empty()) sources.insert(source_of(line.substr(2)));
        EXPECT_FALSE(sources.empty()) << file;
        std::size_t marked = 0;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (lines[i].starts_with("#") || lines[i].starts_with("version:") || lines[i].starts_with("name:")) continue;
            const std::size_t hash = lines[i].find('#');
            const std::string content = lines[i].substr(0, hash);
            const std::size_t colon = content.find(':');
            const bool only_a_name =
                colon != std::string::npos && content.find_first_not_of(' ', colon + 1) == std::string::npos;
            if (only_a_name || !has_digit(content)) continue;
            const std::string fault = fault_of_mark(hash == std::string::npos ? "" : lines[i].substr(hash + 1), sources);
            EXPECT_EQ(fault, "") << file << ":" << i + 1 << ": " << lines[i];
            ++marked;
        }
        EXPECT_GT(marked, 5u) << file;
    }
}

TEST(HistoricMachines, MarksThatNameNoSourceAreFound) {
    EXPECT_EQ(fault_of_mark(" V [1] B411", {"1"}), "");
    EXPECT_EQ(fault_of_mark(" A an example", {"1"}), "");
    EXPECT_EQ(fault_of_mark(" V [2]", {"1"}), "names source 2, which the head does not have");
    EXPECT_NE(fault_of_mark(" V", {"1"}), "");
    EXPECT_NE(fault_of_mark("", {"1"}), "");
    EXPECT_NE(fault_of_mark(" A", {"1"}), "");
}

}  // namespace historic_machines
