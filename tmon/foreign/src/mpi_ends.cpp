#include "mpi_ends.hpp"

#include <algorithm>

namespace tmon_foreign {

using tmon_order::CollectiveRecord;
using tmon_order::End;
using tmon_order::Role;

void MpiEnds::communicator(std::uint64_t id, std::vector<std::uint32_t> members) {
    Group group;
    group.whole = true;
    for (std::uint32_t rank = 0; rank < members.size(); ++rank) {
        const bool first = group.rank_of.emplace(members[rank], rank).second;
        group.whole = group.whole && first && members[rank] != none;
    }
    group.members = std::make_shared<const tmon_order::Group>(std::move(members));
    group.number = static_cast<std::uint32_t>(groups_.size());
    groups_.insert_or_assign(id, std::move(group));
}

std::uint32_t MpiEnds::stream_at(std::uint64_t communicator, std::uint32_t rank) const {
    const auto found = groups_.find(communicator);
    return found != groups_.end() && rank < found->second.members->size() ? (*found->second.members)[rank] : none;
}

void MpiEnds::send(std::uint32_t event, std::uint64_t communicator, std::uint32_t to, std::uint32_t tag) {
    ForeignEvent& of = trace_.events[event];
    of.partner = stream_at(communicator, to);
    if (of.partner != none) sends_[{of.stream, of.partner, communicator, tag}].push_back(event);
}

void MpiEnds::posted(std::uint32_t stream, std::uint64_t request) {
    posted_[{stream, request}] = posts_[stream]++;
}
void MpiEnds::cancelled(std::uint32_t stream, std::uint64_t request) {
    posted_.erase({stream, request});
}

void MpiEnds::receive(std::uint32_t event, std::uint64_t communicator, std::uint32_t from, std::uint32_t tag,
                      std::optional<std::uint64_t> request) {
    ForeignEvent& of = trace_.events[event];
    std::uint64_t posted = posts_[of.stream]++;
    if (request) {
        const auto found = posted_.find({of.stream, *request});
        if (found != posted_.end()) {
            posted = found->second;
            posted_.erase(found);
        }
    }
    of.partner = stream_at(communicator, from);
    if (of.partner != none) receives_[{of.partner, of.stream, communicator, tag}].push_back({posted, event});
}

void MpiEnds::collective_begins(std::uint32_t event) {
    begun_[trace_.events[event].stream].push_back(event);
}

void MpiEnds::collective_ends(std::uint32_t event, std::uint64_t communicator, std::optional<tmon_order::Operation> operation,
                              std::uint32_t root) {
    const std::uint32_t stream = trace_.events[event].stream;
    std::vector<std::uint32_t>& begun = begun_[stream];
    const std::uint64_t instance = instances_[{stream, communicator}]++;
    const std::uint32_t begin = begun.empty() ? none : begun.back();
    if (!begun.empty()) begun.pop_back();
    const auto found = groups_.find(communicator);
    if (begin != none) trace_.events[begin].name = trace_.events[event].name;
    if (begin == none || !operation || found == groups_.end() || !found->second.whole) return;
    const auto rank = found->second.rank_of.find(stream);
    if (rank == found->second.rank_of.end()) return;
    const bool rooted = *operation == tmon_order::Operation::Multicast || *operation == tmon_order::Operation::Combine ||
                        *operation == tmon_order::Operation::Concatenate;
    if (rooted && root >= found->second.members->size()) return;
    CollectiveRecord record{*operation, found->second.number, found->second.members, instance, rank->second};
    record.root = rooted ? root : 0;
    for (const bool end : {false, true}) {
        record.end = end;
        for (const End& one : ends_of(record)) {
            trace_.events[end ? event : begin].end = static_cast<std::uint32_t>(trace_.ends.size());
            trace_.ends.push_back(one);
        }
    }
}

void MpiEnds::tie(std::uint32_t event, const Channel& channel, std::uint64_t channel_number, std::uint64_t number, bool send) {
    constexpr std::uint64_t message = std::uint64_t{1} << 62;  // collectives have bit 63
    End end;
    end.role = send ? Role::Source : Role::Target;
    end.from = std::get<0>(channel);
    end.to = std::get<1>(channel);
    end.channel = {message, channel_number};
    end.key = {message | channel_number, number};
    end.number = number;
    end.receives_in_order = false;  // they complete in any order
    trace_.events[event].end = static_cast<std::uint32_t>(trace_.ends.size());
    trace_.ends.push_back(end);
}

// The receives of a channel that were posted before this place are known to belong to the first sends.
std::uint64_t MpiEnds::joined_before(const Channel& channel, std::size_t sends, std::size_t receives) const {
    if (receives == sends) return ~std::uint64_t{0};
    if (receives > sends) return 0;  // some sends have no record
    // A receive that was posted, and whose end has no record, may have taken any of the messages.
    std::uint64_t first = ~std::uint64_t{0};
    const std::uint32_t stream = std::get<1>(channel);
    for (auto open = posted_.lower_bound({stream, 0}); open != posted_.end() && open->first.first == stream; ++open)
        first = std::min(first, open->second);
    return first;
}

void MpiEnds::finish(bool whole) {
    std::uint64_t channel_number = 0;
    for (const auto& [channel, sends] : sends_) {
        std::vector<Received>& received = receives_[channel];
        std::stable_sort(received.begin(), received.end(),
                         [](const Received& a, const Received& b) { return a.posted < b.posted; });
        const std::uint64_t before = whole ? joined_before(channel, sends.size(), received.size()) : ~std::uint64_t{0};
        std::size_t known = 0;
        while (known < received.size() && received[known].posted < before) ++known;
        const bool all = known == received.size();
        for (std::size_t i = 0; i < received.size() && i < known; ++i)
            tie(received[i].event, channel, channel_number, i, false);
        for (std::size_t i = 0; i < sends.size() && (all || i < known); ++i) tie(sends[i], channel, channel_number, i, true);
        ++channel_number;
    }
    // Without a single send each receive lacks its own, and says so in the sort.
    for (const auto& [channel, received] : receives_) {
        if (sends_.count(channel) > 0) continue;
        for (std::size_t i = 0; i < received.size(); ++i) tie(received[i].event, channel, channel_number, i, false);
        ++channel_number;
    }
}

}  // namespace tmon_foreign
