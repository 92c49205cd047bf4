// Which messages and collectives of an MPI trace are joined, and which are left alone because nobody can tell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include <mpi_ends.hpp>

namespace tmon_foreign {
namespace {

using tmon_order::Operation;
using tmon_order::Role;
using tmon_order::Shape;

constexpr std::uint64_t world = 5;
constexpr std::uint32_t tag = 7;

class MpiTrace {
public:
    explicit MpiTrace(std::vector<std::uint32_t> members = {0, 1, 2}) { ends_.communicator(world, std::move(members)); }

    std::uint32_t send(std::uint32_t from, std::uint32_t to, std::uint32_t with = tag) {
        const std::uint32_t event = add(from, Kind::Send);
        ends_.send(event, world, to, with);
        return event;
    }
    void post(std::uint32_t at, std::uint64_t request) { ends_.posted(at, request); }
    void cancel(std::uint32_t at, std::uint64_t request) { ends_.cancelled(at, request); }
    std::uint32_t receive(std::uint32_t at, std::uint32_t from, std::optional<std::uint64_t> request = {},
                          std::uint32_t with = tag) {
        const std::uint32_t event = add(at, Kind::Receive);
        ends_.receive(event, world, from, with, request);
        return event;
    }
    // Beginning and end of the operation at the member.
    std::pair<std::uint32_t, std::uint32_t> collective(std::uint32_t at, std::optional<Operation> operation,
                                                       std::uint32_t root = 0) {
        const std::uint32_t begin = add(at, Kind::CollectiveBegin);
        ends_.collective_begins(begin);
        const std::uint32_t end = add(at, Kind::CollectiveEnd);
        ends_.collective_ends(end, world, operation, root);
        return {begin, end};
    }
    void finish(bool whole = true) { ends_.finish(whole); }

