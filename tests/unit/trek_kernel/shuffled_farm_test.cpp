// Farms whose kernels deliver in any order: the results do not depend on it.
#include <gmock/gmock.h>

#include <array>
#include <deque>

#include "child_process.hpp"
#include "shuffled_delivery.hpp"
#include "summing_farm.hpp"

using test_support::ShuffledDelivery;

namespace {

constexpr std::uint32_t tasks = 60;

struct Seen {
    bool finished = false, right = false;
    std::uint64_t choices = 0;
    std::array<char, 17> run_hash{};
};

// A farm of seven nodes, in a process of its own.
Seen farm_with(std::uint64_t seed) {
    const auto seen = test_support::in_child([seed] {
        farm_spec::FarmSpec config{.nodes = 7, .tree = farm_spec::TreeKind::Binary, .tasks = tasks};
        config.degree = 2;
        test_support::SummingFarm farm(topologies::binary_tree(7), config);
        std::deque<ShuffledDelivery> policies;
        for (std::uint16_t node = 0; node < 7; ++node) {
            policies.emplace_back(seed * 100 + node);
            farm.box.kernel(test_support::NodeId(node)).set_delivery(&policies.back());
        }
        Seen result{.finished = farm.run(), .right = farm.application.right(tasks)};
        for (const ShuffledDelivery& policy : policies) result.choices += policy.choices();
        farm.truth.run_hash().copy(result.run_hash.data(), 16);
        return result;
    });
    return seen.value_or(Seen{});
}

}  // namespace

TEST(ShuffledFarm, GivesTheRightResultsForEverySeedAndRepeatsForOne) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Seen first = farm_with(seed), again = farm_with(seed);
        EXPECT_TRUE(first.finished && first.right) << "seed " << seed;
        EXPECT_GT(first.choices, 0U) << "seed " << seed;
        EXPECT_EQ(first.run_hash, again.run_hash) << "seed " << seed;
    }
}
