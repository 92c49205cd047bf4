#include <tmon_recovery/intervals.hpp>

#include <algorithm>
#include <limits>

#include <vocabulary/contract.hpp>

#include "knowledge_pool.hpp"

namespace tmon_recovery {

// One pass over the events, causes first. Each process has its interval, the checkpoint that falls due next, and its knowledge.
class Intervals::Walk {
public:
    Walk(const EventGraph& graph, const CheckpointPlan& plan, Intervals& into)
        : graph_(graph),
          plan_(plan),
          into_(into),
          pool_(into.words_),
          now_(graph.processes()),
          carried_(graph.messages().size()) {
        for (ProcessNo process = 0; process < now_.size(); ++process) {
            taken_.emplace_back();
            now_[process].rows_from = 0;
            take(process, 0, 0, graph.span(process).begin_ns, false);
        }
    }

    void visit(ProcessNo process, EventNo event) {
        const MessageNo number = graph_.message_of(process, event);
        const std::int64_t time = graph_.time(process, event);
        take_due(process, event - 1, time);
        State& its = now_[process];
        if (!graph_.is_receive(process, event)) {
            into_.sent_in_[number] = its.count - 1;
            if (graph_.messages()[number].received == 0) return;
            if (its.snapshot == KnowledgePool::none) its.snapshot = pool_.add(its.knows);
            carried_[number] = its.snapshot;
            pool_.hold(its.snapshot);
            return;
        }
        const std::uint32_t index = taken_[graph_.messages()[number].from][into_.sent_in_[number]].index;
        if (index > its.index) take(process, index, event - 1, time, true);
        into_.received_in_[number] = its.count - 1;
        if (index == its.index && pool_.join(its.knows, carried_[number])) drop_snapshot(its);
        pool_.drop(carried_[number]);
    }

    std::vector<std::vector<Checkpoint>> finish() {
        for (ProcessNo process = 0; process < now_.size(); ++process) {
            take_due(process, graph_.events(process), graph_.span(process).end_ns);
            close(process, now_[process].index + 1);
        }
        return std::move(taken_);
    }

private:
    struct State {
        std::uint32_t index = 0, count = 0;
        std::uint32_t rows_from = 0;  // the next index whose row is not written
        std::int64_t due_ns = 0;
        std::vector<std::uint64_t> knows{};
        std::uint32_t snapshot = KnowledgePool::none;  // of `knows`, while it does not change
    };

    void drop_snapshot(State& its) {
        if (its.snapshot != KnowledgePool::none) pool_.drop(its.snapshot);
        its.snapshot = KnowledgePool::none;
    }

    // The interval ends at a checkpoint of this index: its row, and those of the indices that are skipped.
    void close(ProcessNo process, std::uint32_t index) {
        State& its = now_[process];
        const std::size_t rows = static_cast<std::size_t>(index) * now_.size() * into_.words_;
        if (into_.rows_.size() < rows) into_.rows_.resize(rows, 0);
        for (std::uint32_t one = its.rows_from; one < index; ++one) {
            std::uint64_t* const row = &into_.rows_[(one * now_.size() + process) * into_.words_];
            if (one == its.index)
                std::copy(its.knows.begin(), its.knows.end(), row);
            else
                row[process / 64] |= std::uint64_t{1} << (process % 64);
        }
        its.rows_from = index;
    }

    void take(ProcessNo process, std::uint32_t index, EventNo after, std::int64_t time, bool forced) {
        State& its = now_[process];
        if (its.count > 0) close(process, index);
        taken_[process].push_back({index, after, time, forced});
        ++its.count;
        its.index = index;
        its.knows.assign(into_.words_, 0);
        its.knows[process / 64] = std::uint64_t{1} << (process % 64);
        drop_snapshot(its);
        its.due_ns = due(process, index, time);
    }

    // When the checkpoint behind that of this index falls due.
    std::int64_t due(ProcessNo process, std::uint32_t index, std::int64_t time) const {
        const std::int64_t multiple = std::int64_t{index} * plan_.interval_ns;
        switch (plan_.rule) {
            case CheckpointRule::Clock:
                return time + plan_.interval_ns;
            case CheckpointRule::Time:
                return graph_.span(process).begin_ns - graph_.span(process).begin_common_ns + multiple + start_ns_;
            case CheckpointRule::Interrupt:
                return graph_.clock(process, start_ns_ + multiple);
            case CheckpointRule::Moments:
                break;
        }
        const auto& all = plan_.moments[process];
        const auto at = std::upper_bound(all.begin(), all.end(), time);
        return at == all.end() ? std::numeric_limits<std::int64_t>::max() : *at;
    }

