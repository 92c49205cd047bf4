#include "completion.hpp"

#include <algorithm>
#include <utility>

#include "gap_filling.hpp"
#include "waiting_results.hpp"

namespace tmon_detrek {

namespace {

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
          arrivals_(tasks, graphs.tree()),
          waiting_(tasks, graphs.tree()),
          unclear_(tasks.streams.size()) {}

    std::optional<Completion> run() {
        if (!losses_may_be_told(trace_, graphs_)) return {};
        for (std::uint32_t task = graphs_.first_task(); task < graphs_.tasks_seen(); task = graphs_.next(task)) collect(task);
        Completion completion{trace_, std::vector<std::uint32_t>(trace_.streams.size())};
        bool any = false;
        for (const tmon_streams::Stream& stream : trace_.streams) {
            if (!is_lossy(stream) || unclear_[stream.node] || missing_[stream.node].size() != lost_records(stream)) continue;
            auto filled = with_gaps_filled(stream, graphs_.tree(), missing_[stream.node]);
            if (!filled) continue;
            completion.filled[stream.node] = static_cast<std::uint32_t>(missing_[stream.node].size());
            replace_stream(completion.trace, stream.node, std::move(filled->records));
            any = true;
        }
        if (!any) return {};
        return completion;
    }

private:
    bool lossy(std::uint16_t node) const { return is_lossy(trace_.streams[node]); }
    bool is_open(std::uint16_t node) const { return trace_.streams[node].state == tmon_streams::StreamState::Open; }
    std::uint16_t parent_of(std::uint16_t worker) const { return *graphs_.tree().parent(worker); }

    // The events that must have happened on an edge, given some of them.
    std::uint8_t implied(std::uint32_t edge, std::uint8_t have) const {
        const std::uint16_t worker = graphs_.edges()[edge].worker;
        unsigned bits = EventGraphs::with_earlier(have);
        // A recorded send was taken by a neighbour that lived to the end.
        if ((bits & sent) != 0 && lossy(worker)) bits |= received;
        if ((bits & result_sent) != 0 && lossy(parent_of(worker))) bits |= result_received;
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

    bool was_followed(std::uint32_t edge, std::uint32_t task) const {
        if ((graphs_.bits(edge, task) & received) == 0) return false;
        return arrivals_.was_followed({task, graphs_.edges()[edge].worker, graphs_.edges()[edge].subtask, sent});
    }

    // One end of an edge: `first` comes before `second` there.
    void note_missing(std::uint16_t node, std::uint32_t edge, std::uint32_t task, unsigned lacks, std::uint8_t first,
                      std::uint8_t second) {
        if (!lossy(node) || (lacks & (first | second)) == 0) return;
        const auto& of = graphs_.edges()[edge];
        if (first == sent && (lacks & first) != 0 && is_open(of.worker) && !was_followed(edge, task)) unclear_[node] = true;
        if (second == result_received && (lacks & second) != 0 && waiting_.may_be(of.worker, task, of.subtask))
            unclear_[node] = true;
        if ((lacks & first) != 0) missing_[node].push_back({task, of.worker, of.subtask, first});
        if ((lacks & second) != 0) missing_[node].push_back({task, of.worker, of.subtask, second});
    }

    const tmon_streams::Trace& trace_;
    const EventGraphs& graphs_;
    std::vector<std::uint8_t> known_;  // by edge, of the task in hand
    std::vector<std::vector<LostEvent>> missing_;
    const LastArrivals arrivals_;
    const WaitingResults waiting_;
    std::vector<bool> unclear_;  // nodes of which some event may not have been recorded at all
};

}  // namespace

bool has_told_losses(const tmon_streams::Trace& trace, const EventGraphs& graphs) {
    const farm_spec::FarmSpec& spec = graphs.spec();
    const bool clean = trace.losses_known && !trace.directions_guessed && trace.dropped_messages == 0 &&
                       trace.suspect_records == 0 && graphs.findings() == 0;
    const bool once = !spec.survives && spec.policy != farm_spec::Policy::WorkStealing;
    const bool any = std::any_of(trace.streams.begin(), trace.streams.end(), is_lossy);
    return any && clean && once;
}

bool losses_may_be_told(const tmon_streams::Trace& trace, const EventGraphs& graphs) {
    return has_told_losses(trace, graphs) && trace.session == tmon_streams::SessionEnd::StoodStill &&
           !trace.marks_take_other_ways;
}

std::optional<Completion> complete(const tmon_streams::Trace& tasks, const EventGraphs& graphs) {
    return Completer(tasks, graphs).run();
}

}  // namespace tmon_detrek
