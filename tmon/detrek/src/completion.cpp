#include "completion.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

namespace tmon_detrek {

namespace {

constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

// A lost record of one node: what it must have said, and between which of its other records it can stand.
struct Missing {
    std::uint32_t edge = 0;
    std::uint32_t task = 0;
    std::uint8_t bit = 0;
    std::uint32_t first_seq = 0;     // inclusive
    std::uint32_t last_seq = never;  // inclusive
    bool after_its_mate = false;     // the node's other event of this edge and task is missing too, and comes first
};

class Completer {
    static constexpr auto sent = EventGraphs::sent;
    static constexpr auto received = EventGraphs::received;
    static constexpr auto result_sent = EventGraphs::result_sent;
    static constexpr auto result_received = EventGraphs::result_received;

public:
    Completer(const tmon_streams::Trace& tasks, const EventGraphs& graphs)
        : trace_(tasks),
          graphs_(graphs),
          known_(graphs.edges().size()),
          missing_(tasks.streams.size()),
          unclear_(tasks.streams.size()) {}

    std::optional<Completion> run() {
        if (!may_be_completed()) return {};
        for (std::uint32_t task = graphs_.first_task(); task < graphs_.tasks_seen(); task = graphs_.next(task)) collect(task);
        Completion completion{trace_, std::vector<std::uint32_t>(trace_.streams.size())};
        bool any = false;
        for (const tmon_streams::Stream& stream : trace_.streams) {
            if (!is_lossy(stream.node) || unclear_[stream.node] || missing_[stream.node].size() != lost(stream)) continue;
            auto records = filled(stream);
            if (records.empty()) continue;
            completion.filled[stream.node] = static_cast<std::uint32_t>(missing_[stream.node].size());
            replace(completion.trace, stream.node, std::move(records));
            any = true;
        }
        if (!any) return {};
        return completion;
    }

private:
    bool is_lossy(std::uint16_t node) const {
        const tmon_streams::Stream& stream = trace_.streams[node];
        return stream.state == tmon_streams::StreamState::Finished && !stream.losses.empty();
    }
    bool is_open(std::uint16_t node) const { return trace_.streams[node].state == tmon_streams::StreamState::Open; }
    static std::uint64_t lost(const tmon_streams::Stream& stream) {
        std::uint64_t records = 0;
        for (const LossRange& range : stream.losses) records += std::uint64_t{range.last_seq} - range.first_seq + 1;
        return records;
    }
    bool may_be_completed() const {
        const farm_spec::FarmSpec& spec = graphs_.spec();
        const bool clean = trace_.losses_known && !trace_.directions_guessed && trace_.dropped_messages == 0 &&
                           trace_.suspect_records == 0 && graphs_.findings() == 0;
        const bool once = !spec.survives && spec.policy != farm_spec::Policy::WorkStealing;
        const bool any = std::any_of(trace_.streams.begin(), trace_.streams.end(),
                                     [this](const tmon_streams::Stream& stream) { return is_lossy(stream.node); });
        return any && clean && once && trace_.session == tmon_streams::SessionEnd::StoodStill && !trace_.marks_take_other_ways;
    }

    std::uint16_t parent_of(std::uint16_t worker) const { return *graphs_.tree().parent(worker); }

    // The events that must have happened on an edge, given some of them.
    std::uint8_t implied(std::uint32_t edge, std::uint8_t have) const {
        const std::uint16_t worker = graphs_.edges()[edge].worker;
        unsigned bits = EventGraphs::with_earlier(have);
        // A recorded send was taken by a neighbour that lived to the end.
        if ((bits & sent) != 0 && is_lossy(worker)) bits |= received;
        if ((bits & result_sent) != 0 && is_lossy(parent_of(worker))) bits |= result_received;
        return static_cast<std::uint8_t>(bits);
    }