    bool is_alone(std::uint32_t event) const { return trace_.events[event].end == none; }
    const tmon_order::End& end(std::uint32_t event) const { return trace_.ends.at(trace_.events[event].end); }
    bool joined(std::uint32_t sent, std::uint32_t received) const {
        return !is_alone(sent) && !is_alone(received) && end(sent).key == end(received).key && end(sent).role == Role::Source &&
               end(received).role == Role::Target;
    }

private:
    std::uint32_t add(std::uint32_t stream, Kind kind) {
        ForeignEvent event;
        event.stream = stream;
        event.kind = kind;
        trace_.events.push_back(event);
        return static_cast<std::uint32_t>(trace_.events.size() - 1);
    }
    ForeignTrace trace_;
    MpiEnds ends_{trace_};
};

TEST(MpiEnds, MessagesOfOnePairCommunicatorAndTagKeepTheirOrder) {
    MpiTrace trace;
    const auto first = trace.send(0, 1), other = trace.send(0, 1, 8), second = trace.send(0, 1);
    const auto got_other = trace.receive(1, 0, {}, 8), got_first = trace.receive(1, 0), got_second = trace.receive(1, 0);
    trace.finish();
    EXPECT_TRUE(trace.joined(first, got_first) && trace.joined(second, got_second) && trace.joined(other, got_other));
    EXPECT_FALSE(trace.joined(first, got_second) || trace.joined(first, got_other));
}

TEST(MpiEnds, TheReceivePostedFirstGetsTheFirstMessageWheneverItCompletes) {
    MpiTrace trace;
    trace.post(1, 100);
    trace.post(1, 200);
    const auto first = trace.send(0, 1), second = trace.send(0, 1);
    const auto completes_first = trace.receive(1, 0, 200), completes_last = trace.receive(1, 0, 100);
    trace.finish();
    EXPECT_TRUE(trace.joined(first, completes_last) && trace.joined(second, completes_first));
}

TEST(MpiEnds, ARequestMayBeUsedAgain) {
    MpiTrace trace;
    const auto first = trace.send(0, 1), second = trace.send(0, 1);
    trace.post(1, 100);
    const auto got_first = trace.receive(1, 0, 100);
    trace.post(1, 100);
    const auto got_second = trace.receive(1, 0, 100);
    trace.finish();
    EXPECT_TRUE(trace.joined(first, got_first) && trace.joined(second, got_second));
}

TEST(MpiEnds, BehindAReceiveWhoseEndIsNotRecordedNothingIsKnown) {
    MpiTrace trace;
    const auto first = trace.send(0, 1), second = trace.send(0, 1), third = trace.send(0, 1);
    const auto got_first = trace.receive(1, 0);
    trace.post(1, 100);  // takes the second message, or one of another sender
    const auto later = trace.receive(1, 0);
    trace.finish();
    EXPECT_TRUE(trace.joined(first, got_first));
    EXPECT_TRUE(trace.is_alone(later) && trace.is_alone(second) && trace.is_alone(third));
}

TEST(MpiEnds, ACancelledReceiveTakesNothing) {
    MpiTrace trace;
    const auto first = trace.send(0, 1), second = trace.send(0, 1);
    trace.post(1, 100);
    trace.cancel(1, 100);
    const auto got = trace.receive(1, 0);
    trace.finish();
    EXPECT_TRUE(trace.joined(first, got));
    EXPECT_FALSE(trace.is_alone(second));  // it waits for a receive that the trace does not have
}

TEST(MpiEnds, WithMoreReceivesThanSendsNobodyKnowsWhichSendIsMissing) {
    MpiTrace trace;
    const auto sent = trace.send(0, 1);
    const auto first = trace.receive(1, 0), second = trace.receive(1, 0);
    trace.finish();
    EXPECT_TRUE(trace.is_alone(sent) && trace.is_alone(first) && trace.is_alone(second));
}

TEST(MpiEnds, ADamagedTraceLacksTheLastOnesOnly) {
    MpiTrace trace;
    const auto sent = trace.send(0, 1);
    const auto first = trace.receive(1, 0), second = trace.receive(1, 0);
    trace.finish(false);
    EXPECT_TRUE(trace.joined(sent, first));
    EXPECT_FALSE(trace.is_alone(second));  // it waits for a send that the trace does not have
}

TEST(MpiEnds, WhereNoSendIsRecordedEachReceiveLacksItsOwn) {
    MpiTrace trace;
    const auto first = trace.receive(1, 0), second = trace.receive(1, 0);
    trace.finish();
    EXPECT_FALSE(trace.is_alone(first) || trace.is_alone(second));
    EXPECT_FALSE(trace.end(first).key == trace.end(second).key);
}

TEST(MpiEnds, UnknownRanksAreTiedToNobody) {
    MpiTrace trace({0, none});
    const auto sent = trace.send(0, 1), beyond = trace.send(0, 9);
    const auto [begin, end] = trace.collective(0, Operation::Barrier);
    trace.finish();
    EXPECT_TRUE(trace.is_alone(sent) && trace.is_alone(beyond) && trace.is_alone(begin) && trace.is_alone(end));
}

TEST(MpiEnds, EachMemberCountsTheOperationsOfItsCommunicator) {
    MpiTrace trace;
    const auto [begin0, end0] = trace.collective(0, Operation::Barrier);
    const auto [begin1, end1] = trace.collective(1, Operation::Barrier);
    const auto [again0, again_end0] = trace.collective(0, Operation::AllToAll);
    trace.finish();
    EXPECT_EQ(trace.end(begin0).shape, Shape::AllToAll);
    EXPECT_EQ(trace.end(begin0).key, trace.end(end1).key);
    EXPECT_EQ(trace.end(begin1).rank, 1U);
    EXPECT_FALSE(trace.end(again0).key == trace.end(begin0).key);
    EXPECT_EQ(trace.end(again0).number, 1U);
    EXPECT_EQ(trace.end(again_end0).role, Role::Target);
}

TEST(MpiEnds, OperationsThatTieNobodyAreCountedToo) {
    MpiTrace trace;
    const auto [free_begin, free_end] = trace.collective(0, std::nullopt);
    const auto [begin, end] = trace.collective(0, Operation::Multicast, 0);
    trace.finish();
    EXPECT_TRUE(trace.is_alone(free_begin) && trace.is_alone(free_end));
    EXPECT_EQ(trace.end(begin).number, 1U);
    EXPECT_TRUE(trace.is_alone(end));  // of the root: it waits for nobody
}

TEST(MpiEnds, ARootThatDoesNotExistTiesNobody) {
    MpiTrace trace;
    const auto [begin, end] = trace.collective(0, Operation::Combine, 17);
    trace.finish();
    EXPECT_TRUE(trace.is_alone(begin) && trace.is_alone(end));
}

}  // namespace
}  // namespace tmon_foreign
