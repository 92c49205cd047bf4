#include "exhaustion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "completion.hpp"
#include "counter_history.hpp"
#include "least_set.hpp"
#include "verdict_judge.hpp"
#include "verdict_text.hpp"

namespace tmon_detrek {

namespace {

bool is_decided(const Verdict& verdict) {
    return verdict.kind == VerdictKind::Certain || verdict.kind == VerdictKind::None;
}

bool is_same_answer(const Verdict& a, const Verdict& b) {
    return a.kind == b.kind && a.task == b.task && a.not_taken == b.not_taken && a.taken == b.taken && a.nodes == b.nodes &&
           a.subtasks == b.subtasks && a.process == b.process && a.in_process == b.in_process && a.behind == b.behind &&
           a.arrival_seen == b.arrival_seen && a.silent == b.silent;
}

class Exhaustion {
public:
    Exhaustion(const tmon_streams::Trace& tasks, const EventGraphs& graphs, const HistoryBudget& budget)
        : tasks_(tasks), graphs_(graphs), budget_(budget) {}

    Verdict improve(Verdict by_rules) {
        const Shown shown = each_history(tasks_, graphs_, budget_, [this](const History& history) { judge(history); });
        if (shown == Shown::All && agree()) return of_all(by_rules);
        if (shown == Shown::Recorded && by_rules.kind == VerdictKind::Unknown && agree()) return of_recorded(by_rules);
        add_counter_histories(by_rules);
        if (shown == Shown::All) add_deciding(by_rules);
        return by_rules;
    }

private:
    struct Judged {
        Verdict verdict;
        std::vector<LostEvent> lost;
        std::vector<Event> records;
        std::uint64_t unlisted = 0;
    };

    // A history whose records contradict each other is none of the machine's.
    void judge(const History& history) {
        const EventGraphs graphs(history.trace, graphs_.spec());
        if (graphs.findings() > 0) return;
        Verdict verdict = Judge(history.trace, graphs, fault_list(graphs), history.filled_by).decide();
        verdict.inferred.clear();
        judged_.push_back({std::move(verdict), history.lost, history.filled, history.unlisted});
    }

    bool agree() const {
        return !judged_.empty() && judged_.front().verdict.kind != VerdictKind::Unknown &&
               std::all_of(judged_.begin(), judged_.end(),
                           [this](const Judged& each) { return is_same_answer(each.verdict, judged_.front().verdict); });
    }

    // Only the rules tell what finished: a task that was made twice leaves as many lost records as one that came back.
    Verdict of_all(const Verdict& by_rules) {
        Verdict verdict = std::move(judged_.front().verdict);
        verdict.histories = static_cast<std::uint32_t>(judged_.size());
        verdict.finished_below = by_rules.finished_below;
        verdict.bundles_back_below = by_rules.bundles_back_below;
        say(verdict, graphs_.spec(),
            judged_.size() == 1
                ? "only one history agrees with the lost records"
                : fmt::format("each of the {} histories that agree with the lost records gives this answer", judged_.size()));
        return verdict;
    }

    // Others are possible, so it is likely at most.
    Verdict of_recorded(const Verdict& by_rules) {
        Verdict verdict = of_all(by_rules);
        if (verdict.kind == VerdictKind::None) verdict.kind = VerdictKind::Unknown;
        if (verdict.kind == VerdictKind::Certain) verdict.kind = VerdictKind::Likely;
        verdict.histories.reset();
        verdict.depends_on.push_back("nodes may have done what neither they nor their neighbours recorded");
        say(verdict, graphs_.spec(), "each history of the lost records gives this answer");
        return verdict;
    }

    // Beside a place that is likely, a history that gives another. Else two that differ.
    void add_counter_histories(Verdict& verdict) {
        const Judged* first = nullptr;
        std::vector<CounterHistory> found;
        for (const Judged& each : judged_) {
            if (each.verdict.kind == VerdictKind::Unknown) continue;
            const Verdict& other = first != nullptr ? first->verdict : verdict;
            const bool is_first_of_two = verdict.kind == VerdictKind::Unknown && first == nullptr;
            if (!is_first_of_two && names_same(each.verdict, other)) continue;
            found.push_back(counter_of(each));
            if (verdict.kind == VerdictKind::Likely || first != nullptr) break;
            first = &each;
        }
        const std::size_t wanted = verdict.kind == VerdictKind::Likely ? 1 : 2;
        if (found.size() == wanted) verdict.counter_histories = std::move(found);  // else those of the rules, without losses
    }

    void add_deciding(Verdict& verdict) const {
        std::vector<HistoryAnswer> answers;
        for (const Judged& each : judged_) {
            const auto same = std::find_if(judged_.begin(), judged_.end(),
                                           [&](const Judged& one) { return is_same_answer(one.verdict, each.verdict); });
            answers.push_back({each.lost, static_cast<std::size_t>(same - judged_.begin()), is_decided(each.verdict)});
        }
        for (const LostEvent& each : least_deciding(answers)) verdict.deciding.push_back(record_of(each, graphs_.tree()));
    }

    static bool names_same(const Verdict& a, const Verdict& b) {
        return (a.kind == VerdictKind::None) == (b.kind == VerdictKind::None) && a.task == b.task && a.nodes == b.nodes &&
               a.subtasks == b.subtasks && a.process == b.process;
    }

    // The events that all histories have in common tell nothing.
    CounterHistory counter_of(const Judged& history) const {
        std::vector<Event> telling;
        for (const LostEvent& each : history.lost) {
            const bool common = std::all_of(judged_.begin(), judged_.end(), [&](const Judged& other) {
                return std::binary_search(other.lost.begin(), other.lost.end(), each);
            });
            if (!common) telling.push_back(record_of(each, graphs_.tree()));
        }
        return counter_history(history.verdict, history.records, history.unlisted, telling, graphs_.spec());
    }

    const tmon_streams::Trace& tasks_;
    const EventGraphs& graphs_;
    HistoryBudget budget_;
    std::vector<Judged> judged_;
};

}  // namespace

Verdict by_exhaustion(const tmon_streams::Trace& tasks, const EventGraphs& graphs, Verdict by_rules,
                      const HistoryBudget& budget) {
    if (!has_told_losses(tasks, graphs)) return by_rules;
    return Exhaustion(tasks, graphs, budget).improve(std::move(by_rules));
}

}  // namespace tmon_detrek