    // An edge stands behind the one above it, so one pass goes up and one comes down.
    void collect(std::uint32_t task) {
        const auto& edges = graphs_.edges();
        for (std::uint32_t i = 0; i < known_.size(); ++i)
            known_[i] = implied(i, static_cast<std::uint8_t>(graphs_.bits(i, task) & 0xFU));
        for (auto i = static_cast<std::uint32_t>(known_.size()); i-- > 0;) {
            if (known_[i] == 0 || !edges[i].above) continue;
            known_[*edges[i].above] = implied(*edges[i].above, known_[*edges[i].above] | received);
        }
        for (std::uint32_t i = 0; i < known_.size(); ++i) {  // a whole goes up when its parts are back
            if (!edges[i].above || (known_[i] & sent) == 0) continue;
            if ((known_[*edges[i].above] & result_sent) != 0) known_[i] = implied(i, known_[i] | result_received);
        }
        for (std::uint32_t i = 0; i < known_.size(); ++i) {
            const unsigned lacks = known_[i] & ~unsigned{graphs_.bits(i, task)} & 0xFU;
            if (lacks == 0) continue;
            note_missing(parent_of(edges[i].worker), i, task, lacks, sent, result_received);
            note_missing(edges[i].worker, i, task, lacks, received, result_sent);
        }
    }

    // One end of an edge: `first` comes before `second` there.
    void note_missing(std::uint16_t node, std::uint32_t edge, std::uint32_t task, unsigned lacks, std::uint8_t first,
                      std::uint8_t second) {
        if (!is_lossy(node) || (lacks & (first | second)) == 0) return;
        if (first == sent && (lacks & first) != 0 && is_open(graphs_.edges()[edge].worker) && !was_followed(edge, task))
            unclear_[node] = true;
        if ((lacks & first) != 0) missing_[node].push_back({edge, task, first});
        if ((lacks & second) != 0) missing_[node].push_back({edge, task, second});
        missing_[node].back().after_its_mate = (lacks & first) != 0 && (lacks & second) != 0;
    }

    // The link to a silent node may have failed just before the sender knew that its message had arrived. Not so if another one
    // arrived over it later: the sender records each before it sends the next.
    bool was_followed(std::uint32_t edge, std::uint32_t task) {
        const std::uint16_t worker = graphs_.edges()[edge].worker;
        if ((graphs_.bits(edge, task) & received) == 0) return false;
        auto& last = last_arrival_[worker];
        if (!last) last = last_from_above(worker);
        return last->task != task || last->subtask != graphs_.edges()[edge].subtask;
    }
    Event last_from_above(std::uint16_t worker) const {
        Event last;
        for (const auto part : trace_.streams[worker].in_passing()) {
            for (const Event& event : part)
                if (event.kind == EventKind::Receive && event.peer == parent_of(worker)) last = event;
        }
        return last;
    }

    // The record of an event on one node, without time and number.
    Event record_of(std::uint16_t node, const Missing& missing) const {
        const EventGraphs::Edge& edge = graphs_.edges()[missing.edge];
        const bool send = missing.bit == sent || missing.bit == result_sent;
        Event event;
        event.task = missing.task;
        event.subtask = edge.subtask;
        event.node = node;
        event.peer = edge.worker == node ? parent_of(node) : edge.worker;
        event.kind = send ? EventKind::Send : EventKind::Receive;
        event.is_result = missing.bit == result_sent || missing.bit == result_received ? 1 : 0;
        return event;
    }

    // The events of the same edge and task that the node did record bound those that it lost.
    void bound(std::uint16_t node, std::vector<Missing>& all) const {
        std::sort(all.begin(), all.end(), [](const Missing& a, const Missing& b) {
            return std::tie(a.task, a.edge, a.bit) < std::tie(b.task, b.edge, b.bit);
        });
        using Subject = std::tuple<std::uint32_t, SubTaskId, std::uint16_t>;  // task, sub-task, peer
        std::multimap<Subject, std::size_t> missing;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Event lost = record_of(node, all[i]);
            missing.emplace(Subject{lost.task, lost.subtask, lost.peer}, i);
        }
        for (const auto part : trace_.streams[node].in_passing()) {
            for (const Event& event : part) {
                const auto [from, to] = missing.equal_range({event.task, event.subtask, event.peer});
                for (auto found = from; found != to; ++found) {
                    Missing& each = all[found->second];
                    const bool comes_first = each.bit == sent || each.bit == received;
                    if (comes_first) each.last_seq = std::min(each.last_seq, event.seq);
                    if (!comes_first) each.first_seq = std::max(each.first_seq, event.seq);
                }
            }
        }
    }