    // Those that fall due at this time or before. Each is an interval of its own, also without events.
    void take_due(ProcessNo process, EventNo after, std::int64_t until) {
        while (now_[process].due_ns <= until && now_[process].due_ns <= graph_.span(process).end_ns) {
            const std::int64_t time = std::max(now_[process].due_ns, taken_[process].back().time_ns);
            take(process, now_[process].index + 1, after, time, false);
        }
    }

    static std::int64_t last_begin(const EventGraph& graph) {
        std::int64_t last = std::numeric_limits<std::int64_t>::min();
        for (ProcessNo process = 0; process < graph.processes(); ++process)
            last = std::max(last, graph.span(process).begin_common_ns);
        return last;
    }

    const EventGraph& graph_;
    const CheckpointPlan& plan_;
    Intervals& into_;
    const std::int64_t start_ns_ = last_begin(graph_);
    KnowledgePool pool_;
    std::vector<State> now_;
    std::vector<std::uint32_t> carried_;  // the sender's knowledge, of messages under way
    std::vector<std::vector<Checkpoint>> taken_;
};

Intervals::Intervals(const EventGraph& graph, const CheckpointPlan& plan)
    : processes_(graph.processes()), words_((graph.processes() + 63) / 64) {
    EXPECTS(plan.interval_ns > 0, "intervals.interval");
    EXPECTS(plan.rule != CheckpointRule::Moments || plan.moments.size() == graph.processes(), "intervals.moments");
    sent_in_.resize(graph.messages().size());
    received_in_.resize(graph.messages().size());
    Walk walk(graph, plan, *this);
    std::size_t left = 0;
    for (ProcessNo process = 0; process < processes_; ++process) left += graph.events(process);
    graph.for_each([&](ProcessNo process, EventNo event) {
        walk.visit(process, event);
        --left;
    });
    has_circle_ = left > 0;
    gather(walk.finish());
    for (MessageNo message = 0; message < sent_in_.size(); ++message) {
        sent_in_[message] += first_[graph.messages()[message].from];
        received_in_[message] += first_[graph.messages()[message].to];
    }
    transpose();
    measure(graph);
}

void Intervals::gather(std::vector<std::vector<Checkpoint>> taken) {
    first_.push_back(0);
    for (const std::vector<Checkpoint>& its : taken) {
        all_.insert(all_.end(), its.begin(), its.end());
        first_.push_back(static_cast<CheckpointNo>(all_.size()));
        indices_ = std::max(indices_, its.back().index + 1);
    }
    rows_.resize(static_cast<std::size_t>(indices_) * processes_ * words_, 0);
}

// A matrix has few bits in most programs, so each is looked at by itself.
void Intervals::transpose() {
    columns_.assign(rows_.size(), 0);
    for (std::size_t line = 0; line < std::size_t{indices_} * processes_; ++line) {
        const std::size_t s = line % processes_;
        const std::size_t matrix = line - s;
        for (std::size_t word = 0; word < words_; ++word) {
            for (std::uint64_t bits = rows_[line * words_ + word]; bits != 0; bits &= bits - 1) {
                const std::size_t r = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
                columns_[(matrix + r) * words_ + s / 64] |= std::uint64_t{1} << (s % 64);
            }
        }
    }
}

void Intervals::measure(const EventGraph& graph) {
    constexpr std::int64_t unset = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> first(indices_, unset), last(indices_, std::numeric_limits<std::int64_t>::min());
    for (ProcessNo process = 0; process < processes_; ++process) {
        for (CheckpointNo at = first_[process]; at < first_[process + 1]; ++at) {
            const Checkpoint& its = all_[at];
            const std::int64_t end = at + 1 < first_[process + 1] ? all_[at + 1].time_ns : graph.span(process).end_ns;
            longest_ns_ = std::max(longest_ns_, end - its.time_ns);
            const std::int64_t common = graph.common(process, its.time_ns);
            first[its.index] = std::min(first[its.index], common);
            last[its.index] = std::max(last[its.index], common);
        }
    }
    skew_ns_.assign(indices_, 0);
    for (std::size_t index = 0; index < indices_; ++index)
        if (first[index] != unset) skew_ns_[index] = last[index] - first[index];
}

CheckpointNo Intervals::before(ProcessNo process, EventNo after) const {
    const auto begin = all_.begin() + first_[process] + 1, end = all_.begin() + first_[process + 1];
    const auto at = std::partition_point(begin, end, [after](const Checkpoint& its) { return its.after < after; });
    return static_cast<CheckpointNo>(at - all_.begin()) - 1;
}

}  // namespace tmon_recovery
