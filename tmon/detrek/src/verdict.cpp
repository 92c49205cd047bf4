#include <tmon_detrek/verdict.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include <tmon_streams/task_view.hpp>
#include "completion.hpp"
#include "exhaustion.hpp"
#include "program_verdict.hpp"
#include "verdict_judge.hpp"
#include "verdict_text.hpp"

namespace tmon_detrek {

Judge::Judge(const tmon_streams::Trace& trace, const EventGraphs& graphs, const std::vector<FaultRow>& rows,
             const std::vector<std::uint32_t>& filled)
    : trace_(trace),
      graphs_(graphs),
      spec_(graphs.spec()),
      tree_(graphs.tree()),
      rows_(rows),
      survey_(trace, graphs),
      settled_(trace, graphs, survey_, filled),
      likely_(trace, graphs, survey_, settled_, silence_, rows) {
    lowest_ = graphs.first_task();
    while (lowest_ < graphs.tasks_seen() && graphs.finished(lowest_)) lowest_ = graphs.next(lowest_);
    lowest_ = std::min(lowest_, spec_.tasks);
    for (std::uint16_t node = 0; node < filled.size(); ++node)
        if (filled[node] > 0) verdict_.inferred.push_back({node, filled[node]});
}

Verdict Judge::decide() {
    if (spec_.granularity == 1) verdict_.finished_below = lowest_;
    if (spec_.granularity > 1) verdict_.bundles_back_below = lowest_;
    note_survival();
    note_contradiction();
    if (never_began()) return done(VerdictKind::Unknown, "");
    if (manager_never_recorded()) return done(VerdictKind::Unknown, "");
    if (contradiction_ && !was_damaged()) return contradiction_verdict();
    const bool all_seen = lowest_ == spec_.tasks && spec_.granularity == 1;
    if (!all_seen && reported_all()) return all_reported_verdict();
    if (lowest_ == spec_.tasks) return all_finished_verdict();
    if (graphs_.manager_is_alone() && !short_report()) return alone_verdict();
    for (const FaultRow& row : rows_) {
        if (row.task == lowest_) of_lowest_.push_back(row);
    }
    note_general_doubts();
    if (auto verdict = dropped_verdict()) return std::move(*verdict);
    if (receiver_ended()) return receiver_verdict();
    if (spec_.granularity > 1) doubt(bundles_text);
    if (of_lowest_.empty() && !waits_at_the_manager()) return nothing_seen_of_task();
    if (verdict_.depends_on.empty() && settled_.all_are_settled(of_lowest_)) return settled_verdict();
    return unsettled_verdict();
}

// ---- facts about nodes ----

std::vector<std::uint16_t> Judge::open_nodes() const {
    std::vector<std::uint16_t> open;
    for (const tmon_streams::Stream& each : trace_.streams) {
        if (tree_.has(each.node) && !alive(each.node)) open.push_back(each.node);
    }
    return open;
}

bool Judge::other_open() const {
    const auto open = open_nodes();
    return !open.empty() && open.back() != 0;
}

// A farm that survives gives what silent nodes had to others, and a foreign trace has no end marks.
void Judge::note_silence() {
    if (spec_.survives || !trace_.losses_known) return;
    silence_ = Silence(tree_, open_nodes());
    verdict_.fell_silent = silence_.tops();
}

// ---- building the verdict ----

Verdict Judge::done(VerdictKind kind, const std::string& remark) {
    verdict_.kind = kind;
    if (verdict_.process == process_name(Process::ResultReceiver)) {
        verdict_.not_taken = verdict_.task;
        verdict_.task.reset();
    }
    note_silent_nodes();
    note_counter_history();
    say(verdict_, spec_, remark);
    return std::move(verdict_);
}

// A node that was to be given a sub-task may have failed, as may one that had it.
void Judge::note_silent_nodes() {
    std::vector<bool> near(trace_.streams.size());
    if (verdict_.nodes.empty()) verdict_.silent = silence_.tops();
    for (const std::uint16_t node : verdict_.nodes) {
        near[node] = true;
        for (const std::uint16_t child : tree_.children(node)) near[child] = true;
    }
    for (std::size_t i = 0; i < near.size(); ++i) {
        const auto node = static_cast<std::uint16_t>(i);
        if (near[i] && tree_.has(node) && !alive(node)) verdict_.silent.push_back(node);
    }
}

void Judge::name(std::uint32_t task, SubTaskId subtask, std::uint16_t node, Process process) {
    verdict_.task = task;
    verdict_.subtasks.push_back(subtask);
    verdict_.nodes.push_back(node);
    verdict_.process = process_name(process);
}

void Judge::name_row(const FaultRow& row) {
    if (row.kind == StopKind::NotReceived) verdict_.arrival_seen = false;
    const Process process = likely_.failing_process(row);
    const std::string text(process_name(process));
    const bool known = std::find(verdict_.subtasks.begin(), verdict_.subtasks.end(), row.stopped) != verdict_.subtasks.end() &&
                       std::find(verdict_.nodes.begin(), verdict_.nodes.end(), row.worker) != verdict_.nodes.end();
    if (known) return;  // a join has one row per branch
    const std::string before = verdict_.process;
    name(row.task, row.stopped, LikelyPlaces::node_of(row), process);
    if (!before.empty() && before.find(text) == std::string::npos) verdict_.process = before + " or " + text;
    if (!before.empty() && before.find(text) != std::string::npos) verdict_.process = before;
}

void Judge::also(std::optional<std::uint32_t> task, SubTaskId subtask, std::optional<std::uint16_t> node,
                 const std::string& process) {
    constexpr std::size_t most = 3;
    const PossiblePlace place{task, subtask, node, process};
    const auto& known = verdict_.also_possible;
    if (known.size() == most || std::find(known.begin(), known.end(), place) != known.end()) return;
    for (std::size_t i = 0; i < verdict_.nodes.size(); ++i) {
        const bool same_task = verdict_.process == process_name(Process::ResultReceiver) ? !task : verdict_.task == task;
        if (same_task && verdict_.nodes[i] == node && verdict_.subtasks[i] == subtask && verdict_.process == process) return;
    }
    verdict_.also_possible.push_back(place);
}

void Judge::also(const FaultRow& row) {
    also(row.task, row.stopped, LikelyPlaces::node_of(row), std::string(process_name(likely_.failing_process(row))));
}

// Something of it came back, and one of its tasks may be missing.
void Judge::also_of_a_bundle() {
    if (spec_.granularity > 1) also({}, 0, {}, std::string(process_name(Process::Compute)));
}

// ---- doubts ----

// Booting or loading was given up, and no record says otherwise. So it is no fault of the program that no task was sent.
bool Judge::never_began() {
    verdict_.farm_never_began = trace_.session == tmon_streams::SessionEnd::NeverBegan && graphs_.tasks_seen() == 0;
    if (verdict_.farm_never_began) doubt("the farm had not begun when the session was given up");
    return verdict_.farm_never_began;
}

// Its monitor never began, so it waits at its first record, and records that it lacks prove nothing.
bool Judge::manager_never_recorded() {
    if (!trace_.losses_known || !whole(0) || stream(0).size() > 0) return false;
    if (trace_.size() == 0 && (trace_.session != tmon_streams::SessionEnd::Cut || !any_open())) return false;
    note_silence();
    verdict_.contradiction.reset();
    doubt("node 0 lives and has no record, so its monitor may never have begun");
    if (any_open()) doubt(open_nodes_text());
    return true;
}

std::string Judge::contradictions_text() const {
    return fmt::format("{} records contradict the specification or each other", graphs_.findings() + trace_.suspect_records);
}

std::string Judge::open_nodes_text() const {
    return "the last records of " + nodes_text(open_nodes()) + " may be missing";
}

// A farm that survives has moved what dead nodes had, and no record says that it was done.
bool Judge::was_survived() const {
    return spec_.survives && (!verdict_.fell_silent.empty() || graphs_.sent_again() > 0);
}

void Judge::note_survival() {
    if (!spec_.survives) return;
    for (const std::uint16_t node : open_nodes()) {
        if (node == 0) continue;
        verdict_.fell_silent.push_back(node);
        verdict_.issued_again = verdict_.issued_again || graphs_.has_outstanding(node);
    }
}

// Conditions that make any certainty impossible.
void Judge::note_general_doubts() {
    if (contradicted()) doubt(contradictions_text());
    if (trace_.directions_guessed) doubt("a .tvm does not say whether a stolen task or a result went up");
    if (was_survived()) doubt("no record says how far tasks came after their nodes crashed");
    if (was_damaged() && trace_.dropped_messages > 0) {
        doubt(fmt::format("{} {} damaged or {} lost, so the links cannot be trusted", trace_.dropped_messages,
                          trace_.dropped_messages == 1 ? "message came" : "messages came",
                          trace_.dropped_messages == 1 ? "was" : "were"));
    }
    if (!trace_.losses_known) doubt("the trace does not say whether it is whole");
    if (trace_.session == tmon_streams::SessionEnd::Cut)
        doubt("monitoring ended while nodes were still at work, so what looks stopped may be slow");
    if (trace_.session == tmon_streams::SessionEnd::NeverBegan)
        doubt("the session is said to have ended before the farm began");
    if (trace_.marks_take_other_ways && trace_.session == tmon_streams::SessionEnd::StoodStill)
        doubt("end marks do not come over the links of the farm's tree, so they do not show that these carry anything");
}

// With the lost records that follow from others, if there are any.
static Verdict judged_by_rules(const tmon_streams::Trace& tasks, const EventGraphs& graphs, const std::vector<FaultRow>& rows) {
    const std::optional<Completion> more = complete(tasks, graphs);
    if (!more) return Judge(tasks, graphs, rows, {}).decide();
    const EventGraphs completed(more->trace, graphs.spec(), graphs.folded());
    if (completed.findings() > 0) return Judge(tasks, graphs, rows, {}).decide();
    return Judge(more->trace, completed, fault_list(completed), more->filled).decide();
}

static Verdict judged(const tmon_streams::Trace& tasks, const EventGraphs& graphs, const std::vector<FaultRow>& rows) {
    Verdict verdict = judged_by_rules(tasks, graphs, rows);
    if (verdict.kind == VerdictKind::Certain || verdict.kind == VerdictKind::None) return verdict;
    if (graphs.folded().count() > 0) return verdict;  // histories need every record (growing_analysis.hpp)
    return by_exhaustion(tasks, graphs, std::move(verdict));
}

std::vector<FaultRow> Analysis::printed_rows() const {
    std::vector<FaultRow> all = unanticipated;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(all), [](const FaultRow& row) { return row.listed; });
    sort_rows(all);
    return all;
}

Analysis analyse(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec, const tmon_models::FaultModel& model) {
    const tmon_streams::Trace tasks = tmon_streams::task_view(trace);
    EventGraphs graphs(tasks, spec, {}, tmon_models::farm_rules(model));
    ProgramFindings found = judge_program(tasks, spec, model);
    return {std::move(graphs), std::move(found.rows), std::move(found.unanticipated), std::move(found.verdict)};
}

Analysis analyse(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec, const FoldedTasks& folded) {
    if (!spec.is_farm()) return analyse(trace, spec, tmon_models::model_of(spec));
    const tmon_streams::Trace tasks = tmon_streams::task_view(trace);
    EventGraphs graphs(tasks, spec, folded);
    std::vector<FaultRow> rows = fault_list(graphs);
    Verdict verdict = judged(tasks, graphs, rows);
    std::vector<FaultRow> unanticipated = unanticipated_rows(tasks, graphs);
    return {std::move(graphs), std::move(rows), std::move(unanticipated), std::move(verdict)};
}

}  // namespace tmon_detrek
