// A counter-history is turned back. With its records put into the gaps the farm is one that the machine allows, and losing them
// again leaves the same trace. Its answer is another.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <tmon_detrek/verdict.hpp>
#include <tmon_streams/task_view.hpp>
#include "least_set.hpp"
#include "random_farm.hpp"

namespace tmon_detrek {
namespace {

using testing_support::FarmHistory;
using testing_support::FarmScenario;
using testing_support::Random;

using Message = std::tuple<std::uint16_t, std::uint16_t, std::uint32_t, SubTaskId, std::uint8_t>;  // from, to, what

Message message_of(const Event& event) {
    const bool send = event.kind == EventKind::Send;
    return {send ? event.node : event.peer, send ? event.peer : event.node, event.task, event.subtask, event.is_result};
}

// By node and number, the records of the trace and those of the counter-history.
std::map<std::pair<std::uint16_t, std::uint32_t>, Event> put_back(const tmon_streams::Trace& tasks,
                                                                  const CounterHistory& counter) {
    std::map<std::pair<std::uint16_t, std::uint32_t>, Event> all;
    for (const tmon_streams::Stream& stream : tasks.streams) {
        for (const auto part : stream.parts)
            for (const Event& event : part) all[{event.node, event.seq}] = event;
    }
    for (const Event& event : counter.records) {
        const tmon_streams::Stream& stream = tasks.streams[event.node];
        if (stream.state == tmon_streams::StreamState::Open) continue;  // beyond the end: without a number
        const bool in_gap = std::any_of(stream.losses.begin(), stream.losses.end(), [&](const LossRange& range) {
            return event.seq >= range.first_seq && event.seq <= range.last_seq;
        });
        EXPECT_TRUE(in_gap);
        EXPECT_TRUE(all.emplace(std::pair(event.node, event.seq), event).second);
    }
    return all;
}

// Links are synchronous: of each message that the counter-history assumes between nodes that lived, both ends are there. Only
// the last result of a worker may wait for room without a record of its arrival. A task comes before its result.
void expect_machine(const tmon_streams::Trace& tasks, const CounterHistory& counter, const std::string& about) {
    const auto records = put_back(tasks, counter);
    std::set<Message> sent, received;
    std::map<std::uint16_t, Message> last_result;
    std::set<std::tuple<std::uint16_t, std::uint16_t, std::uint32_t, SubTaskId>> had;
    const auto lives = [&](std::uint16_t node) { return tasks.streams[node].state == tmon_streams::StreamState::Finished; };
    for (const auto& [at, event] : records) {
        if (!lives(event.node)) continue;
        if (event.is_result == 0) had.insert({event.node, event.peer, event.task, event.subtask});
        EXPECT_TRUE(had.contains({event.node, event.peer, event.task, event.subtask})) << about;
        (event.kind == EventKind::Send ? sent : received).insert(message_of(event));
        if (event.kind == EventKind::Send && event.is_result != 0) last_result[event.node] = message_of(event);
    }
    for (const Event& event : counter.records) {
        const tmon_streams::Stream& peer = tasks.streams[event.peer];
        const bool may_wait_for_its_monitor = peer.size() == 0 && peer.losses.empty();
        if (!lives(event.node) || !lives(event.peer) || may_wait_for_its_monitor) continue;
        const bool may_wait = event.kind == EventKind::Send && last_result[event.node] == message_of(event);
        EXPECT_TRUE(sent.contains(message_of(event)) && (may_wait || received.contains(message_of(event)))) << about;
    }
}

std::uint64_t lost_by_counting_nodes(const tmon_streams::Trace& tasks) {
    std::uint64_t lost = 0;
    for (const tmon_streams::Stream& stream : tasks.streams) {
        if (stream.state == tmon_streams::StreamState::Open) continue;
        for (const LossRange& range : stream.losses) lost += std::uint64_t{range.last_seq} - range.first_seq + 1;
    }
    return lost;
}

TEST(CounterHistory, IsTurnedBackIntoTheSameRecords) {
    unsigned with_records = 0, without = 0;
    for (std::uint32_t seed = 1; seed <= 30'000; ++seed) {
        const FarmScenario scenario = testing_support::random_scenario(seed);
        const FarmHistory history = testing_support::run_abstract_farm(scenario);
        Random random(seed ^ 0x9999);
        const auto end = testing_support::session_of(history, random);
        const tmon_streams::Trace tasks = tmon_streams::task_view(testing_support::chance(random, 50)
                                                                      ? testing_support::with_losses(history, end, random, true)
                                                                      : testing_support::thinned(history, end, random));
        const Verdict verdict = analyse(tasks, scenario.spec).verdict;
        for (const CounterHistory& counter : verdict.counter_histories) {
            ASSERT_FALSE(counter.text.empty());
            const bool other = counter.process.empty() || verdict.kind == VerdictKind::Unknown ||
                               counter.task != verdict.task || counter.nodes != verdict.nodes ||
                               counter.subtasks != verdict.subtasks || counter.process != verdict.process;
            ASSERT_TRUE(other) << "seed " << seed << ": " << verdict.sentence << "\n" << counter.text;
            const bool numbered = std::any_of(counter.records.begin(), counter.records.end(), [&](const Event& event) {
                return tasks.streams[event.node].state == tmon_streams::StreamState::Finished;
            });
            ++(numbered ? with_records : without);
            if (!numbered) continue;
            ASSERT_EQ(counter.records.size() + counter.unlisted, lost_by_counting_nodes(tasks)) << "seed " << seed;
            expect_machine(tasks, counter, "seed " + std::to_string(seed) + ": " + counter.text);
            if (HasFailure()) return;
        }
        ASSERT_TRUE(verdict.kind != VerdictKind::Certain || verdict.counter_histories.empty());
    }
    std::printf("counter-histories: %u with lost records, %u with the same records\n", with_records, without);
    EXPECT_GT(with_records, 20u);
    EXPECT_GT(without, 1'000u);
}

TEST(LeastSet, IsTheFirstOfTheSmallest) {
    const LostEvent a{1, 1, 0, 1}, b{2, 1, 0, 1}, c{3, 1, 0, 1};
    EXPECT_THAT(least_deciding({{{a}, 0, true}, {{b}, 1, true}}), testing::ElementsAre(a));
    EXPECT_THAT(least_deciding({{{a, b}, 0, true}, {{a}, 1, true}, {{b}, 1, true}, {{c}, 1, true}}),
                testing::ElementsAre(a, b));
    EXPECT_THAT(least_deciding({{{a}, 0, true}, {{a}, 1, true}}), testing::IsEmpty());   // no record tells
    EXPECT_THAT(least_deciding({{{a}, 0, true}, {{b}, 1, false}}), testing::IsEmpty());  // one is open by itself
}

}  // namespace
}  // namespace tmon_detrek
