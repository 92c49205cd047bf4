#include <real_mpi/recorded_order.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include "messages.hpp"
#include "stamps.hpp"

namespace real_mpi {
namespace {

using tmon_replay::CallKind;
using tmon_replay::CallOutcome;
using tmon_replay::RankOrder;

static_assert(int{REAL_CALLS} == static_cast<int>(tmon_replay::call_kinds));
static_assert(int{REAL_CANCEL} == static_cast<int>(CallKind::Cancel) &&
              REAL_LAST_OUTCOME == int{REAL_OUTCOME} + int{REAL_CANCEL});

// The channels to a rank, by communicator and tag, and those of a communicator.
class Channels {
public:
    explicit Channels(const std::map<ChannelKey, Channel>& all) {
        for (const auto& [key, channel] : all) {
            const auto& [comm, sender, tag] = key;
            of_tag_[{comm, tag}].push_back({sender, &channel});
            of_comm_[comm].push_back({sender, &channel});
        }
    }
    using Sources = std::vector<std::pair<std::int32_t, const Channel*>>;  // by sender
    const Sources& fitting(std::uint32_t comm, std::int32_t tag) {
        return tag == REAL_ANY ? of_comm_[comm] : of_tag_[{comm, tag}];
    }

private:
    std::map<std::pair<std::uint32_t, std::int32_t>, Sources> of_tag_;
    std::map<std::uint32_t, Sources> of_comm_;
};

class Races {
public:
    Races(const RankFiles& files, const Messages& messages, const Stamps& stamps)
        : files_(files), messages_(messages), stamps_(stamps) {}

    // Another message could have come: it fits, no earlier receive has taken it, and the receive's end is not before its
    // sending. Of one channel the first that is left was sent first, so it is the best.
    void find(std::size_t rank, RankOrder& order, bool keep_all) const {
        Channels channels(messages_.channels[rank]);
        const std::span<const real_record> records = files_.ranks()[rank].records;
        for (const WildEnd& wild : stamps_.wild[rank]) {
            const real_record &posted = records[wild.posted], &ended = records[wild.ended];
            const auto number = static_cast<std::int32_t>(posted.number);
            CallOutcome its{.kind = CallKind::Receive, .first = number, .last = number, .source = ended.peer};
            const std::uint32_t comm = messages_.named[rank][posted.comm];
            for (const auto& [sender, channel] : channels.fitting(comm, posted.tag)) {
                if (sender == ended.peer || (!its.others.empty() && its.others.back() == sender)) continue;
                if (has_other(rank, wild, sender, *channel)) its.others.push_back(sender);
            }
            if (keep_all || !its.others.empty()) order.outcomes.push_back(std::move(its));
        }
    }

private:
    bool has_other(std::size_t rank, const WildEnd& wild, std::int32_t sender, const Channel& channel) const {
        const auto from = static_cast<std::size_t>(sender);
        const std::vector<Message>& sent = messages_.sent[from];
        const auto first = std::partition_point(channel.messages.begin(), channel.messages.end(),
                                                [&](std::uint32_t number) { return sent[number].taken <= wild.posted; });
        if (first == channel.messages.end()) return false;
        const std::uint32_t clock = stamps_.sent[from][*first];
        return clock != none && stamps_.entry(clock, rank) < wild.tick;
    }

