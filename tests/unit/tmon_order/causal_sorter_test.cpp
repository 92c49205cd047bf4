#include <tmon_order/causal_sorter.hpp>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "kept_records.hpp"
#include "random_history.hpp"

namespace tmon_order {
namespace {

using testing_support::History;
using testing_support::HistoryChoice;
using testing_support::HistoryRecord;
using testing_support::random_history;
using Kept = testing_support::KeptRecords;

// Cases of each property: CAUSAL_SORTER_CASES makes more of them.
std::uint32_t cases_of(std::uint32_t usual) {
    const char* wanted = std::getenv("CAUSAL_SORTER_CASES");
    return wanted != nullptr ? static_cast<std::uint32_t>(std::strtoul(wanted, nullptr, 10)) : usual;
}

enum class Arrival : std::uint8_t { StreamsInOrder, AnyOrder };

std::vector<std::size_t> arrival_of(const History& history, Arrival arrival, std::mt19937& random) {
    std::vector<std::size_t> order(history.records.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    if (arrival == Arrival::AnyOrder) return order;
    std::vector<std::vector<std::size_t>> of_stream(history.streams);
    for (std::size_t i = 0; i < history.records.size(); ++i) of_stream[history.records[i].id.stream].push_back(i);
    std::vector<std::size_t> next(history.streams, 0);
    for (std::size_t& place : order) {
        const std::uint32_t stream = history.records[place].id.stream;
        place = of_stream[stream][next[stream]++];
    }
    return order;
}

// The moments by the formulas, with no graph at all. arrival[i]: the step at which record i came.
struct Moments {
    std::vector<std::uint64_t> report, remove;
};

Moments moments_of(const History& history, const std::vector<std::uint64_t>& arrival) {
    const std::size_t count = history.records.size();
    Moments moments{std::vector<std::uint64_t>(count), std::vector<std::uint64_t>(count)};
    std::vector<std::size_t> newest(history.streams, count);
    for (std::size_t i = 0; i < count; ++i) newest[history.records[i].id.stream] = i;
    for (std::size_t i = 0; i < count; ++i) {
        moments.report[i] = arrival[i];
        for (const std::size_t cause : history.records[i].causes)
            moments.report[i] = std::max(moments.report[i], moments.report[cause]);
    }
    for (std::size_t i = 0; i < count; ++i) {
        moments.remove[i] = moments.report[i];
        for (const std::size_t effect : history.records[i].effects)
            moments.remove[i] = std::max(moments.remove[i], arrival[effect]);
        // A stream that goes on has a successor that has not come.
        if (newest[history.records[i].id.stream] == i) moments.remove[i] = ~std::uint64_t{0};
    }
    return moments;
}

void expect_moments(const History& history, const std::vector<std::size_t>& order, const char* what, std::uint32_t seed) {
    std::vector<std::uint64_t> arrival(order.size());
    for (std::size_t step = 0; step < order.size(); ++step) arrival[order[step]] = step;
    const Moments expected = moments_of(history, arrival);
    Kept kept;
    CausalSorter sorter(history.streams, kept);
    for (std::size_t step = 0; step < order.size(); ++step) {
        kept.step = step;
        const HistoryRecord& record = history.records[order[step]];
        sorter.insert(record.id, record.raw_ns, order[step], record.ends);
        std::uint64_t window = 0, unreported = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            window += arrival[i] <= step && step < expected.remove[i] ? 1U : 0U;
            unreported += arrival[i] <= step && step < expected.report[i] ? 1U : 0U;
        }
        ASSERT_EQ(sorter.counts().unreported, unreported) << what << ", seed " << seed << ", step " << step;
        ASSERT_EQ(sorter.counts().window, window) << what << ", seed " << seed << ", step " << step;
    }
    ASSERT_EQ(kept.records.size(), order.size()) << what << ", seed " << seed;
    for (std::size_t i = 0; i < kept.records.size(); ++i)
        ASSERT_EQ(kept.steps[i], expected.report[kept.records[i].payload]) << what << ", seed " << seed;
    ASSERT_EQ(sorter.counts().contradictions + sorter.counts().assumed + sorter.counts().late, 0u) << what << ", seed " << seed;
}

TEST(CausalSorter, ReportsAndDeletesEachRecordInTheStepOfTheFormulas) {
    const std::uint32_t cases = cases_of(4'000);
    for (std::uint32_t seed = 1; seed <= cases; ++seed) {
        std::mt19937 random(seed);
        const History history =
            random_history({.seed = seed, .numbered = seed % 2 == 0, .most_together = 1, .collectives = seed % 4 != 1});
        ASSERT_NO_FATAL_FAILURE(
            expect_moments(history, arrival_of(history, Arrival::StreamsInOrder, random), "streams in order", seed));
        if (seed % 2 != 0) continue;
        ASSERT_NO_FATAL_FAILURE(expect_moments(history, arrival_of(history, Arrival::AnyOrder, random), "any order", seed));
    }
}

// By the recursion of section 2.6, over the history.
std::vector<std::int64_t> final_times(const History& history, std::int64_t latency) {
    std::vector<std::int64_t> times, drift(history.streams, 0);
    for (const HistoryRecord& record : history.records) {
        std::int64_t& own = drift[record.id.stream];
        for (const std::size_t cause : record.causes) {
            const bool other = history.records[cause].id.stream != record.id.stream;
            own = std::max(own, times[cause] + (other ? latency : 0) - record.raw_ns);
        }
        times.push_back(record.raw_ns + own);
    }
    return times;
}

TEST(CausalSorter, FinalTimesDependOnTheCausalPastOnly) {
    for (std::uint32_t seed = 1; seed <= cases_of(2'000); ++seed) {
        std::mt19937 random(seed);
        const History history = random_history({.seed = seed});
        const std::int64_t latency = seed % 3 * 500;
        const std::vector<std::int64_t> expected = final_times(history, latency);
        std::vector<std::optional<RecordId>> forced(history.records.size());
        for (int round = 0; round < 2; ++round) {
            Kept kept;
            CausalSorter sorter(history.streams, kept, {.least_latency_ns = latency});
            for (const std::size_t i : arrival_of(history, Arrival::AnyOrder, random))
                sorter.insert(history.records[i].id, history.records[i].raw_ns, i, history.records[i].ends);
            ASSERT_EQ(kept.records.size(), history.records.size());
            for (const SortedRecord& record : kept.records) {
                ASSERT_EQ(record.final_ns, expected[record.payload]) << "seed " << seed;
                ASSERT_EQ(record.raw_ns, history.records[record.payload].raw_ns);
                ASSERT_EQ(record.forced_by.has_value(), record.final_ns != record.raw_ns) << "seed " << seed;
                if (round == 0) forced[record.payload] = record.forced_by;
                ASSERT_EQ(record.forced_by, forced[record.payload]) << "seed " << seed;
            }
        }
    }
}

// The direct causes on other streams, by the definition.
std::set<std::pair<std::uint32_t, std::uint64_t>> sources_of(const History& history, const HistoryRecord& record) {
    std::set<std::pair<std::uint32_t, std::uint64_t>> sources;
    for (const std::size_t cause : record.causes) {
        const RecordId id = history.records[cause].id;
        if (id.stream != record.id.stream) sources.emplace(id.stream, id.number);
    }
    return sources;
}

// Compares the sources while the record is reported.
struct SourcesCheck : SortedOutput {
    explicit SourcesCheck(const History& made) : history(made) {}
    void report(const SortedRecord& record) override {
        if (record.kind != SortedRecord::Kind::Record) return;
        std::set<std::pair<std::uint32_t, std::uint64_t>> given;
        std::int64_t latest = std::numeric_limits<std::int64_t>::min();
        for (const Cause& cause : record.sources()) {
            if (cause.id.stream == record.id.stream) {
                wrong += cause.id.number >= record.id.number || record.shared == 0 ? 1U : 0U;
                continue;
            }
            wrong += given.emplace(cause.id.stream, cause.id.number).second ? 0U : 1U;
            latest = std::max(latest, cause.final_ns);
        }
        wrong += given != sources_of(history, history.records[record.payload]) ? 1U : 0U;
        wrong += record.source.has_value() != !given.empty() || (record.source && record.source->final_ns != latest) ? 1U : 0U;
        several += given.size() > 1 ? 1U : 0U;
        if (record.shared != 0) lists.insert(record.shared);
    }
    const History& history;
    std::set<std::uint64_t> lists;
    std::uint32_t wrong = 0, several = 0;
};

TEST(CausalSorter, GivesEachRecordAllItsSources) {
    std::uint32_t several = 0;
    std::size_t lists = 0;
    for (std::uint32_t seed = 1; seed <= cases_of(1'000); ++seed) {
        std::mt19937 random(seed);
        const History history = random_history({.seed = seed, .most_together = 1 + seed % 3});
        SourcesCheck check(history);
        CausalSorter sorter(history.streams, check);
        for (const std::size_t i : arrival_of(history, Arrival::AnyOrder, random))
            sorter.insert(history.records[i].id, history.records[i].raw_ns, i, history.records[i].ends);
        ASSERT_EQ(check.wrong, 0u) << "seed " << seed;
        several += check.several;
        lists += check.lists.size();
    }
    EXPECT_GT(several, 1'000u);
    EXPECT_GT(lists, 300u);
}

TEST(CausalSorter, OneByOneGivesOneOrderWhateverTheArrival) {
    for (std::uint32_t seed = 1; seed <= cases_of(500); ++seed) {
        std::mt19937 random(seed);
        const History history = random_history({.seed = seed});
        std::vector<std::uint64_t> first;
        for (int round = 0; round < 3; ++round) {
            Kept kept;
            CausalSorter sorter(history.streams, kept, {.release = CausalSorter::Release::OneByOne});
            for (const std::size_t i : arrival_of(history, Arrival::AnyOrder, random))
                sorter.insert(history.records[i].id, history.records[i].raw_ns, i, history.records[i].ends);
            sorter.finish();
            while (sorter.report_next()) {
            }
            std::vector<std::uint64_t> order;
            std::int64_t before = std::numeric_limits<std::int64_t>::min();
            for (const SortedRecord& record : kept.records) {
                if (record.kind != SortedRecord::Kind::Record) continue;
                order.push_back(record.payload);
                ASSERT_GE(record.final_ns, before) << "seed " << seed;
                before = record.final_ns;
            }
            ASSERT_EQ(order.size(), history.records.size());
            if (round == 0) first = order;
            ASSERT_EQ(order, first) << "seed " << seed;
        }
    }
}

// A history of which records are lost, streams die and records come twice, in random arrival.
class Damage {
public:
    Damage(const History& history, std::uint32_t seed, Arrival arrival) : history_(history), random_(seed) {
        dead_from_.assign(history.streams, ~std::uint64_t{0});
        if (seed % 3 == 0) dead_from_[seed % history.streams] = random_() % 6;
        const double share = (seed % 6) * 0.1;
        for (const HistoryRecord& record : history.records)
            lost_.push_back(record.id.number < dead_from_[record.id.stream] && std::bernoulli_distribution(share)(random_));
        order_ = arrival_of(history, arrival, random_);
    }
    bool made(std::size_t i) const { return history_.records[i].id.number < dead_from_[history_.records[i].id.stream]; }
    bool lost(std::size_t i) const { return lost_[i]; }

    void feed(CausalSorter& sorter) {
        for (const std::size_t i : order_) {
            const HistoryRecord& record = history_.records[i];
            if (!made(i)) continue;
            if (lost_[i]) {
                sorter.lost(record.id.stream, record.id.number, record.id.number, i);
                continue;
            }
            for (std::uint32_t copies = 1 + (random_() % 4 == 0 ? 1 : 0); copies > 0; --copies)
                sorter.insert(record.id, record.raw_ns, i, record.ends);
        }
        for (std::uint32_t stream = 0; stream < history_.streams; ++stream) {
            if (dead_from_[stream] != ~std::uint64_t{0}) {
                sorter.ended(stream, StreamEnding::Crashed);
            } else {
                sorter.finished(stream, total(stream));
            }
        }
        sorter.finish();
    }

private:
    std::uint64_t total(std::uint32_t stream) const {
        std::uint64_t sum = 0;
        for (const HistoryRecord& record : history_.records) sum += record.id.stream == stream ? 1 : 0;
        return sum;
    }
    const History& history_;
    std::mt19937 random_;
    std::vector<std::uint64_t> dead_from_;
    std::vector<bool> lost_;
    std::vector<std::size_t> order_;
};

// A record that a cause of its own was made before all that is known of: a dead stream makes no later ones.
bool is_possible(const History& history, const Damage& damage) {
    for (std::size_t i = 0; i < history.records.size(); ++i) {
        for (const std::size_t cause : history.records[i].causes) {
            if (damage.made(i) && !damage.made(cause)) return false;
        }
    }
    return true;
}

TEST(CausalSorter, WithLossesDeathAndRepeatsNothingIsLostOrTwiceAndNoOrderIsFalse) {
    std::uint32_t assumed = 0, lossy = 0;
    for (std::uint32_t seed = 1; seed <= cases_of(4'000); ++seed) {
        const bool numbered = seed % 2 == 0;
        const History history = random_history({.seed = seed, .numbered = numbered});
        Damage damage(history, seed, numbered ? Arrival::AnyOrder : Arrival::StreamsInOrder);
        if (!is_possible(history, damage)) continue;
        Kept kept;
        CausalSorter sorter(history.streams, kept);
        damage.feed(sorter);
        std::vector<const SortedRecord*> of(history.records.size(), nullptr);
        std::vector<std::size_t> place(history.records.size());
        for (std::size_t at = 0; at < kept.records.size(); ++at) {
            const SortedRecord& record = kept.records[at];
            if (record.kind == SortedRecord::Kind::End) continue;
            ASSERT_EQ(of[record.payload], nullptr) << "seed " << seed;
            ASSERT_EQ(record.kind == SortedRecord::Kind::Lost, damage.lost(record.payload)) << "seed " << seed;
            of[record.payload] = &record;
            place[record.payload] = at;
            assumed += record.assumed != Assumed::Nothing ? 1 : 0;
        }
        for (std::size_t i = 0; i < history.records.size(); ++i) {
            ASSERT_EQ(of[i] != nullptr, damage.made(i)) << "seed " << seed << ", record " << i;
            if (of[i] == nullptr) continue;
            ASSERT_FALSE(of[i]->late) << "seed " << seed;
            lossy += damage.lost(i) ? 1U : 0U;
            bool lacks_cause = false;
            for (const std::size_t cause : history.records[i].causes) {
                const bool own = history.records[cause].id.stream == history.records[i].id.stream;
                lacks_cause = lacks_cause || (damage.lost(cause) && !own);
                const bool known = own || !(damage.lost(cause) || damage.lost(i));
                ASSERT_TRUE(!known || place[cause] < place[i]) << "seed " << seed << ", record " << i;
            }
            // Exactly those whose cause on another stream is lost say so.
            if (damage.lost(i)) continue;
            ASSERT_EQ(of[i]->assumed != Assumed::Nothing, lacks_cause) << "seed " << seed << ", record " << i;
        }
        ASSERT_EQ(sorter.counts().contradictions, 0u) << "seed " << seed;
        ASSERT_EQ(sorter.counts().window + sorter.counts().unreported, 0u) << "seed " << seed;
    }
    EXPECT_GT(assumed, 1'000u);
    EXPECT_GT(lossy, 5'000u);
}

}  // namespace
}  // namespace tmon_order
