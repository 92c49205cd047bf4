#include <tmon_order/order_rules.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include "kept_records.hpp"

namespace tmon_order {
namespace {

using trace_record::Collective;
using trace_record::Event;
using trace_record::EventKind;

constexpr std::uint16_t group_cast = 0x8003;

// The records of one node; seq is the place in the list.
std::vector<Event> of_member(std::uint16_t node, const std::vector<std::uint16_t>& members, std::uint32_t rounds,
                             std::uint32_t first_round = 1) {
    std::vector<Event> events;
    for (std::uint32_t rank = 0; rank < members.size(); ++rank)
        events.push_back({.task = group_cast,
                          .subtask = rank,
                          .bytes = static_cast<std::uint32_t>(members.size()),
                          .peer = members[rank],
                          .kind = EventKind::Member});
    for (std::uint32_t round = first_round; round <= rounds; ++round) {
        for (const EventKind kind : {EventKind::CollectiveBegin, EventKind::CollectiveEnd})
            events.push_back({.task = static_cast<std::uint32_t>(Collective::AllToAll),
                              .subtask = 7,
                              .bytes = round,
                              .peer = group_cast,
                              .kind = kind});
    }
    for (std::uint32_t seq = 0; seq < events.size(); ++seq) events[seq].seq = seq, events[seq].node = node;
    return events;
}

struct GroupSort {
    explicit GroupSort(std::uint16_t nodes) : rules(record_rules(nodes)), sorter(nodes, kept) {}
    void add(const Event& event) {
        std::vector<End> ends;
        rules->ends(event, ends);
        added.push_back(event);
        sorter.insert({event.node, event.seq}, 0, added.size() - 1, ends);
    }
    // The streams in random turn, each in its order; then all have ended.
    void add_in_turn(const std::vector<std::vector<Event>>& streams, std::mt19937& random) {
        std::vector<std::size_t> turns;
        for (std::size_t at = 0; at < streams.size(); ++at) turns.insert(turns.end(), streams[at].size(), at);
        std::shuffle(turns.begin(), turns.end(), random);
        std::vector<std::size_t> next(streams.size(), 0);
        for (const std::size_t at : turns) add(streams[at][next[at]++]);
        for (const auto& stream : streams) sorter.finished(stream.back().node, stream.back().seq + 1);
        sorter.finish();
    }
    // Reports of the kind, in their order.
    std::vector<SortedRecord> of(EventKind kind) const {
        std::vector<SortedRecord> some;
        for (const SortedRecord& record : kept.records) {
            if (record.kind == SortedRecord::Kind::Record && added[record.payload].kind == kind) some.push_back(record);
        }
        return some;
    }
    // Ends that stand before a begin of the same round on another node.
    std::size_t early_ends() const {
        std::size_t early = 0;
        std::vector<std::pair<std::uint16_t, std::uint32_t>> ended;
        for (const SortedRecord& record : kept.records) {
            if (record.kind != SortedRecord::Kind::Record) continue;
            const Event& event = added[record.payload];
            if (event.kind == EventKind::CollectiveEnd) ended.emplace_back(event.node, event.bytes);
            if (event.kind != EventKind::CollectiveBegin) continue;
            for (const auto& [node, round] : ended) early += node != event.node && round == event.bytes ? 1 : 0;
        }
        return early;
    }
    std::vector<Event> added;
    testing_support::KeptRecords kept;
    std::unique_ptr<OrderRules> rules;
    CausalSorter sorter;
};

TEST(RecordedGroups, PutEachEndBehindTheBeginsOfAllMembers) {
    std::mt19937 random(3);
    for (int turn = 0; turn < 50; ++turn) {
        GroupSort sort(5);
        const std::vector<std::uint16_t> members{4, 0, 9, 2};  // 9 is the host, which records nothing
        sort.add_in_turn({of_member(4, members, 6), of_member(0, members, 6), of_member(2, members, 6)}, random);
        EXPECT_EQ(sort.early_ends(), 0U);
        EXPECT_EQ(sort.sorter.counts().joined, 6U);
        EXPECT_EQ(sort.sorter.counts().assumed, 0U);
        for (const SortedRecord& end : sort.of(EventKind::CollectiveEnd)) EXPECT_TRUE(end.source.has_value());
    }
}

// Class `message` was off on node 1 for two rounds: nobody contradicts anybody.
TEST(RecordedGroups, AreNoContradictionWhereAMemberRecordedNotEachRound) {
    std::mt19937 random(4);
    const std::vector<std::uint16_t> members{0, 1, 2};
    for (int turn = 0; turn < 50; ++turn) {
        GroupSort sort(3);
        sort.add_in_turn({of_member(0, members, 4), of_member(1, members, 4, 3), of_member(2, members, 4)}, random);
        EXPECT_EQ(sort.sorter.counts().contradictions, 0U);
        EXPECT_EQ(sort.early_ends(), 0U);
        for (const SortedRecord& end : sort.of(EventKind::CollectiveEnd)) {
            const bool whole = sort.added[end.payload].bytes >= 3;
            EXPECT_EQ(end.assumed, whole ? Assumed::Nothing : Assumed::Lost);
        }
    }
}

// The other node's list counts where one has a gap, once it is known.
TEST(RecordedGroups, TakeTheListOfAnotherNodeWhereAMemberIsLost) {
    const std::vector<std::uint16_t> members{0, 1};
    for (const bool known_before : {true, false}) {
        GroupSort sort(2);
        const std::vector<Event> whole = of_member(0, members, 2);
        std::vector<Event> torn = of_member(1, members, 2);
        torn.erase(torn.begin() + 1);  // of rank 1
        sort.sorter.lost(1, 1, 1);
        const auto& first = known_before ? whole : torn;
        const auto& second = known_before ? torn : whole;
        for (const auto* stream : {&first, &second}) {
            for (const Event& event : *stream) sort.add(event);
        }
        for (const auto* stream : {&first, &second}) sort.sorter.finished(stream->back().node, stream->back().seq + 1);
        sort.sorter.finish();
        EXPECT_EQ(sort.sorter.counts().joined, known_before ? 2U : 0U);
        EXPECT_EQ(sort.early_ends(), known_before ? 0U : 2U);  // nothing ties node 1
        for (const SortedRecord& end : sort.of(EventKind::CollectiveEnd)) EXPECT_EQ(end.source.has_value(), known_before);
        EXPECT_EQ(sort.sorter.counts().contradictions, 0U);
    }
}

// Two processes of a node record the members at once.
TEST(RecordedGroups, KeepAWholeListWhenAPartOfAnotherFollows) {
    const std::unique_ptr<OrderRules> rules = record_rules(2);
    std::vector<Event> events = of_member(0, {0, 1}, 1);
    events.insert(events.begin() + 2, events[1]);  // whole, then the second half of the other process' list
    events.insert(events.begin(), events[0]);      // whose first half came before
    std::vector<End> ends;
    for (const Event& event : events) rules->ends(event, ends);
    EXPECT_EQ(ends.size(), 2U);
}

TEST(RecordedGroups, AreNotTakenFromListsThatCannotBe) {
    for (const std::vector<std::uint16_t>& members : {std::vector<std::uint16_t>{0, 0}, {1, 2}, {9, 8}}) {
        GroupSort sort(3);
        for (const Event& event : of_member(0, members, 1)) sort.add(event);  // a node twice, not in it, or alone
        EXPECT_EQ(sort.of(EventKind::CollectiveEnd).size(), 1U);
        EXPECT_EQ(sort.sorter.counts().joined, 0U);
    }
    const std::unique_ptr<OrderRules> rules = record_rules(3);
    std::vector<End> ends;
    std::vector<Event> wrong = of_member(0, {0, 1}, 1);
    wrong[1].bytes = 3;           // sizes that differ
    wrong[2].task = 0xFFFF'FF08;  // no operation that is known
    for (const Event& event : wrong) rules->ends(event, ends);
    EXPECT_TRUE(ends.empty());
}

}  // namespace
}  // namespace tmon_order
