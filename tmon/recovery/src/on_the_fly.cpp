#include <tmon_recovery/on_the_fly.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <vocabulary/contract.hpp>

namespace tmon_recovery {
namespace {

constexpr std::uint32_t goes_on = std::numeric_limits<std::uint32_t>::max();

void add(ProcessSet& set, ProcessNo one) {
    set[one / 64] |= std::uint64_t{1} << (one % 64);
}
bool has(const ProcessSet& set, ProcessNo one) {
    return (set[one / 64] >> (one % 64) & 1U) != 0;
}
void join(ProcessSet& set, const ProcessSet& more) {
    for (std::size_t word = 0; word < set.size(); ++word) set[word] |= more[word];
}

}  // namespace

OnTheFlyLog::OnTheFlyLog(ProcessNo self, std::size_t processes, Method method)
    : self_(self),
      processes_(processes),
      method_(method),
      knows_((processes + 63) / 64),
      heard_(processes, knows_),
      last_of_(processes, goes_on) {
    EXPECTS(method == Method::Ros || method == Method::Mrt, "on_the_fly.method");
    add(knows_, self);
}

Piggyback OnTheFlyLog::on_send(std::int64_t elapsed_ns) const {
    return {index_, elapsed_ns, knows_};
}

LogRule OnTheFlyLog::on_receive(MessageNo message, ProcessNo from, const Piggyback& came, std::int64_t elapsed_ns) {
    if (came.index < index_) return LogRule::Higher;
    join(knows_, came.knows);
    join(heard_[from], came.knows);
    if (method_ == Method::Mrt && came.elapsed_ns > elapsed_ns) return LogRule::Late;
    kept_[index_].push_back({message, from});
    return LogRule::None;
}

std::vector<KnowledgeRow> OnTheFlyLog::on_checkpoint(std::uint32_t index) {
    std::vector<KnowledgeRow> rows{{self_, index_, knows_, false}};
    ProcessSet own(knows_.size());
    add(own, self_);
    for (std::uint32_t skipped = index_ + 1; skipped < index; ++skipped) rows.push_back({self_, skipped, own, false});
    if (method_ == Method::Ros) {
        decide_as_ros(index_, knows_);
        for (ProcessSet& its : heard_) std::fill(its.begin(), its.end(), 0);
        for (std::uint32_t skipped = index_ + 1; skipped < index; ++skipped) decide_as_ros(skipped, own);
        rows.clear();
    }
    knows_ = own;
    index_ = index;
    for (const KnowledgeRow& row : rows) take_row(row);
    return rows;
}

std::vector<KnowledgeRow> OnTheFlyLog::on_end() {
    ended_ = true;
    if (method_ == Method::Ros) {
        decide_as_ros(index_, knows_);
        for (auto& [index, messages] : kept_)
            for (const Kept& its : messages) decided_.push_back({its.message, LogRule::Needed});
        kept_.clear();
        return {};
    }
    const KnowledgeRow row{self_, index_, knows_, true};
    take_row(row);
    return {row};
}

void OnTheFlyLog::on_row(const KnowledgeRow& row) {
    take_row(row);
}

void OnTheFlyLog::take_row(const KnowledgeRow& row) {
    Rows& its = rows_[row.index];
    if (its.of.empty()) its.of.resize(processes_);
    its.of[row.of] = row.knows;
    ++its.known;
    if (row.last) last_of_[row.of] = row.index;
    while (!kept_.empty() && is_known(kept_.begin()->first + 1)) {
        decide(kept_.begin()->first + 1);
        kept_.erase(kept_.begin());
    }
    const std::uint32_t present = index_ == 0 ? 0 : index_ - 1;  // waits() asks for it
    const std::uint32_t needed = kept_.empty() ? present : std::min(present, kept_.begin()->first + 1);
    while (!rows_.empty() && rows_.begin()->first < needed) rows_.erase(rows_.begin());
}

// The own row comes with the checkpoint, so nothing is decided before it.
bool OnTheFlyLog::is_known(std::uint32_t index) const {
    const auto at = rows_.find(index);
    std::size_t known = at == rows_.end() ? 0 : at->second.known;
    for (const std::uint32_t last : last_of_) known += last != goes_on && last < index;
    return known == processes_;
}

void OnTheFlyLog::decide(std::uint32_t index) {
    const auto at = rows_.find(index);
    const auto knows = [&](ProcessNo s, ProcessNo r) {
        return at != rows_.end() && !at->second.of.empty() && !at->second.of[s].empty() && has(at->second.of[s], r);
    };
    for (const Kept& its : kept_.begin()->second) {
        bool needed = false;
        for (ProcessNo s = 0; s < processes_ && !needed; ++s) needed = knows(s, its.from) && !knows(s, self_);
        decided_.push_back({its.message, needed ? LogRule::Needed : LogRule::None});
    }
}

void OnTheFlyLog::decide_as_ros(std::uint32_t index, const ProcessSet& own) {
    const auto at = index == 0 ? kept_.end() : kept_.find(index - 1);
    if (at == kept_.end()) return;
    const bool skipped = index != index_;
    for (const Kept& its : at->second) {
        bool needed = false;
        for (std::size_t word = 0; word < own.size(); ++word)
            needed = needed || skipped || (own[word] & ~heard_[its.from][word]) != 0;
        decided_.push_back({its.message, needed ? LogRule::Needed : LogRule::None});
    }
    kept_.erase(at);
}

std::vector<Decision> OnTheFlyLog::decisions() {
    return std::exchange(decided_, {});
}

bool OnTheFlyLog::waits() const {
    return method_ == Method::Mrt && index_ > 0 && !ended_ && !is_known(index_ - 1);
}

namespace {

class Run {
public:
    Run(const EventGraph& graph, const Intervals& intervals, Method method)
        : graph_(graph), intervals_(intervals), next_(graph.processes()), carried_(graph.messages().size()) {
        result_.log.resize(graph.messages().size(), LogRule::None);
        for (ProcessNo process = 0; process < graph.processes(); ++process) {
            logs_.emplace_back(process, graph.processes(), method);
            next_[process] = intervals.first_of(process) + 1;
        }
    }

