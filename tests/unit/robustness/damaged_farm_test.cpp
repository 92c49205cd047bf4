// Farms that steal or bundle, over links that damage their messages.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include <unistd.h>

#include "bad_links.hpp"
#include "child_process.hpp"
#include "summing_farm.hpp"

namespace {

using farm_spec::FarmSpec;
using farm_spec::Policy;
using farm_spec::TreeKind;
using test_support::given_tree;
using test_support::in_child;
using test_support::NodeId;
using test_support::SimTime;
using test_support::SummingFarm;

// Kinds on the wire.
constexpr std::uint8_t task = 1, token = 3, steal = 6, give_up = 7, nothing = 8, returned = 9;
constexpr std::size_t circuit_header = 20, word_of_tokens = 16;

FarmSpec star_of_three(Policy policy) {
    FarmSpec config = given_tree(4, {{0, 1}, {0, 2}, {0, 3}});
    config.tasks = 30, config.buffers = 9, config.policy = policy;
    return config;
}

struct DamagedFarm : SummingFarm, private trollius_os::Witness {
    explicit DamagedFarm(const FarmSpec& config, const topologies::MachineDescription& machine = topologies::star(4))
        : SummingFarm(machine, config) {
        application.time_of = [](const auto& whose) { return whose.task % 3 == 0 ? SimTime::ms(50) : SimTime::ms(1); };
        for (std::size_t node = 0; node < config.nodes; ++node) {
            box.kernel(NodeId(static_cast<std::uint16_t>(node))).add_witness(*this);
        }
    }
    // The first message of that kind that comes over a link of any node.
    void spoil_first(std::uint8_t kind,
                     const std::function<void(std::span<std::byte> header, std::span<std::byte> body)>& change) {
        auto done = std::make_shared<bool>(false);
        for (std::size_t node = 0; node < box.node_count(); ++node) {
            box.port(NodeId(static_cast<std::uint16_t>(node)))
                .set_damage([=](vocabulary::LinkNo, std::span<std::byte> header, std::span<std::byte> body) {
                    if (!*done && header.size() == circuit_header && header[0] == std::byte{kind}) {
                        *done = true;
                        change(header, body);
                    }
                    return true;
                });
        }
    }
    void make_it(std::uint8_t kind, std::uint8_t other) {
        spoil_first(kind, [other](std::span<std::byte> header, auto) { header[0] = std::byte{other}; });
    }
    std::vector<std::string> why;

private:
    void on_dropped(const trollius_os::MessageDropped& what) override { why.push_back(what.why); }
};

struct Lost {
    std::uint8_t kind;
    std::size_t tasks;
};
class LostMessageOfStealing : public testing::TestWithParam<Lost> {};

}  // namespace

TEST_P(LostMessageOfStealing, CostsNoOtherTask) {
    DamagedFarm farm(star_of_three(Policy::WorkStealing));
    farm.make_it(GetParam().kind, 0x80);
    EXPECT_EQ(farm.run(SimTime::s(20)), GetParam().tasks == 30);
    EXPECT_EQ(farm.why.size(), 1u);
    EXPECT_EQ(farm.application.results.size(), GetParam().tasks);
}
INSTANTIATE_TEST_SUITE_P(Kinds, LostMessageOfStealing,
                         testing::Values(Lost{give_up, 30}, Lost{nothing, 30}, Lost{returned, 29}));

TEST(DamagedKindOfStealing, IsDroppedWhereNobodySteals) {
    DamagedFarm farm(star_of_three(Policy::FloodFilling));
    farm.make_it(token, steal);
    farm.run(SimTime::s(20));
    EXPECT_THAT(farm.why, testing::ElementsAre("a message of work stealing, in a farm that does not steal"));
}

TEST(DamagedKindOfStealing, IsNoAnswerToWhatWasNotAsked) {
    DamagedFarm farm(star_of_three(Policy::WorkStealing));
    farm.make_it(token, nothing);
    farm.run(SimTime::s(20));
    EXPECT_THAT(farm.why, testing::ElementsAre("an answer without a request"));
}

TEST(DamagedKindOfStealing, GivesNoTaskUpToAnotherThanTheParent) {
    DamagedFarm farm(star_of_three(Policy::WorkStealing));
    farm.make_it(token, give_up);
    farm.run(SimTime::s(20));
    EXPECT_THAT(farm.why, testing::ElementsAre("a request from below to give up a task"));
}

