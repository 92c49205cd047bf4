#include "messages.hpp"

#include <algorithm>
#include <unordered_map>

namespace real_mpi {
namespace {

void name_communicators(const RankFiles& files, Messages& all) {
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    for (const RankRecords& rank : files.ranks()) {
        std::vector<std::uint32_t>& names = all.named.emplace_back();
        Communicator* filled = nullptr;
        for (const real_record& its : rank.records) {
            if (its.kind == REAL_COMMUNICATOR) {
                const auto [at, is_new] = known.emplace(its.time, static_cast<std::uint32_t>(all.communicators.size()));
                if (is_new) all.communicators.push_back({.members = {}, .inter = its.flags != 0});
                names.resize(std::max<std::size_t>(names.size(), its.number + std::size_t{1}), none);
                names[its.number] = at->second;
                filled = is_new ? &all.communicators.back() : nullptr;
            } else if (its.kind == REAL_MEMBER && filled != nullptr) {
                filled->members.push_back(its.peer);
            }
        }
    }
}

std::uint32_t comm_of(const Messages& all, std::size_t rank, std::uint32_t name) {
    return name < all.named[rank].size() ? all.named[rank][name] : none;
}

void list_sends(const RankFiles& files, Messages& all) {
    const std::size_t ranks = files.ranks().size();
    all.sent.resize(ranks);
    all.channels.resize(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        std::vector<Message>& sent = all.sent[rank];
        for (const real_record& its : files.ranks()[rank].records) {
            if (its.kind == REAL_SEND)
                sent.push_back({.receiver = its.peer, .tag = its.tag, .comm = comm_of(all, rank, its.comm)});
            if (its.kind == REAL_TOOK_BACK && its.number >= 1 && its.number <= sent.size()) sent[its.number - 1].receiver = -1;
        }
        for (std::uint32_t number = 0; number < sent.size(); ++number) {
            const Message& its = sent[number];
            if (its.receiver < 0 || static_cast<std::size_t>(its.receiver) >= ranks) continue;
            all.channels[static_cast<std::size_t>(its.receiver)][{its.comm, static_cast<std::int32_t>(rank), its.tag}]
                .messages.push_back(number);
        }
    }
}

class Receiver {
public:
    Receiver(const RankRecords& records, std::size_t rank, Messages& all)
        : records_(records.records), rank_(rank), all_(all), came_(all.came.emplace_back(records.records.size())) {}

    void join() {
        std::vector<std::uint32_t> ends;  // by the counter of receives
        for (std::uint32_t at = 0; at < records_.size(); ++at) {
            const real_record& its = records_[at];
            if (its.kind == REAL_FREED) all_.freed = true;
            if (its.kind != REAL_CAME || (its.flags & REAL_TAKEN) != 0) continue;
            ends.resize(std::max<std::size_t>(ends.size(), its.number + std::size_t{1}), none);
            ends[its.number] = at;
        }
        for (std::uint32_t at = 0; at < records_.size(); ++at) {
            const real_record& its = records_[at];
            if (its.kind == REAL_POST && its.number < ends.size() && ends[its.number] != none) {
                const bool takes = (its.flags & REAL_PROBE) == 0 || (its.flags & REAL_MATCHED) != 0;
                take(at, ends[its.number], takes);
            } else if (its.kind == REAL_PROBED) {
                take(at, at, (its.flags & REAL_MATCHED) != 0);
            } else if (its.kind == REAL_CAME && (its.flags & REAL_TAKEN) != 0 && its.number < at) {
                came_[at] = came_[its.number];
            }
        }
    }

private:
    void take(std::uint32_t posted, std::uint32_t ended, bool takes) {
        const real_record& its = records_[ended];
        const auto found = all_.channels[rank_].find({comm_of(all_, rank_, its.comm), its.peer, its.tag});
        if (found == all_.channels[rank_].end()) return;
        Channel& channel = found->second;
        if (channel.next >= channel.messages.size()) return;
        came_[ended] = {.number = channel.messages[channel.next], .posted = posted};
        if (!takes) return;
        all_.sent[static_cast<std::size_t>(its.peer)][came_[ended].number].taken = posted;
        ++channel.next;
    }

    std::span<const real_record> records_;
    std::size_t rank_;
    Messages& all_;
    std::vector<Came>& came_;
};

}  // namespace

Messages messages_of(const RankFiles& files) {
    Messages all;
    name_communicators(files, all);
    list_sends(files, all);
    all.came.reserve(files.ranks().size());
    for (std::size_t rank = 0; rank < files.ranks().size(); ++rank) Receiver(files.ranks()[rank], rank, all).join();
    return all;
}

}  // namespace real_mpi
