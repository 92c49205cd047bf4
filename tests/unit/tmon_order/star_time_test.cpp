// Short stamps give the order of messages over synchronous links, with and without lost records.
#include "star_time.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "abstract_farm.hpp"
#include "farm_trace.hpp"

namespace tmon_order {
namespace {

using testing::ElementsAre;
using testing_support::FarmTrace;

farm_spec::FarmSpec star_farm(std::uint16_t nodes, farm_spec::TreeKind tree, unsigned degree = 1) {
    return {nodes, tree, 4, degree, 3};
}

// The order by its definition: all pairs of messages that follow each other on a node, and what follows from those.
class OrderOfMessages {
public:
    explicit OrderOfMessages(const tmon_streams::Trace& trace) : time_(trace) {
        for (const auto& stream : trace.streams) {
            for (std::uint32_t index = 0; index < stream.size(); ++index) refs_.push_back({stream.node, index});
        }
        before_.assign(refs_.size(), std::vector<bool>(refs_.size()));
        same_ = before_;
        for (std::size_t a = 0; a < refs_.size(); ++a) {
            for (std::size_t b = 0; b < refs_.size(); ++b) {
                same_[a][b] = a == b || time_.partner(refs_[a]) == refs_[b];
                before_[a][b] = refs_[a].node == refs_[b].node && refs_[a].index < refs_[b].index;
            }
        }
        for (std::size_t via = 0; via < refs_.size(); ++via) {
            for (std::size_t a = 0; a < refs_.size(); ++a) {
                for (std::size_t b = 0; b < refs_.size(); ++b) {
                    const bool left = before_[a][via] || same_[a][via], right = before_[via][b] || same_[via][b];
                    if (left && right && (before_[a][via] || before_[via][b])) before_[a][b] = true;
                }
            }
        }
    }
    const std::vector<EventRef>& refs() const { return refs_; }
    bool before(std::size_t a, std::size_t b) const { return before_[a][b]; }
    bool is_an_order() const {
        for (std::size_t a = 0; a < refs_.size(); ++a) {
            for (std::size_t b = 0; b < refs_.size(); ++b)
                if (before_[a][b] && (same_[a][b] || before_[b][a])) return false;
        }
        return true;
    }

private:
    LogicalTime time_;
    std::vector<EventRef> refs_;
    std::vector<std::vector<bool>> before_, same_;
};

// The same records, some of them lost.
tmon_streams::Trace with_some_lost(const FarmTrace& farm, std::mt19937& random, unsigned percent) {
    auto copy = farm;
    tmon_streams::Collector collector(static_cast<std::uint16_t>(farm.spec().nodes));
    for (std::uint16_t node = 0; node < farm.spec().nodes; ++node) {
        for (const Event& event : copy.records()[node])
            if (random() % 100 >= percent) collector.receive(node, event.seq, std::span(&event, 1));
    }
    return collector.finish(tmon_streams::SessionEnd::Unknown);
}

TEST(StarTime, NeedsAsManyEntriesAsTheTreeHasStars) {
    const auto entries = [](std::uint16_t nodes, farm_spec::TreeKind tree, unsigned degree) {
        FarmTrace farm(star_farm(nodes, tree, degree));
        for (std::uint16_t worker = 1; worker < nodes; ++worker) farm.down(0, 0, worker);
        return StarTime::of(farm.trace(tmon_streams::SessionEnd::Unknown))->entries();
    };
    EXPECT_EQ(entries(16, farm_spec::TreeKind::Chain, 1), 8u);
    EXPECT_EQ(entries(16, farm_spec::TreeKind::Binary, 1), 5u);
    EXPECT_EQ(entries(75, farm_spec::TreeKind::Binary, 1), 26u);
}

TEST(StarTime, CountsTheMessagesOfEachStar) {
    FarmTrace farm(star_farm(4, farm_spec::TreeKind::Chain));
    farm.down(0, 0, 1).down(0, 0, 2).down(1, 0, 1).down(0, 0, 3);
    const auto time = StarTime::of(farm.trace(tmon_streams::SessionEnd::Unknown));
    ASSERT_TRUE(time);
    EXPECT_THAT(time->chain_nodes(), ElementsAre(1, 3));
    EXPECT_THAT(time->stamp({0, 0}), ElementsAre(1, 0));
    EXPECT_THAT(time->stamp({2, 0}), ElementsAre(2, 0));
    EXPECT_THAT(time->stamp({3, 0}), ElementsAre(2, 1));
    EXPECT_THAT(time->stamp({0, 1}), ElementsAre(3, 0));
    EXPECT_TRUE(time->happens_before({0, 0}, {3, 0}));
    EXPECT_FALSE(time->happens_before({0, 1}, {3, 0}));
    EXPECT_FALSE(time->happens_before({3, 0}, {0, 1}));
    EXPECT_FALSE(time->happens_before({0, 0}, {1, 0})) << "the two ends of one message";
}

// n1 gave a task to each of its children, and its records are lost. Nothing orders these two messages, so the star of n1 would
// need two counts.
TEST(StarTime, ALostCentreNeedsEntriesForItsNeighbours) {
    FarmTrace farm(star_farm(4, farm_spec::TreeKind::Binary));
    farm.arrived(0, 0, 2).arrived(1, 0, 3);
    const auto time = StarTime::of(farm.trace(tmon_streams::SessionEnd::Unknown));
    ASSERT_TRUE(time);
    EXPECT_THAT(time->chain_nodes(), ElementsAre(2, 3));
    EXPECT_FALSE(time->happens_before({2, 0}, {3, 0}));
    EXPECT_FALSE(time->happens_before({3, 0}, {2, 0}));
}

// Two messages pass each other on one link, and each node records its own first. No order of messages fits.
TEST(StarTime, ACrownHasNoShortStamps) {
    FarmTrace farm(star_farm(2, farm_spec::TreeKind::Chain));
    farm.down(0, 0, 1).sent(1, 0, 1).result_sent(0, 0, 1).arrived(1, 0, 1).result_arrived(0, 0, 1);
    EXPECT_FALSE(StarTime::of(farm.trace(tmon_streams::SessionEnd::Unknown)));
}

TEST(StarTime, IsTheOrderOfMessagesWhateverIsLost) {
    unsigned crowns = 0;
    for (std::uint32_t seed = 1; seed <= 1500; ++seed) {
        std::mt19937 random(seed);
        testing_support::FarmScenario scenario;
        scenario.seed = seed;
        scenario.spec = star_farm(static_cast<std::uint16_t>(2 + random() % 6),
                                  static_cast<farm_spec::TreeKind>(1 + random() % 3), 1 + random() % 2);
        scenario.spec.tasks = 1 + random() % 3;
        const auto history = testing_support::run_abstract_farm(scenario);
        const tmon_streams::Trace trace = with_some_lost(history.records, random, seed % 2 == 0 ? 0 : 30);
        const OrderOfMessages wanted(trace);
        const auto time = StarTime::of(trace);
        ASSERT_EQ(time.has_value(), wanted.is_an_order()) << "seed " << seed;
        crowns += time ? 0 : 1;
        for (std::size_t a = 0; time && a < wanted.refs().size(); ++a) {
            for (std::size_t b = 0; b < wanted.refs().size(); ++b)
                ASSERT_EQ(time->happens_before(wanted.refs()[a], wanted.refs()[b]), wanted.before(a, b)) << "seed " << seed;
        }
    }
    std::printf("%u of 1500 histories have a crown\n", crowns);
}

// The dimension of the order is the least number of entries that any stamps need. Two are enough if some linear extension can
// be turned round wherever the order leaves that open. The messages of one node are ordered, so one is enough for a star.
class Dimension {
public:
    explicit Dimension(std::vector<std::vector<bool>> before) : before_(std::move(before)) {}
    unsigned least_of_three() {
        const std::size_t n = before_.size();
        bool is_chain = true;
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = 0; b < a; ++b) is_chain = is_chain && (before_[a][b] || before_[b][a]);
        if (is_chain) return 1;
        taken_.assign(n, false);
        return turns() ? 2 : 3;
    }

private:
    bool turns() {
        if (order_.size() == before_.size()) return other_is_linear();
        for (std::size_t next = 0; next < before_.size(); ++next) {
            if (taken_[next] || !is_minimal(next)) continue;
            taken_[next] = true;
            order_.push_back(next);
            const bool found = turns();
            order_.pop_back();
            taken_[next] = false;
            if (found) return true;
        }
        return false;
    }
    bool is_minimal(std::size_t next) const {
        for (std::size_t other = 0; other < before_.size(); ++other)
            if (!taken_[other] && before_[other][next]) return false;
        return true;
    }
    // The other extension has no choice left; it is one if it has no circle.
    bool other_is_linear() const {
        std::vector<std::size_t> larger(before_.size());
        for (std::size_t i = 0; i < order_.size(); ++i) {
            for (std::size_t j = i + 1; j < order_.size(); ++j) ++larger[before_[order_[i]][order_[j]] ? order_[j] : order_[i]];
        }
        std::sort(larger.begin(), larger.end());
        for (std::size_t i = 0; i < larger.size(); ++i)
            if (larger[i] != i) return false;
        return true;
    }

