// Random programs on random machines: each ends, or is told of its errors, or waits. None hangs or ends the simulator.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <node_programs/builder.hpp>

#include "child_process.hpp"
#include "program_bench.hpp"
#include "random_source.hpp"

namespace {

using test_support::ProgramBench;

topologies::MachineDescription machine(unsigned seed) {
    switch (seed % 4) {
        case 0:
            return topologies::chain(2 + seed % 5);
        case 1:
            return topologies::ring(3 + seed % 6);
        case 2:
            return topologies::mesh(2 + seed % 2, 3);
        default:
            return test_support::machine_file("btree_8");
    }
}

struct Outcome {
    std::int64_t picoseconds = 0;
    std::size_t ends = 0, diagnoses = 0, text = 0;
    bool operator==(const Outcome&) const = default;
};

Outcome run(const std::string& folder, unsigned seed, unsigned programs) {
    const auto costs = seed % 3 == 0 ? user_programs::CostSource::Estimated : user_programs::CostSource::Explicit;
    ProgramBench bench(machine(seed), costs, seed);
    bench.load("random", folder);
    std::vector<ProgramBench::Start> starts;
    for (unsigned i = 0; i < 1 + seed % 5; ++i) {
        const auto node = static_cast<std::uint16_t>((seed + i) % bench.box().node_count());
        starts.push_back({node, "random", {std::to_string((seed + i * i) % programs)}});
    }
    bench.run(starts, test_support::SimTime::ms(500));
    return {bench.box().now().in_ps(), bench.ends.size(), bench.report().diagnoses.all().size(),
            std::hash<std::string>()(bench.printed())};
}

}  // namespace

TEST(RandomPrograms, NeverHangOrEndTheSimulator) {
    constexpr unsigned programs = 200;
    // Other programs, for a longer search.
    const char* const wanted = std::getenv("MAGICWIRE_RANDOM_SEED");
    const unsigned first = wanted == nullptr ? 0 : static_cast<unsigned>(std::atoi(wanted));
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("magicwire_random_test." + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "random.c") << test_support::RandomSource::programs(first, programs);
    node_programs::build(
        {.files = {(folder / "random.c").string()}, .output = (folder / "random.so").string(), .options = {"-w"}});
    std::size_t ended = 0, diagnosed = 0;
    for (unsigned seed = first; seed < first + programs; ++seed) {
        const auto outcome = test_support::in_child([&] { return run(folder, seed, programs); });
        ASSERT_TRUE(outcome) << "seed " << seed;
        ended += outcome->ends > 0;
        diagnosed += outcome->diagnoses > 0;
        if (seed % 20 != 0) continue;
        const auto again = test_support::in_child([&] { return run(folder, seed, programs); });
        ASSERT_TRUE(again) << "seed " << seed;
        EXPECT_EQ(*again, *outcome) << "seed " << seed;
    }
    EXPECT_GT(ended, programs / 4) << "else the test says little";
    EXPECT_GT(diagnosed, programs / 10);
    std::filesystem::remove_all(folder);
}