TEST(DamagedKindOfStealing, StealsNothingFromBelow) {
    DamagedFarm farm(star_of_three(Policy::WorkStealing));
    farm.make_it(0, steal);  // a start signal
    farm.run(SimTime::s(20));
    EXPECT_EQ(farm.why.front(), "a request for a task from above, or while one is unanswered");
}

TEST(DamagedKindOfStealing, TakesNoTaskBackThatItDidNotAskFor) {
    DamagedFarm farm(star_of_three(Policy::WorkStealing));
    farm.make_it(2, returned);  // a result
    EXPECT_FALSE(farm.run(SimTime::s(20)));
    EXPECT_THAT(farm.why,
                testing::ElementsAre("a task returned without a request, or with tokens for more places than there are"));
}

TEST(DamagedTaskOfStealing, IsNotTakenForAnAnswer) {
    DamagedFarm farm(star_of_three(Policy::WorkStealing));
    farm.spoil_first(task, [](std::span<std::byte> header, auto) { header[word_of_tokens] ^= std::byte{1}; });
    EXPECT_FALSE(farm.run(SimTime::s(20)));
    EXPECT_THAT(farm.why, testing::ElementsAre("a task for a request that was not made"));
}

class DamagedBundle : public testing::TestWithParam<int> {};

TEST_P(DamagedBundle, WithALengthThatDoesNotFitIsDropped) {
    FarmSpec config = star_of_three(Policy::FloodFilling);
    config.granularity = 4;
    DamagedFarm farm(config);
    farm.spoil_first(task, [](auto, std::span<std::byte> body) {
        body[static_cast<std::size_t>(GetParam()) / 8] ^= static_cast<std::byte>(1U << (GetParam() % 8));
    });
    EXPECT_FALSE(farm.run(SimTime::s(20)));
    EXPECT_THAT(farm.why, testing::ElementsAre("a bundle with inconsistent lengths"));
    EXPECT_EQ(farm.application.results.size(), 26u);
}
INSTANTIATE_TEST_SUITE_P(Bits, DamagedBundle, testing::Values(1, 5, 8, 31));

TEST(DamagedBundleNumber, ThatNoBundleHasIsDropped) {
    FarmSpec config = star_of_three(Policy::FloodFilling);
    config.granularity = 4;
    DamagedFarm farm(config);
    farm.spoil_first(task, [](std::span<std::byte> header, auto) { header[4] ^= std::byte{1}; });
    EXPECT_FALSE(farm.run(SimTime::s(20)));
    EXPECT_THAT(farm.why, testing::ElementsAre("a bundle with inconsistent lengths"));
}

namespace {

struct Outcome {
    std::uint64_t happened = 0;
    bool once = true, issued_only = true;
};

Outcome over_bad_links(std::uint32_t seed) {
    alarm(60);
    FarmSpec config{.nodes = 8,
                    .tree = TreeKind::Binary,
                    .tasks = 80,
                    .degree = seed % 3 == 0 ? 2U : 1U,
                    .depth = 5,
                    .buffers = 1 + seed % 4,
                    .granularity = seed % 2 == 0 ? 1U : 2 + seed % 5,
                    .policy = static_cast<Policy>(1 + seed / 2 % 3)};
    SummingFarm farm(topologies::binary_tree(8), config);
    test_support::BadLinks links{.seed = seed * 7919ULL, .one_in = seed % 4 < 2 ? 20U : 100U, .swallowed_in = seed % 2 * 4};
    test_support::spoil(farm.box, links);
    farm.run(SimTime::s(30));
    Outcome outcome{.happened = links.happened};
    for (const auto& [number, sums] : farm.application.results) {
        outcome.once &= sums.size() == 1;
        outcome.issued_only &= number < config.tasks;
    }
    return outcome;
}

class FarmsOverBadLinks : public testing::TestWithParam<std::uint32_t> {};
constexpr std::uint32_t portions = 3, seeds = 90;

}  // namespace

TEST_P(FarmsOverBadLinks, FallNeverAndBringNoTaskBackTwice) {
    std::uint64_t happened = 0;
    for (std::uint32_t seed = GetParam(); seed < seeds; seed += portions) {
        const auto outcome = in_child([seed] { return over_bad_links(seed); });
        ASSERT_TRUE(outcome.has_value()) << "seed " << seed << ": the simulator fell or did not end";
        EXPECT_TRUE(outcome->once) << "seed " << seed;
        EXPECT_TRUE(outcome->issued_only) << "seed " << seed;
        happened += outcome->happened;
    }
    EXPECT_GT(happened, 100u);
}
INSTANTIATE_TEST_SUITE_P(Portions, FarmsOverBadLinks, testing::Range(0U, portions));