    // The lost records in the gaps of the stream: always the one that must come soonest, among those that may come yet. Such a
    // choice finds an order if there is one (unit jobs with release times and deadlines). Empty: there is none.
    std::vector<Event> in_gaps(const tmon_streams::Stream& stream) {
        std::vector<Missing>& all = missing_[stream.node];
        bound(stream.node, all);
        std::vector<std::size_t> by_release;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (!all[i].after_its_mate) by_release.push_back(i);
            if (all[i].after_its_mate && all[i].last_seq != never) all[i - 1].last_seq = all[i].last_seq - 1;
        }
        std::stable_sort(by_release.begin(), by_release.end(),
                         [&](std::size_t a, std::size_t b) { return all[a].first_seq < all[b].first_seq; });
        std::set<std::pair<std::uint32_t, std::size_t>> ready;  // by deadline
        auto released = by_release.begin();
        std::vector<Event> records;
        for (const LossRange& range : stream.losses) {
            for (std::uint64_t seq = range.first_seq; seq <= range.last_seq; ++seq) {
                for (; released != by_release.end() && all[*released].first_seq <= seq; ++released)
                    ready.emplace(all[*released].last_seq, *released);
                if (ready.empty() || ready.begin()->first < seq) return {};
                const std::size_t next = ready.begin()->second;
                ready.erase(ready.begin());
                records.push_back(record_of(stream.node, all[next]));
                records.back().seq = static_cast<std::uint32_t>(seq);
                const bool has_mate = next + 1 < all.size() && all[next + 1].after_its_mate;
                if (has_mate) ready.emplace(all[next + 1].last_seq, next + 1);
            }
        }
        return records;
    }

    // The stream with the missing records. Empty: they do not fit.
    std::vector<Event> filled(const tmon_streams::Stream& stream) {
        const std::vector<Event> gap_records = in_gaps(stream);
        if (gap_records.empty()) return {};
        std::vector<Event> records;
        records.reserve(stream.kept() + gap_records.size());
        for (const auto part : stream.in_passing()) records.insert(records.end(), part.begin(), part.end());
        const auto middle = static_cast<std::ptrdiff_t>(records.size());
        records.insert(records.end(), gap_records.begin(), gap_records.end());
        std::inplace_merge(records.begin(), records.begin() + middle, records.end(),
                           [](const Event& a, const Event& b) { return a.seq < b.seq; });
        for (std::size_t i = 1; i < records.size(); ++i)
            records[i].time_us = std::max(records[i].time_us, records[i - 1].time_us);
        return records;
    }

    void replace(tmon_streams::Trace& trace, std::uint16_t node, std::vector<Event> records) const {
        auto kept = std::make_shared<const std::vector<Event>>(std::move(records));
        tmon_streams::Stream& stream = trace.streams[node];
        stream.losses.clear();
        stream.parts = {std::span<const Event>(*kept)};
        stream.unloaded_us.clear();
        stream.store = nullptr;
        trace.keep.push_back(std::move(kept));
    }

    const tmon_streams::Trace& trace_;
    const EventGraphs& graphs_;
    std::vector<std::uint8_t> known_;  // by edge, of the task in hand
    std::vector<std::vector<Missing>> missing_;
    std::map<std::uint16_t, std::optional<Event>> last_arrival_;  // by silent node, from above
    std::vector<bool> unclear_;                                   // nodes of which some event may not have been recorded at all
};

}  // namespace

std::optional<Completion> complete(const tmon_streams::Trace& tasks, const EventGraphs& graphs) {
    return Completer(tasks, graphs).run();
}

}  // namespace tmon_detrek
