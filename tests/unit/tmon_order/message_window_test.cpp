// The sorter without a graph, against the graph: both must report the same records in the same order, with the same counts at
// each step. The graph itself is held against the formulas in causal_sorter_test.cpp.
#include <algorithm>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <tmon_order/causal_sorter.hpp>

#include "kept_records.hpp"
#include "random_history.hpp"

namespace tmon_order {
namespace {

using testing_support::History;
using testing_support::HistoryRecord;
using testing_support::random_history;
using Reports = testing_support::KeptRecords;

std::uint32_t window_cases(std::uint32_t usual) {
    const char* wanted = std::getenv("CAUSAL_SORTER_CASES");
    return wanted != nullptr ? static_cast<std::uint32_t>(std::strtoul(wanted, nullptr, 10)) : usual;
}

// The records of each stream in their order, streams by chance.
std::vector<std::size_t> random_arrival(const History& history, std::mt19937& random) {
    std::vector<std::uint32_t> turns;
    std::vector<std::vector<std::size_t>> of_stream(history.streams);
    for (std::size_t i = 0; i < history.records.size(); ++i) {
        turns.push_back(history.records[i].id.stream);
        of_stream[turns.back()].push_back(i);
    }
    std::shuffle(turns.begin(), turns.end(), random);
    std::vector<std::size_t> next(history.streams, 0), order;
    for (const std::uint32_t stream : turns) order.push_back(of_stream[stream][next[stream]++]);
    return order;
}

// A sorter with the promise of `key_is_of_channel`, or without.
struct Side {
    Side(std::uint32_t streams, CausalSorter::Options options, bool promises)
        : promise(promises), sorter(streams, kept, options) {}
    void insert(const HistoryRecord& record, std::size_t payload) {
        std::vector<End> ends = record.ends;
        for (End& end : ends) {
            end.key_is_of_channel = end.key_is_of_channel && promise;
            end.source_may_be_late = true;
        }
        sorter.expect(ends);
        sorter.insert(record.id, record.raw_ns, payload, ends);
    }
    bool promise;
    Reports kept;
    CausalSorter sorter;
};

auto counted(const SorterCounts& of) {
    return std::tie(of.records, of.reported, of.joined, of.repeated, of.late, of.assumed, of.lost, of.sources_missing,
                    of.targets_missing, of.contradictions, of.window, of.unreported, of.most_window, of.most_unreported,
                    of.window_sum, of.unreported_sum, of.steps, of.waited_sum, of.most_waited);
}

bool same_cause(const std::optional<Cause>& a, const std::optional<Cause>& b) {
    if (!a || !b) return a.has_value() == b.has_value();
    return std::tie(a->id, a->raw_ns, a->final_ns) == std::tie(b->id, b->raw_ns, b->final_ns);
}

bool same_report(const SortedRecord& a, const SortedRecord& b) {
    return a.kind == b.kind && a.id == b.id && a.last == b.last && a.payload == b.payload && a.raw_ns == b.raw_ns &&
           a.final_ns == b.final_ns && a.forced_by == b.forced_by && same_cause(a.source, b.source) && a.assumed == b.assumed &&
           a.contradicted == b.contradicted && a.late == b.late && a.ending == b.ending;
}

std::string shown(const SortedRecord& of) {
    std::ostringstream text;
    text << of.id.stream << ":" << of.id.number << " at " << of.final_ns << " of kind " << static_cast<int>(of.kind)
         << ", assumed " << static_cast<int>(of.assumed) << (of.source ? ", with" : ", without") << " source"
         << (of.late ? ", late" : "");
    return text.str();
}

void expect_same(const Side& a, const Side& b, std::uint32_t seed) {
    ASSERT_EQ(counted(a.sorter.counts()), counted(b.sorter.counts())) << "seed " << seed;
    ASSERT_EQ(a.kept.records.size(), b.kept.records.size()) << "seed " << seed;
    for (std::size_t i = 0; i < a.kept.records.size(); ++i)
        ASSERT_TRUE(same_report(a.kept.records[i], b.kept.records[i]))
            << "seed " << seed << ", report " << i << ": " << shown(a.kept.records[i]) << " and " << shown(b.kept.records[i]);
}

// Something else than a record, at random.
void disturb(std::uint32_t what, std::uint32_t stream, std::uint64_t number, CausalSorter& sorter) {
    switch (what) {
        case 0:
            return sorter.lost(stream, number, number + 1);
        case 1:
            return sorter.finished(stream, number);
        case 2:
            return sorter.ended(stream, StreamEnding::Crashed);
        case 3:
            return sorter.give_up(number % 7);
        case 4:
            sorter.break_deadlocks();
            return;
        default:
            return sorter.finished(stream, std::uint64_t{1} << 40);  // it goes on
    }
}

TEST(MessageWindow, ReportsWhatTheGraphReports) {
    for (std::uint32_t seed = 1; seed <= window_cases(3'000); ++seed) {
        std::mt19937 random(seed);
        const History history =
            random_history({.seed = seed, .most_operations = 40, .numbered = false, .collectives = seed % 8 == 0});
        const CausalSorter::Options options{.least_latency_ns = seed % 3 * 400, .most_waiting = seed % 5 == 0 ? 2U : 1000U};
        Side window(history.streams, options, true), graph(history.streams, options, false);
        const bool disturbed = seed % 2 == 0;
        for (const std::size_t i : random_arrival(history, random)) {
            const bool twice = seed % 3 == 0 && random() % 9 == 0;
            for (Side* side : {&window, &graph}) {
                side->insert(history.records[i], i);
                if (twice) side->insert(history.records[i], i);
            }
            ASSERT_NO_FATAL_FAILURE(expect_same(window, graph, seed));
            if (!disturbed || random() % 40 != 0) continue;
            const auto what = static_cast<std::uint32_t>(random() % 6),
                       stream = static_cast<std::uint32_t>(random() % history.streams);
            const std::uint64_t number = random() % 20;
            for (Side* side : {&window, &graph}) disturb(what, stream, number, side->sorter);
            ASSERT_NO_FATAL_FAILURE(expect_same(window, graph, seed));
        }
        for (Side* side : {&window, &graph}) side->sorter.finish();
        ASSERT_NO_FATAL_FAILURE(expect_same(window, graph, seed));
    }
}

End task_end(std::uint32_t from, std::uint32_t to, std::uint64_t task, Role role) {
    End end;
    end.key = {from * 100 + to, task};
    end.channel = {from, to};
    end.role = role;
    end.from = from;
    end.to = to;
    end.source_may_be_late = true;
    end.key_is_of_channel = true;
    return end;
}

// Each stream receives what the other one sends, and records its own send afterwards.
TEST(MessageWindow, StreamsThatWaitForEachOtherAreFound) {
    Reports kept;
    CausalSorter sorter(2, kept);
    const auto insert = [&](RecordId id, const End& end) { sorter.insert(id, 10, 0, std::vector{end}); };
    insert({0, 0}, task_end(1, 0, 7, Role::Target));
    EXPECT_FALSE(sorter.break_deadlocks());
    insert({1, 0}, task_end(0, 1, 8, Role::Target));
    insert({0, 1}, task_end(0, 1, 8, Role::Source));
    EXPECT_FALSE(sorter.break_deadlocks());
    insert({1, 1}, task_end(1, 0, 7, Role::Source));
    EXPECT_TRUE(kept.records.empty());
    EXPECT_TRUE(sorter.break_deadlocks());
    ASSERT_EQ(kept.records.size(), 4u);
    EXPECT_EQ(kept.records[0].assumed, Assumed::Crossed);
}

TEST(MessageWindow, GivingUpLeavesNumbersBeforeALateRecordAlone) {
    Reports kept;
    CausalSorter sorter(2, kept);
    sorter.insert({0, 0}, 10, 0, {});
    sorter.ended(0, StreamEnding::Crashed);
    sorter.insert({0, 5}, 20, 0, {});
    sorter.give_up(0);
    ASSERT_EQ(kept.records.size(), 3u);
    EXPECT_TRUE(kept.records[2].late);
    EXPECT_EQ(sorter.counts().lost, 0u);
}

// A message with another key than the next one of its channel: nobody knows yet whether that one was lost.
TEST(MessageWindow, MessagesThatOvertakeAreJoinedByTheirKeys) {
    Reports kept;
    CausalSorter sorter(2, kept);
    const auto insert = [&](RecordId id, const End& end) { sorter.insert(id, 10, 0, std::vector{end}); };
    insert({0, 0}, task_end(0, 1, 1, Role::Source));
    insert({0, 1}, task_end(0, 1, 2, Role::Source));
    insert({1, 0}, task_end(0, 1, 2, Role::Target));
    insert({1, 1}, task_end(0, 1, 1, Role::Target));
    ASSERT_EQ(kept.records.size(), 4u);
    EXPECT_EQ(kept.records[2].source->id, (RecordId{0, 1}));
    EXPECT_EQ(kept.records[3].source->id, (RecordId{0, 0}));
    EXPECT_EQ(sorter.counts().contradictions, 0u);
}

}  // namespace
}  // namespace tmon_order
