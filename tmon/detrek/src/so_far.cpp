// A look at a farm under way: what the master believes, what the workers know, what is late.
#include <algorithm>

#include <tmon_streams/task_view.hpp>
#include "frontier_events.hpp"
#include "growing_state.hpp"
#include "verdict_judge.hpp"

namespace tmon_detrek {

namespace {

constexpr std::int64_t drift_bound = 10'000;  // clocks differ by less than one part in this number

using Longest = std::vector<std::optional<std::uint64_t>>;

std::optional<std::uint64_t> at_level(const Longest& longest, unsigned level) {
    return level < longest.size() ? longest[level] : std::nullopt;
}

bool is_debt(StopKind kind) {
    return kind == StopKind::NotReceived || kind == StopKind::ResultNotTaken || kind == StopKind::GivenBack;
}

// The longest stay of this kind so far; empty when none of its kind has ended, so that nothing can be called late. A message
// that left has arrived: links are synchronous.
std::optional<std::uint64_t> usual(const FaultRow& row, const LongestStays& longest, const farm_spec::FarmTree& tree) {
    if (is_debt(row.kind)) return 0;
    if (row.kind == StopKind::NotGenerated || row.kind == StopKind::NotSentAgain || row.kind == StopKind::JoinWaiting)
        return {};
    const unsigned level = tree.level(row.worker);
    const auto held = at_level(longest.held, level), branch = at_level(longest.branch, level),
               join = at_level(longest.join, level);
    if (row.kind == StopKind::Held) return held;
    if (row.kind == StopKind::BranchNotSent) return held && branch ? std::optional(*held + *branch) : std::nullopt;
    return join;
}

// The node whose record is missing: for a message that left, the one that it went to.
std::uint16_t debtor(const FaultRow& row) {
    return row.kind == StopKind::NotReceived ? row.worker : row.node;
}

bool any_part_has(const EventGraphs& graphs, const EventGraphs::Edge& edge, std::uint32_t task, std::uint8_t bits) {
    return std::any_of(edge.branches.begin(), edge.branches.end(), [&](const EventGraphs::Choice& choice) {
        return std::any_of(choice.begin(), choice.end(),
                           [&](std::uint32_t below) { return (graphs.bits(below, task) & bits) != 0; });
    });
}

}  // namespace

// One look at a growing analysis.
class Look {
public:
    Look(const GrowingAnalysis::State& state, const Moment& moment, const tmon_streams::Trace& tasks, const FoldedTasks& folded)
        : state_(state), moment_(moment), tasks_(tasks), graphs_(tasks, state.spec, folded) {}

    bool contradicted() const { return graphs_.findings() > 0; }

    SoFar run() {
        SoFar so_far;
        master(so_far);
        workers(so_far);
        so_far.late = late();
        std::vector<bool> owes(state_.nodes.size());
        for (const FaultRow& row : so_far.late) owes[debtor(row)] = owes[debtor(row)] || is_debt(row.kind);
        for (SoFar::Worker& worker : so_far.workers) worker.owes = owes[worker.node];
        for (tmon_streams::Stream& stream : tasks_.streams)
            stream.state = owes[stream.node] ? tmon_streams::StreamState::Open : tmon_streams::StreamState::Finished;
        so_far.verdict = Judge(tasks_, graphs_, so_far.late, {}).decide_so_far();
        return so_far;
    }

private:
    void master(SoFar& so_far) const {
        so_far.sent = so_far.back = graphs_.folded().count();
        for (std::uint32_t task = graphs_.first_task(); task < graphs_.tasks_seen(); task = graphs_.next(task)) {
            if (graphs_.folded().has(task)) continue;
            const bool back = graphs_.finished(task);
            const bool sent = back || std::any_of(graphs_.roots().begin(), graphs_.roots().end(), [&](std::uint32_t root) {
                                  return (graphs_.bits(root, task) & EventGraphs::sent) != 0;
                              });
            so_far.sent += sent ? 1 : 0;
            so_far.back += back ? 1 : 0;
            if (sent && !back) so_far.awaited.push_back(task);
        }
    }

    void workers(SoFar& so_far) const {
        std::vector<std::vector<SoFar::Part>> holds(state_.nodes.size());
        for (std::uint32_t task = graphs_.first_task(); task < graphs_.tasks_seen(); task = graphs_.next(task)) {
            if (graphs_.folded().has(task)) continue;
            for (std::uint32_t number = 0; number < graphs_.edges().size(); ++number) {
                const auto& edge = graphs_.edges()[number];
                const unsigned own = graphs_.bits(number, task) & (EventGraphs::received | EventGraphs::result_sent);
                if (own != EventGraphs::received) continue;
                holds[edge.worker].push_back({task, edge.subtask, any_part_has(graphs_, edge, task, EventGraphs::sent)});
            }
        }
        for (std::uint16_t node = 0; node < state_.nodes.size(); ++node) {
            if (!state_.tree.has(node)) continue;
            const GrowingAnalysis::State::Node& its = state_.nodes[node];
            so_far.records += state_.ledgers[node].records();
            if (node == 0) continue;
            so_far.workers.push_back({node, state_.ledgers[node].records(), its.last_us, its.got, its.gave,
                                      std::move(holds[node]), false, state_.ledgers[node].finished()});
        }
    }

    std::vector<FaultRow> late() const {
        const std::vector<FaultRow> rows = fault_list(graphs_);
        const auto events = frontier_events(tasks_, state_.tree, rows);
        std::vector<FaultRow> late;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (events[i] && is_late(rows[i], *events[i])) late.push_back(rows[i]);
        return late;
    }

    // The next record should have been made by the longest stay after the last one, and it should have come.
    bool is_late(const FaultRow& row, const Event& last) const {
        const auto& offset = offsets_us_[last.node];
        const auto longest = usual(row, state_.kept.longest(), state_.tree);
        if (!offset || !longest) return false;
        const std::uint16_t awaited = is_debt(row.kind) ? debtor(row) : last.node;
        const auto now = static_cast<std::int64_t>(moment_.now_us);
        const std::int64_t clock = std::max<std::int64_t>(0, now - offsets_us_[awaited].value_or(*offset));
        const std::uint64_t behind = moment_.behind_us(static_cast<std::uint64_t>(clock));
        const std::int64_t ago = now - *offset - static_cast<std::int64_t>(last.time_us) - clock / drift_bound;
        return ago > static_cast<std::int64_t>(*longest + behind);
    }

    const GrowingAnalysis::State& state_;
    const Moment& moment_;
    const std::vector<std::optional<std::int64_t>> offsets_us_ = state_.offsets_us();
    tmon_streams::Trace tasks_;
    EventGraphs graphs_;
};

SoFar GrowingAnalysis::so_far(const Moment& moment, const All& all) const {
    tmon_streams::Trace facts;
    facts.session = tmon_streams::SessionEnd::GoesOn;
    if (!state_->needs_all) {
        Look look(*state_, moment, tmon_streams::task_view(state_->trace(facts)), state_->folded());
        if (!look.contradicted()) return look.run();
    }
    tmon_streams::Trace whole = tmon_streams::task_view(all());
    whole.session = tmon_streams::SessionEnd::GoesOn;
    return Look(*state_, moment, whole, {}).run();
}

}  // namespace tmon_detrek