    const RankFiles& files_;
    const Messages& messages_;
    const Stamps& stamps_;
};

// Calls other than receives, and receives that were cancelled.
void take_outcomes(const RankRecords& rank, RankOrder& order) {
    for (const real_record& its : rank.records) {
        const auto number = static_cast<std::int32_t>(its.number);
        if (its.kind == REAL_GONE) {
            order.outcomes.push_back(
                {.kind = CallKind::Receive, .first = number, .last = number, .source = -1, .cancelled = true});
        } else if (its.kind > REAL_CAME && its.kind <= REAL_LAST_OUTCOME) {
            order.outcomes.push_back(
                {.kind = static_cast<CallKind>(its.kind - REAL_OUTCOME), .first = number, .last = number, .source = its.peer});
        }
    }
}

// Receives of any source without their stamps: all of them, as they came.
void take_receives(const RankRecords& rank, RankOrder& order) {
    std::vector<bool> wild;
    for (const real_record& its : rank.records) {
        wild.resize(std::max<std::size_t>(wild.size(), its.number + std::size_t{1}));
        if (its.kind == REAL_POST) wild[its.number] = (its.flags & REAL_WILD) != 0;
        if (its.kind != REAL_CAME || (its.flags & REAL_TAKEN) != 0 || !wild[its.number] || its.peer < 0) continue;
        const auto number = static_cast<std::int32_t>(its.number);
        order.outcomes.push_back({.kind = CallKind::Receive, .first = number, .last = number, .source = its.peer});
    }
}

tmon_replay::Counters counters_of(const RankRecords& rank) {
    tmon_replay::Counters counters{};
    std::copy(std::begin(rank.head.counters), std::end(rank.head.counters), counters.begin());
    return counters;
}

// Before the first receive that had begun and not ended: behind it not all is told.
tmon_replay::Counters known_of(const RankRecords& rank) {
    tmon_replay::Counters known = counters_of(rank);
    std::vector<bool> ended(static_cast<std::size_t>(std::max(known.front(), 0)) + 1);
    for (const real_record& its : rank.records) {
        const bool ends = (its.kind == REAL_CAME && (its.flags & REAL_TAKEN) == 0) || its.kind == REAL_GONE;
        if (ends && its.number < ended.size()) ended[its.number] = true;
    }
    std::size_t first = 1;
    while (first < ended.size() && ended[first]) ++first;
    known.front() = static_cast<std::int32_t>(first) - 1;
    return known;
}

// A receive that ends tells of the match of an earlier one that is still under way. The end of a synchronous send tells of its
// receive. Clocks have neither, so a race that is found may be none.
bool is_overtaken(const std::vector<Came>& came, const std::vector<WildEnd>& wild) {
    std::uint32_t latest = 0;
    std::size_t at = 0;
    for (const WildEnd& its : wild) {  // in the order of their ends
        for (; at < its.ended; ++at) latest = came[at].posted == none ? latest : std::max(latest, came[at].posted);
        if (latest > its.posted) return true;
    }
    return false;
}
void add_doubts(const RankFiles& files, const Messages& messages, const Stamps& stamps, tmon_replay::DeliveryOrder& order) {
    const bool any = std::any_of(order.ranks.begin(), order.ranks.end(), [](const RankOrder& rank) {
        return std::any_of(rank.outcomes.begin(), rank.outcomes.end(),
                           [](const CallOutcome& its) { return !its.others.empty(); });
    });
    if (!any) return;
    if (files.has_synchronous_sends()) order.run.unseen.emplace_back("what the end of a synchronous send orders");
    for (std::size_t rank = 0; rank < messages.came.size(); ++rank) {
        if (!is_overtaken(messages.came[rank], stamps.wild[rank])) continue;
        order.run.unseen.emplace_back("what the end of a receive tells of one that was begun earlier");
        return;
    }
}

}  // namespace

RecordedOrder order_of(const RankFiles& files, tmon_replay::RunIdentity run, bool killed) {
    RecordedOrder result;
    tmon_replay::DeliveryOrder& order = result.order;
    order.run = std::move(run);
    order.run.ranks = files.ranks().size();
    order.run.machine = files.is_mpich() ? "mpich" : "openmpi";
    order.run.all_sources = true;
    order.run.unseen = files.unseen();
    bool ended = true, aborted = false;
    for (const RankRecords& rank : files.ranks()) {
        ended = ended && rank.finalized;
        aborted = aborted || rank.aborted;
    }
    if (!killed || ended) order.end = ended ? "ended" : aborted ? "aborted" : "crashed";
    const Messages messages = messages_of(files);
    if (messages.freed) order.run.unseen.emplace_back("the message of a receive that was freed before its end");
    const Stamps stamps = stamps_of(files, messages);
    const bool joined = stamps.whole && !messages.freed;
    if (!stamps.whole) order.run.unseen.emplace_back("the sending of a message that was received");
    const Races races(files, messages, stamps);
    for (std::size_t number = 0; number < files.ranks().size(); ++number) {
        const RankRecords& rank = files.ranks()[number];
        RankOrder& its = order.ranks.emplace_back();
        take_outcomes(rank, its);
        if (joined) {
            races.find(number, its, !ended);
        } else {
            take_receives(rank, its);
        }
        result.messages += messages.sent[number].size();
        result.receives += static_cast<std::size_t>(std::max(rank.head.counters[REAL_RECV], 0));
        its.known = known_of(rank);
        if (rank.finalized) its.ended = counters_of(rank);
    }
    add_doubts(files, messages, stamps, order);
    return result;
}

}  // namespace real_mpi