    std::vector<std::vector<bool>> before_;
    std::vector<bool> taken_;
    std::vector<std::size_t> order_;
};

// The largest dimension of small histories on each tree, beside the entries.
TEST(StarTime, HasNoFewerEntriesThanTheDimensionOfSmallHistories) {
    const auto largest = [](std::uint16_t nodes, farm_spec::TreeKind tree, std::size_t messages) {
        unsigned most = 0;
        std::size_t entries = 0;
        std::mt19937 random(nodes);
        for (int tries = 0; tries < 400; ++tries) {
            FarmTrace farm(star_farm(nodes, tree));
            std::vector<EventRef> receives;
            for (std::uint32_t task = 0; task < messages; ++task) {
                const auto worker = static_cast<std::uint16_t>(1 + random() % (nodes - 1u));
                farm.down(task, 0, worker);
                receives.push_back({worker, static_cast<std::uint32_t>(farm.records()[worker].size() - 1)});
            }
            const auto time = StarTime::of(farm.trace(tmon_streams::SessionEnd::Unknown));
            std::vector<std::vector<bool>> before(messages, std::vector<bool>(messages));
            for (std::size_t a = 0; a < messages; ++a) {
                for (std::size_t b = 0; b < messages; ++b) before[a][b] = time->happens_before(receives[a], receives[b]);
            }
            const unsigned dimension = Dimension(before).least_of_three();
            EXPECT_LE(dimension, time->entries());
            if (time->entries() == 1) {
                EXPECT_EQ(dimension, 1u);
            }
            most = std::max(most, dimension);
            entries = std::max(entries, time->entries());
        }
        std::printf("%2u nodes, %s: %zu entries, dimension %u%s\n", nodes,
                    tree == farm_spec::TreeKind::Chain ? "chain" : "binary", entries, most, most == 3 ? " or more" : "");
        return most;
    };
    EXPECT_EQ(largest(3, farm_spec::TreeKind::Chain, 7), 1u);
    EXPECT_EQ(largest(5, farm_spec::TreeKind::Chain, 8), 2u);
    EXPECT_EQ(largest(7, farm_spec::TreeKind::Chain, 9), 2u);
    EXPECT_EQ(largest(10, farm_spec::TreeKind::Chain, 9), 2u);  // never more on a chain: decision 0043
    EXPECT_GE(largest(8, farm_spec::TreeKind::Binary, 9), 2u);
}

}  // namespace
}  // namespace tmon_order
