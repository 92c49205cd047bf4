// The examples on models, and what a message costs by layer.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include <host_files/host_files.hpp>

#include "program_bench.hpp"

using test_support::ProgramBench;
using testing::HasSubstr;

namespace {

struct ExampleBench : ProgramBench {
    ExampleBench(const topologies::MachineDescription& machine, const std::string& name) : ProgramBench(machine), name_(name) {
        load(name, MAGICWIRE_TROLLIUS_EXAMPLES);
    }
    // On the first nodes; returns the printed text.
    std::string on(std::uint16_t nodes, const trollius_os::Arguments& words) {
        std::vector<Start> starts;
        for (std::uint16_t node = 0; node < nodes; ++node) starts.push_back({node, name_, words});
        EXPECT_TRUE(run(starts));
        EXPECT_EQ(said(), "");
        EXPECT_THAT(ends, testing::Each(testing::Field(&std::pair<int, int>::second, 0)));
        return printed();
    }

private:
    std::string name_;
};

// The time in a line of ping_pong.
double time_of(const std::string& text, const std::string& layer, int bytes) {
    for (std::size_t at = text.find(layer + " "); at != std::string::npos; at = text.find(layer + " ", at + 1)) {
        int length = 0;
        double us = 0;
        if (std::sscanf(text.c_str() + at + layer.size(), " %d bytes %lf us", &length, &us) == 2 && length == bytes) return us;
    }
    ADD_FAILURE() << "no line for " << layer << " and " << bytes << " bytes in\n" << text;
    return 0;
}

}  // namespace

class PingPong : public testing::Test {
protected:
    // Its lines on two neighbours.
    std::string lines() {
        bench_.load("ping_pong", MAGICWIRE_TROLLIUS_EXAMPLES);
        EXPECT_TRUE(bench_.run({{0, "ping_pong", {"1"}}, {1, "ping_pong", {"0"}}}, test_support::SimTime::s(60)));
        EXPECT_EQ(bench_.said(), "");
        EXPECT_THAT(bench_.ends, testing::UnorderedElementsAre(std::pair(0, 0), std::pair(1, 0)));
        return bench_.printed();
    }

private:
    ProgramBench bench_{topologies::chain(2)};
};

TEST_F(PingPong, TakesTheRendezvousOfEachLayer) {
    const std::string text = lines();
    const double header = 56 * 0.575, rendezvous = 60;
    EXPECT_NEAR(time_of(text, "ksend", 0), rendezvous, 5);
    EXPECT_NEAR(time_of(text, "ksend", 4096) - time_of(text, "ksend", 0), 4096 / 13.3, 5) << "one copy";
    EXPECT_NEAR(time_of(text, "dsend", 0), 2 * rendezvous + header, 15);
    EXPECT_NEAR(time_of(text, "nsend, no buffers", 0), 2 * rendezvous + header, 15);
    EXPECT_GT(time_of(text, "nsend, no buffers", 0), time_of(text, "dsend", 0)) << "the route is looked up";
    EXPECT_NEAR(time_of(text, "nsend", 0), 4 * rendezvous + header, 30) << "some of it beside the link's work";
    EXPECT_NEAR(time_of(text, "tsend", 0), 3 * time_of(text, "nsend", 0), 30) << "three messages";
    const double of_4096 = time_of(text, "nsend, no buffers", 4096) - time_of(text, "nsend, no buffers", 0);
    EXPECT_NEAR(of_4096, 4096 * (0.575 + 2 / 13.3), 40) << "on the link, and two copies";
    for (const int bytes : {0, 64, 1024, 4096, 65536}) {
        EXPECT_LT(time_of(text, "psend", bytes), time_of(text, "dsend", bytes)) << "no rendez-vous";
        EXPECT_GT(time_of(text, "psend", bytes), bytes * 0.575) << "one link";
    }
}

