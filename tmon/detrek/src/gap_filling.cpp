#include "gap_filling.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <tmon_detrek/event_graphs.hpp>

namespace tmon_detrek {

namespace {

constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

struct Placed {
    LostEvent lost;
    std::uint32_t first_seq = 0;     // inclusive
    std::uint32_t last_seq = never;  // inclusive
    bool after_its_mate = false;     // the node's other event of this edge and task is missing too, and comes first
};

bool comes_first(const LostEvent& lost) {
    return lost.bit == EventGraphs::sent || lost.bit == EventGraphs::received;
}

class GapFilling {
public:
    GapFilling(const tmon_streams::Stream& stream, const farm_spec::FarmTree& tree, std::vector<LostEvent> lost)
        : stream_(stream), tree_(tree) {
        std::sort(lost.begin(), lost.end());
        for (const LostEvent& each : lost) {
            const bool has_mate = !all_.empty() && is_same_edge(all_.back().lost, each);
            all_.push_back({each, 0, never, has_mate});
            waiting_ += each.waits ? 1 : 0;
            results_ += is_other_result(each) ? 1 : 0;
        }
    }

    // Always the one that must come soonest, among those that may come yet. Such a choice finds an order if there is one (unit
    // jobs with release times and deadlines).
    std::optional<std::vector<Event>> in_gaps() {
        if (waiting_ > 1) return {};
        bound();
        std::vector<std::size_t> by_release;
        for (std::size_t i = 0; i < all_.size(); ++i) {
            if (!all_[i].after_its_mate) by_release.push_back(i);
            if (all_[i].after_its_mate && all_[i].last_seq != never) all_[i - 1].last_seq = all_[i].last_seq - 1;
        }
        std::stable_sort(by_release.begin(), by_release.end(),
                         [&](std::size_t a, std::size_t b) { return all_[a].first_seq < all_[b].first_seq; });
        std::set<std::pair<std::uint32_t, std::size_t>> ready;  // by deadline
        auto released = by_release.begin();
        std::vector<Event> records;
        for (const LossRange& range : stream_.losses) {
            for (std::uint64_t seq = range.first_seq; seq <= range.last_seq && records.size() < all_.size(); ++seq) {
                for (; released != by_release.end() && all_[*released].first_seq <= seq; ++released)
                    ready.emplace(all_[*released].last_seq, *released);
                auto soonest = ready.begin();
                if (soonest != ready.end() && all_[soonest->second].lost.waits && results_ > 0) ++soonest;
                if (soonest == ready.end()) continue;
                if (soonest->first < seq) return {};
                const std::size_t next = soonest->second;
                ready.erase(soonest);
                results_ -= is_other_result(all_[next].lost) ? 1 : 0;
                records.push_back(record_of(all_[next].lost, tree_));
                records.back().seq = static_cast<std::uint32_t>(seq);
                const bool has_mate = next + 1 < all_.size() && all_[next + 1].after_its_mate;
                if (has_mate) ready.emplace(all_[next + 1].last_seq, next + 1);
            }
        }
        if (records.size() < all_.size()) return {};
        return records;
    }

private:
    static bool is_same_edge(const LostEvent& a, const LostEvent& b) {
        return a.task == b.task && a.worker == b.worker && a.subtask == b.subtask;
    }

    static bool is_other_result(const LostEvent& lost) { return lost.bit == EventGraphs::result_sent && !lost.waits; }

    // The events of the same edge and task that the node did record bound those that it lost. A result that waits comes after
    // all others.
    void bound() {
        using Subject = std::tuple<std::uint32_t, SubTaskId, std::uint16_t>;  // task, sub-task, peer
        std::multimap<Subject, std::size_t> missing;
        for (std::size_t i = 0; i < all_.size(); ++i) {
            const Event lost = record_of(all_[i].lost, tree_);
            missing.emplace(Subject{lost.task, lost.subtask, lost.peer}, i);
        }
        if (missing.empty()) return;
        std::uint32_t last_result = 0;
        for (const auto part : stream_.in_passing()) {
            for (const Event& event : part) {
                if (event.kind == EventKind::Send && event.is_result != 0) last_result = event.seq;
                const auto [from, to] = missing.equal_range({event.task, event.subtask, event.peer});
                for (auto found = from; found != to; ++found) {
                    Placed& each = all_[found->second];
                    if (comes_first(each.lost)) each.last_seq = std::min(each.last_seq, event.seq);
                    if (!comes_first(each.lost)) each.first_seq = std::max(each.first_seq, event.seq);
                }
            }
        }
        for (Placed& each : all_)
            if (each.lost.waits) each.first_seq = std::max(each.first_seq, last_result);
    }

