#include "stamps.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace real_mpi {
namespace {

using Clock = std::vector<std::uint32_t>;

void merge(Clock& into, const std::uint32_t* from) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
}

// A collective operation: what those that have begun it know.
struct Operation {
    std::map<std::int32_t, Clock> begun{};
};

class Walk {
public:
    Walk(const RankFiles& files, const Messages& messages, Stamps& stamps)
        : files_(files), messages_(messages), stamps_(stamps) {
        stamps_.ranks = files.ranks().size();
        stamps_.wild.resize(stamps_.ranks);
        for (const std::vector<Message>& sent : messages.sent) stamps_.sent.emplace_back(sent.size(), none);
        ranks_.resize(stamps_.ranks);
        for (Rank& rank : ranks_) rank.clock.resize(stamps_.ranks);
    }

    void walk() {
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
                const std::span<const real_record> records = files_.ranks()[rank].records;
                std::size_t& at = ranks_[rank].at;
                while (at < records.size() && step(rank, records[at], static_cast<std::uint32_t>(at))) {
                    ++at;
                    moved = true;
                }
            }
        }
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
            stamps_.whole = stamps_.whole && ranks_[rank].at == files_.ranks()[rank].records.size();
    }

private:
    struct Rank {
        std::size_t at = 0;
        Clock clock{};
        std::uint32_t stored = none;  // the clock as it is now, among stamps_.clocks
        std::uint32_t sends = 0;
    };

    // False: something that it follows from is still to come.
    bool step(std::size_t rank, const real_record& its, std::uint32_t at) {
        switch (its.kind) {
            case REAL_SEND:
                send(rank);
                return true;
            case REAL_CAME:
            case REAL_PROBED:
                return receive(rank, its, at);
            case REAL_COLLECTIVE:
                operations_[key(rank, its)].begun[static_cast<std::int32_t>(rank)] = ranks_[rank].clock;
                return true;
            case REAL_COLLECTIVE_END:
                return end(rank, its);
            default:
                return true;
        }
    }

    void send(std::size_t rank) {
        Rank& its = ranks_[rank];
        if (its.stored == none) {
            its.stored = static_cast<std::uint32_t>(stamps_.clocks.size() / stamps_.ranks);
            stamps_.clocks.insert(stamps_.clocks.end(), its.clock.begin(), its.clock.end());
        }
        stamps_.sent[rank][its.sends++] = its.stored;
    }

    bool receive(std::size_t rank, const real_record& its, std::uint32_t at) {
        const Came came = messages_.came[rank][at];
        if (came.number == none) return its.peer < 0;  // a failed receive has no sender
        const std::uint32_t clock = stamps_.sent[static_cast<std::size_t>(its.peer)][came.number];
        if (clock == none) return false;
        Rank& own = ranks_[rank];
        learn(own, &stamps_.clocks[clock * stamps_.ranks]);
        const real_record& posted = files_.ranks()[rank].records[came.posted];
        if (posted.kind != REAL_POST || (posted.flags & REAL_WILD) == 0 || (its.flags & REAL_TAKEN) != 0) return true;
        own.stored = none;
        stamps_.wild[rank].push_back({.posted = came.posted, .ended = at, .tick = ++own.clock[rank]});
        return true;
    }

    static void learn(Rank& rank, const std::uint32_t* clock) {
        bool news = false;
        for (std::size_t i = 0; i < rank.clock.size() && !news; ++i) news = clock[i] > rank.clock[i];
        if (!news) return;
        merge(rank.clock, clock);
        rank.stored = none;
    }

    std::pair<std::uint32_t, std::uint32_t> key(std::size_t rank, const real_record& its) const {
        const std::vector<std::uint32_t>& names = messages_.named[rank];
        return {its.comm < names.size() ? names[its.comm] : none, its.number};
    }

    bool end(std::size_t rank, const real_record& its) {
        const auto number = key(rank, its);
        if (number.first == none) return true;
        const std::vector<std::int32_t>& members = messages_.communicators[number.first].members;
        Operation& operation = operations_[number];
        std::vector<std::int32_t> before;
        if (its.tag == REAL_ALL || (its.tag == REAL_TO_ROOT && its.peer == static_cast<std::int32_t>(rank))) before = members;
        if (its.tag == REAL_FROM_ROOT && its.peer >= 0) before = {its.peer};
        if (its.tag == REAL_PREFIX)
            before = {members.begin(), std::find(members.begin(), members.end(), static_cast<std::int32_t>(rank))};
        for (const std::int32_t other : before) {
            if (operation.begun.count(other) == 0) return false;
        }
        for (const std::int32_t other : before) learn(ranks_[rank], operation.begun[other].data());
        return true;
    }

    const RankFiles& files_;
    const Messages& messages_;
    Stamps& stamps_;
    std::vector<Rank> ranks_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Operation> operations_;
};

}  // namespace

Stamps stamps_of(const RankFiles& files, const Messages& messages) {
    Stamps stamps;
    Walk(files, messages, stamps).walk();
    return stamps;
}

}  // namespace real_mpi