// A row of the page is "| `ksend` | 62 | ...", with a space in large numbers.
TEST_F(PingPong, GivesTheTableOfTheResultsPage) {
    const std::string text = lines();
    std::ifstream page(MAGICWIRE_SOURCE_DIR "/docs/results/trollius.md");
    std::map<std::string, std::vector<double>> rows;
    for (std::string line; std::getline(page, line);) {
        if (!line.starts_with("| `")) continue;
        std::istringstream cells(line.substr(2));
        std::string layer;
        std::getline(cells, layer, '|');
        for (std::string cell; std::getline(cells, cell, '|');) {
            cell.erase(std::remove(cell.begin(), cell.end(), ' '), cell.end());
            rows[layer].push_back(std::stod(cell));
        }
    }
    const std::array<std::pair<const char*, const char*>, 6> layers = {{{"ksend", "`ksend` "},
                                                                        {"dsend", "`dsend` "},
                                                                        {"nsend, no buffers", "`nsend` with `NOBUF` "},
                                                                        {"nsend", "`nsend` "},
                                                                        {"tsend", "`tsend` "},
                                                                        {"psend", "`psend` "}}};
    for (const auto& [layer, row] : layers) {
        std::vector<double> times;
        for (const int bytes : {0, 64, 1024, 4096, 65536}) times.push_back(time_of(text, layer, bytes));
        // The length of the program moves the phase of the clock, which counts microseconds.
        EXPECT_THAT(times, testing::Pointwise(testing::DoubleNear(1), rows[row])) << row;
    }
}

TEST(Ring, AddsTheNumbersOfItsNodes) {
    ExampleBench bench(topologies::chain(6), "ring");
    EXPECT_THAT(bench.on(6, {"4"}), HasSubstr("6 nodes, 4 rounds: sum 60, "));
}

TEST(AllToAll, GetsEveryBlockWhole) {
    ExampleBench bench(test_support::machine_file("btree_16"), "all_to_all");
    EXPECT_THAT(bench.on(16, {"5000"}), testing::StartsWith("16 nodes, blocks of 5000 bytes: "));
}

TEST(Primes, StartsItselfOnTheOtherNodes) {
    ExampleBench bench(test_support::machine_file("btree_8"), "primes");
    EXPECT_EQ(bench.on(1, {"1000"}), "168 primes below 1000, on 8 nodes\n");
}

TEST(FileCopy, GoesThroughTwoNodes) {
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("magicwire_copy." + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    std::string text;
    for (int i = 0; i < 3000; ++i) text += std::to_string(i) + "\n";
    std::ofstream(folder / "data") << text;
    host_files::HostFiles store(folder.string());
    ExampleBench bench(test_support::machine_file("btree_8"), "file_copy");
    bench.box().host_services().files = &store;
    EXPECT_THAT(bench.on(1, {"data", "8:copy", "7"}),
                testing::AllOf(HasSubstr("] p"), HasSubstr("n7 has written 13890 bytes\ndata is copied to 8:copy, in ")));
    std::ostringstream copied;
    copied << std::ifstream(folder / "copy").rdbuf();
    EXPECT_EQ(copied.str(), text);
    bench.ends.clear();
    EXPECT_TRUE(bench.run({{0, "file_copy", {"data", "3:copy", "7"}}}));
    EXPECT_THAT(bench.printed(), HasSubstr("3:copy: service unavailable\n"));
    EXPECT_THAT(bench.ends, testing::ElementsAre(std::pair(0, 1)));
    std::filesystem::remove_all(folder);
}

TEST(Arrest, StopsAProcessUntilItsRelease) {
    ExampleBench bench(topologies::chain(4), "arrest");
    const std::string text = bench.on(1, {"3"});
    std::vector<int> steps;
    for (std::size_t at = text.find("signal 7 after "); at != std::string::npos; at = text.find("signal 7 after ", at + 1)) {
        if (text.compare(at - 4, 4, "n3: ") == 0) steps.push_back(std::atoi(text.c_str() + at + 15));
    }
    ASSERT_EQ(steps.size(), 4U) << text;
    EXPECT_LT(steps[0], steps[1]);
    EXPECT_EQ(steps[1], steps[2]) << "it is stopped";
    EXPECT_LT(steps[2], steps[3]);
    EXPECT_THAT(text, HasSubstr("n0: after signal 5 it is stopped\n"));
    EXPECT_THAT(text, HasSubstr("n0: after signal 6 it is at work\n"));
    EXPECT_THAT(text,
                testing::EndsWith("n3: signal 4 ends it\nn0: after signal 4 it is gone\nn0: it has ended with status 0\n"));
}

TEST(Chat, BringsEveryLineToEveryNode) {
    ExampleBench bench(test_support::machine_file("btree_8"), "chat");
    const std::string said = bench.on(8, {"2"});
    EXPECT_THAT(said, testing::HasSubstr("n5: this is line 2 of n5\n"));
    EXPECT_THAT(said, testing::EndsWith("8 nodes, and each heard at least 16 lines in order\n"));
}