    const tmon_streams::Stream& stream_;
    const farm_spec::FarmTree& tree_;
    std::vector<Placed> all_;
    std::size_t waiting_ = 0, results_ = 0;  // results that wait, and others that have no place yet
};

}  // namespace

Event record_of(const LostEvent& lost, const farm_spec::FarmTree& tree) {
    const bool at_worker = lost.bit == EventGraphs::received || lost.bit == EventGraphs::result_sent;
    const std::uint16_t parent = *tree.parent(lost.worker);
    Event event;
    event.task = lost.task;
    event.subtask = lost.subtask;
    event.node = at_worker ? lost.worker : parent;
    event.peer = at_worker ? parent : lost.worker;
    event.kind = lost.bit == EventGraphs::sent || lost.bit == EventGraphs::result_sent ? EventKind::Send : EventKind::Receive;
    event.is_result = lost.bit == EventGraphs::result_sent || lost.bit == EventGraphs::result_received ? 1 : 0;
    return event;
}

bool is_lossy(const tmon_streams::Stream& stream) {
    return stream.state == tmon_streams::StreamState::Finished && !stream.losses.empty();
}

std::uint64_t lost_records(const tmon_streams::Stream& stream) {
    std::uint64_t records = 0;
    for (const LossRange& range : stream.losses) records += std::uint64_t{range.last_seq} - range.first_seq + 1;
    return records;
}

std::optional<FilledStream> with_gaps_filled(const tmon_streams::Stream& stream, const farm_spec::FarmTree& tree,
                                             std::vector<LostEvent> lost) {
    auto in_gaps = GapFilling(stream, tree, std::move(lost)).in_gaps();
    if (!in_gaps) return {};
    std::vector<Event> records;
    records.reserve(stream.kept() + in_gaps->size());
    for (const auto part : stream.in_passing()) records.insert(records.end(), part.begin(), part.end());
    const auto middle = static_cast<std::ptrdiff_t>(records.size());
    records.insert(records.end(), in_gaps->begin(), in_gaps->end());
    std::inplace_merge(records.begin(), records.begin() + middle, records.end(),
                       [](const Event& a, const Event& b) { return a.seq < b.seq; });
    for (std::size_t i = 1; i < records.size(); ++i) records[i].time_us = std::max(records[i].time_us, records[i - 1].time_us);
    return FilledStream{std::move(records), std::move(*in_gaps)};
}

LastArrivals::LastArrivals(const tmon_streams::Trace& trace, const farm_spec::FarmTree& tree) {
    for (const tmon_streams::Stream& stream : trace.streams) {
        const auto parent = tree.has(stream.node) ? tree.parent(stream.node) : std::nullopt;
        if (!parent || stream.state != tmon_streams::StreamState::Open) continue;
        for (const auto part : stream.in_passing()) {
            for (const Event& event : part) {
                if (event.kind == EventKind::Receive && event.peer == *parent) last_[stream.node] = {event.task, event.subtask};
            }
        }
    }
}

bool LastArrivals::was_followed(const LostEvent& send) const {
    const auto last = last_.find(send.worker);
    return last != last_.end() && last->second != std::pair(send.task, send.subtask);
}

void replace_stream(tmon_streams::Trace& trace, std::uint16_t node, std::vector<Event> records) {
    auto kept = std::make_shared<const std::vector<Event>>(std::move(records));
    tmon_streams::Stream& stream = trace.streams[node];
    stream.losses.clear();
    stream.parts.clear();
    if (!kept->empty()) stream.parts = {std::span<const Event>(*kept)};
    stream.unloaded_us.clear();
    stream.store = nullptr;
    trace.keep.push_back(std::move(kept));
}

}  // namespace tmon_detrek
