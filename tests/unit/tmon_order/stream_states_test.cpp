// How streams stand, and the user's patience: suspicion, giving up, and the word that a node has crashed.
#include <tmon_order/trace_sorter.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include <gmock/gmock.h>

namespace tmon_order {
namespace {

using trace_record::Event;
using trace_record::EventKind;
using trace_record::LossRange;

TEST(StreamStates, AreWhatHasComeAndWhatSomebodySays) {
    StreamStates states(4, 1000);
    states.moment(500);
    states.records(0, 3);
    states.heartbeat(1);
    EXPECT_EQ(states.standing(0).state, StreamState::Active);
    EXPECT_EQ(states.standing(1).state, StreamState::Idle);
    EXPECT_EQ(states.standing(2).state, StreamState::Active) << "nothing has come, and it is not long";
    states.moment(1501);
    EXPECT_EQ(states.standing(0).state, StreamState::Suspect);
    EXPECT_EQ(states.standing(2).state, StreamState::Suspect);
    states.records(0, 1);
    states.heartbeat(0);
    EXPECT_EQ(states.standing(0).state, StreamState::Idle) << "a sign of life ends the suspicion";
    EXPECT_EQ(states.standing(0).records, 4u);
    states.finished(1);
    states.crashed(1, CrashWord::Person);
    EXPECT_EQ(states.standing(1).state, StreamState::Finished) << "it lived to its end";
    states.crashed(2, CrashWord::Neighbour);
    EXPECT_EQ(states.standing(2).state, StreamState::Crashed);
    EXPECT_EQ(states.standing(2).said_by, CrashWord::Neighbour);
    EXPECT_EQ(states.standing(2).heard_us, std::nullopt);
    EXPECT_EQ(states.standing(0).heard_us, 1501u);
}

TEST(StreamStates, NobodyIsSuspectWithoutTheUsersTime) {
    StreamStates states(1, 0);
    states.moment(1'000'000'000'000);
    EXPECT_EQ(states.standing(0).state, StreamState::Active);
}

TEST(StreamStates, KeepTheNewestLostRanges) {
    StreamStates states(1, 0);
    for (std::uint64_t i = 0; i < 20; ++i) states.lost(0, 10 * i, 10 * i + 3);
    states.lost(0, 194, 195);
    const StreamStanding standing = states.standing(0);
    EXPECT_EQ(standing.lost, 82u);
    EXPECT_EQ(standing.ranges, 20u);
    ASSERT_EQ(standing.newest_lost.size(), 8u);
    EXPECT_EQ(standing.newest_lost.back(), (std::pair<std::uint64_t, std::uint64_t>{190, 195}));
    states.found(0);
    EXPECT_EQ(states.standing(0).lost, 81u);
}

TEST(StreamStatesDeathTest, KnowTheirNodes) {
    StreamStates states(1, 0);
    EXPECT_DEATH(states.records(1, 1), "stream_states.node");
    EXPECT_DEATH(states.standing(1), "stream_states.state");
}

struct Seen : SortedItems {
    void item(const SortedItem& item) override { items.push_back(item.order); }
    const SortedRecord* find(std::uint32_t node, std::uint64_t seq) const {
        const auto at = std::find_if(items.begin(), items.end(), [&](const SortedRecord& one) {
            return one.kind == SortedRecord::Kind::Record && one.id == RecordId{node, seq};
        });
        return at == items.end() ? nullptr : &*at;
    }
    std::vector<SortedRecord> items;
};

struct PatientSort {
    PatientSort(std::uint16_t nodes, Patience patience) : sorter(nodes, seen, {.rules = {}, .patience = std::move(patience)}) {}
    void come(std::uint16_t node, std::uint32_t seq, std::uint64_t us, EventKind kind = EventKind::User,
              std::uint16_t peer = 0) {
        const Event event{.time_us = us, .seq = seq, .task = 7, .node = node, .peer = peer, .kind = kind};
        sorter.records(node, seq, {&event, 1}, us);
    }
    Seen seen;
    TraceSorter sorter;
};

TEST(TraceSorterPatience, GivesUpAfterSoManyRecordsAndTheSendIsLateThen) {
    PatientSort sort(2, {.give_up_records = 8});
    sort.come(1, 0, 1, EventKind::Receive, 0);
    for (std::uint32_t i = 0; i < 7; ++i) sort.come(0, i, 2 + i);
    EXPECT_EQ(sort.seen.find(1, 0), nullptr);
    for (std::uint32_t i = 7; i < 10; ++i) sort.come(0, i, 2 + i);
    ASSERT_NE(sort.seen.find(1, 0), nullptr);
    EXPECT_EQ(sort.seen.find(1, 0)->assumed, Assumed::GivenUp);
    sort.come(0, 10, 20, EventKind::Send, 1);
    ASSERT_NE(sort.seen.find(0, 10), nullptr);
    EXPECT_TRUE(sort.seen.find(0, 10)->late);
    EXPECT_EQ(sort.sorter.streams().standing(0).late, 1u);
}

TEST(TraceSorterPatience, GivesUpAfterTheTimeOfTheHostsClock) {
    PatientSort sort(2, {.give_up_us = 800});
    sort.come(1, 0, 1000, EventKind::Receive, 0);
    sort.sorter.moment(1700);
    EXPECT_EQ(sort.seen.find(1, 0), nullptr);
    sort.sorter.moment(1950);
    ASSERT_NE(sort.seen.find(1, 0), nullptr);
    EXPECT_EQ(sort.seen.find(1, 0)->assumed, Assumed::GivenUp);
}

TEST(TraceSorterPatience, WithoutItARecordWaits) {
    PatientSort sort(2, {});
    sort.come(1, 0, 1, EventKind::Receive, 0);
    for (std::uint32_t i = 0; i < 5000; ++i) sort.come(0, i, 2 + i);
    EXPECT_EQ(sort.seen.find(1, 0), nullptr);
}

TEST(TraceSorterPatience, ReleasesBlocksBehindAGapAndWhatWasInItIsLate) {
    PatientSort sort(2, {.give_up_records = 8});
    sort.come(1, 3, 1);
    EXPECT_EQ(sort.sorter.held_back(), 1u);
    for (std::uint32_t i = 0; i < 10; ++i) sort.come(0, i, 2 + i);
    EXPECT_EQ(sort.sorter.held_back(), 0u);
    ASSERT_NE(sort.seen.find(1, 3), nullptr);
    EXPECT_EQ(sort.sorter.streams().standing(1).lost, 3u);
    sort.come(1, 1, 30);
    ASSERT_NE(sort.seen.find(1, 1), nullptr);
    EXPECT_TRUE(sort.seen.find(1, 1)->late);
    EXPECT_EQ(sort.sorter.streams().standing(1).lost, 2u);
}

TEST(TraceSorterPatience, APersonsWordEndsAStreamAtItsMoment) {
    PatientSort sort(3, {.crashes = {{0, 500}}});
    sort.come(1, 0, 100, EventKind::Receive, 0);
    sort.come(0, 5, 100);
    sort.come(2, 0, 499);
    EXPECT_EQ(sort.seen.find(1, 0), nullptr);
    sort.come(2, 1, 500);
    ASSERT_NE(sort.seen.find(1, 0), nullptr);
    EXPECT_EQ(sort.seen.find(1, 0)->assumed, Assumed::Lost) << "records before n0:5 are missing";
    EXPECT_EQ(sort.sorter.streams().standing(0).state, StreamState::Crashed);
    sort.come(0, 6, 600);
    ASSERT_NE(sort.seen.find(0, 6), nullptr);
    EXPECT_TRUE(sort.seen.find(0, 6)->late);
    EXPECT_EQ(sort.sorter.streams().standing(0).state, StreamState::Crashed) << "no earlier word changes silently";
    sort.sorter.finish();
}

// Half of the blocks are lost, and node 1 dies; tasks of nodes to nodes at random. The truth knows each send.
TEST(TraceSorterPatience, HalfOfTheRecordsLostAndADeadNodeKeepTheWindowSmall) {
    constexpr std::uint16_t nodes = 8;
    std::mt19937 random(7);
    Seen seen;
    TraceSorter sorter(nodes, seen, {});
    std::vector<std::deque<std::pair<std::uint16_t, std::uint32_t>>> inbox(nodes);
    std::vector<std::vector<Event>> block(nodes);
    std::vector<std::vector<LossRange>> lost(nodes);
    std::vector<std::uint32_t> next(nodes, 0), sent(nodes, 0);
    std::map<std::pair<std::uint16_t, std::uint32_t>, std::pair<std::uint16_t, std::uint32_t>> source_of, send_of;
    std::map<std::pair<std::uint16_t, std::uint32_t>, bool> came;
    for (std::uint64_t made = 1; made < 200'000; ++made) {
        const auto node = static_cast<std::uint16_t>(random() % nodes);
        const bool dead = made > 50'000;
        if (made == 50'001) sorter.crashed(1, CrashWord::Neighbour);
        if (node == 1 && dead) continue;
        Event event{.time_us = made, .seq = next[node]++, .node = node};
        if (inbox[node].empty() || random() % 2 == 0) {
            do event.peer = static_cast<std::uint16_t>(random() % nodes);
            while (event.peer == node || (event.peer == 1 && dead));
            event.task = ++sent[node];
            event.kind = EventKind::Send;
            inbox[event.peer].emplace_back(node, event.task);
            send_of[{node, event.task}] = {node, event.seq};
        } else {
            std::tie(event.peer, event.task) = inbox[node].front();
            inbox[node].pop_front();
            event.kind = EventKind::Receive;
            source_of[{node, event.seq}] = send_of[{event.peer, event.task}];
        }
        block[node].push_back(event);
        if (block[node].size() < 8) continue;
        if (random() % 2 == 0) {
            lost[node].push_back({node, block[node].front().seq, block[node].back().seq});
        } else {
            for (const LossRange& range : lost[node]) sorter.lost(range);
            lost[node].clear();
            for (const Event& one : block[node]) came[{node, one.seq}] = true;
            sorter.records(node, block[node].front().seq, block[node], made);
        }
        block[node].clear();
    }
    EXPECT_LT(sorter.counts().most_window, 4000u) << "of " << sorter.counts().records;
    sorter.finish();
    std::map<std::pair<std::uint16_t, std::uint32_t>, std::size_t> place;
    for (std::size_t i = 0; i < seen.items.size(); ++i) {
        if (seen.items[i].kind != SortedRecord::Kind::Record) continue;
        place[{static_cast<std::uint16_t>(seen.items[i].id.stream), static_cast<std::uint32_t>(seen.items[i].id.number)}] = i;
    }
    ASSERT_EQ(place.size(), came.size()) << "nothing lost or twice";
    for (const auto& [receive, send] : source_of) {
        if (!came[receive]) continue;
        const SortedRecord& record = seen.items[place[receive]];
        ASSERT_EQ(record.assumed == Assumed::Nothing, came[send]) << "n" << receive.first << ":" << receive.second;
        if (came[send]) {
            ASSERT_LT(place[send], place[receive]);
        }
    }
}

}  // namespace
}  // namespace tmon_order