    void visit(ProcessNo process, EventNo event) {
        take_before(process, event);
        const MessageNo number = graph_.message_of(process, event);
        const std::int64_t elapsed = graph_.time(process, event) - intervals_.checkpoints()[next_[process] - 1].time_ns;
        if (!graph_.is_receive(process, event)) {
            carried_[number] = logs_[process].on_send(elapsed);
            result_.piggyback_bytes += 8 + (graph_.processes() + 7) / 8;
            return;
        }
        const Piggyback came = std::exchange(carried_[number], {});
        result_.log[number] = logs_[process].on_receive(number, graph_.messages()[number].from, came, elapsed);
    }

    OnTheFly finish() {
        for (ProcessNo process = 0; process < logs_.size(); ++process) {
            take_before(process, graph_.events(process) + 1);
            tell(logs_[process].on_end());
        }
        for (OnTheFlyLog& its : logs_)
            for (const Decision& one : its.decisions()) result_.log[one.message] = one.rule;
        return std::move(result_);
    }

private:
    void take_before(ProcessNo process, EventNo event) {
        for (; next_[process] <= intervals_.last_of(process) && intervals_.checkpoints()[next_[process]].after < event;
             ++next_[process])
            tell(logs_[process].on_checkpoint(intervals_.checkpoints()[next_[process]].index));
    }
    void tell(const std::vector<KnowledgeRow>& rows) {
        for (const KnowledgeRow& row : rows) {
            for (OnTheFlyLog& its : logs_)
                if (&its != &logs_[row.of]) its.on_row(row);
            result_.rows += logs_.size() - 1;
            result_.row_bytes += (logs_.size() - 1) * (8 + (logs_.size() + 7) / 8);
        }
    }

    const EventGraph& graph_;
    const Intervals& intervals_;
    std::vector<OnTheFlyLog> logs_{};
    std::vector<CheckpointNo> next_;
    std::vector<Piggyback> carried_;
    OnTheFly result_{};
};

// Each process waits at its checkpoints for those of all others that close the same index.
std::vector<std::int64_t> coordination(const EventGraph& graph, const Intervals& intervals, std::int64_t row_ns) {
    std::vector<std::int64_t> latest(intervals.indices() + 1, std::numeric_limits<std::int64_t>::min());
    const auto each = [&](auto visit) {
        for (ProcessNo process = 0; process < graph.processes(); ++process) {
            for (CheckpointNo at = intervals.first_of(process) + 1; at <= intervals.last_of(process); ++at) {
                const std::int64_t common = graph.common(process, intervals.checkpoints()[at].time_ns);
                for (std::uint32_t index = intervals.checkpoints()[at - 1].index + 1;
                     index <= intervals.checkpoints()[at].index; ++index)
                    visit(process, index, common);
            }
        }
    };
    each(
        [&](ProcessNo, std::uint32_t index, std::int64_t common) { latest[index] = std::max(latest[index], common + row_ns); });
    std::vector<std::int64_t> waits(graph.processes(), 0);
    each([&](ProcessNo process, std::uint32_t index, std::int64_t common) { waits[process] += latest[index] - common; });
    return waits;
}

}  // namespace

OnTheFly on_the_fly(const EventGraph& graph, const Intervals& intervals, Method method, std::int64_t row_ns) {
    Run run(graph, intervals, method);
    graph.for_each([&](ProcessNo process, EventNo event) { run.visit(process, event); });
    OnTheFly result = run.finish();
    result.waits_ns =
        method == Method::Mrt ? coordination(graph, intervals, row_ns) : std::vector<std::int64_t>(graph.processes(), 0);
    return result;
}

}  // namespace tmon_recovery
