// Verdicts on tasks on workers: the settled stop, and the places that remain when nothing is settled.
#include <fmt/format.h>

#include <algorithm>

#include <tmon_streams/trace_summary.hpp>
#include "verdict_judge.hpp"
#include "verdict_text.hpp"

namespace tmon_detrek {

Verdict Judge::settled_verdict() {
    verdict_.in_process = true;
    for (const FaultRow& row : of_lowest_) {
        const auto place = settled_.place(row);
        if (!place) continue;
        name_row(row);
        verdict_.in_process = verdict_.in_process && place->in_process;
        verdict_.behind.insert(verdict_.behind.end(), place->behind.begin(), place->behind.end());
    }
    if (!verdict_.behind.empty()) verdict_.process += fmt::format(" or {}", process_name(Process::Distributing));
    verdict_.other_primary = likely_.causes_beside(lowest_);
    return done(VerdictKind::Certain, "");
}

// Records lost before the task came to the node cannot be about it.
std::uint32_t Judge::first_seq_of_lowest(std::uint16_t node) const {
    for (const auto part : stream(node).parts) {
        for (const Event& event : part) {
            if (event.task == lowest_) return event.seq;
        }
    }
    return 0;
}

bool Judge::note_losses_that_hide() {
    bool hides = false;
    for (const std::uint16_t node : likely_.deciding_nodes(of_lowest_)) {
        if (stream(node).losses.empty()) continue;
        const std::uint32_t first = first_seq_of_lowest(node);
        for (const LossRange& range : stream(node).losses) {
            if (range.last_seq < first) continue;
            doubt("records " + tmon_streams::loss_text(range) + " are missing");
            hides = hides || range.cause != LossCause::NodeDied;
        }
    }
    return hides;
}

Verdict Judge::unsettled_verdict() {
    note_silence();
    const bool manager_silent = trace_.losses_known && !alive(0);
    if (manager_silent && other_open()) return node_0_fell_silent();
    const bool hidden = note_losses_that_hide();
    if (any_open() && trace_.losses_known) doubt(open_nodes_text());
    if (hidden || contradicted()) return done(VerdictKind::Unknown, "");
    std::vector<FaultRow> causes = likely_.first_causes();
    if (causes.empty()) causes = likely_.at_silent_holders(rows_of_first());
    for (const FaultRow& row : causes) name_row(row);
    if (manager_silent) {
        verdict_.subtasks.clear();
        verdict_.nodes.clear();
        name(next_to_send(), 0, 0, Process::DataGenerator);
        verdict_.process = manager_functions;
        return done(VerdictKind::Likely, "every other node lived to the end");
    }
    verdict_.other_primary = likely_.causes_beside(*verdict_.task);
    if (was_survived()) doubt("no record says how far the tasks of nodes that fell silent came after they were issued again");
    if (verdict_.depends_on.empty()) doubt(why_not_settled());
    note_alternatives();
    return done(VerdictKind::Likely, about_lowest());
}

// A sub-task on a living node may be on its way to a silent child.
void Judge::note_silent_children(std::uint16_t node) {
    if (spec_.divides()) return;
    for (const std::uint16_t child : tree_.children(node)) {
        if (!alive(child)) also(verdict_.task, 0, child, std::string(process_name(Process::Distributing)));
    }
}

// First the other sub-tasks of a silent node, in the order in which they were sent. Then result_receiver(), for a task on a
// child of node 0 while all nodes live. Last the other stops that nothing explains.
void Judge::note_alternatives() {
    for (const std::uint16_t node : std::vector(verdict_.nodes)) {
        if (alive(node)) {
            note_silent_children(node);
            continue;
        }
        const bool computes = !spec_.divides() || !tree_.may_pass_down(node);
        const Process process = computes ? Process::Compute : Process::SplitOrCompute;
        for (const Outstanding& each : survey_.at(node).outstanding) {
            if (each.task != verdict_.task) also(each.task, each.subtask, node, std::string(process_name(process)));
        }
    }
    const bool next_to_manager = std::all_of(verdict_.nodes.begin(), verdict_.nodes.end(), [&](std::uint16_t node) {
        return node != 0 && tree_.parent(node) == std::uint16_t{0};
    });
    if (next_to_manager && !any_open() && trace_.session == tmon_streams::SessionEnd::StoodStill)
        also_at_the_manager({}, Process::ResultReceiver);
    also_of_a_bundle();
    for (const StopPlace& place : verdict_.other_primary)
        also(place.task, place.subtask, place.node, std::string(process_name(place.process)));
}

std::vector<FaultRow> Judge::rows_of_first() const {
    if (!of_lowest_.empty()) return of_lowest_;
    std::vector<FaultRow> rows;
    for (const FaultRow& row : rows_) {
        if (row.task == rows_.front().task) rows.push_back(row);
    }
    return rows;
}

std::string Judge::about_lowest() const {
    if (*verdict_.task == lowest_) return "";
    if (!of_lowest_.empty()) return tasks_words(spec_, lowest_) + " stopped behind it";
    return fmt::format("{} {} never sent", tasks_words(spec_, lowest_), was_word(spec_, lowest_));
}

std::string Judge::why_not_settled() const {
    if (trace_.session == tmon_streams::SessionEnd::Unknown) return "whether the farm had come to rest was not recorded";
    return "the records fit more than one history, among them one where the result waits above and not the sub-task below";
}

}  // namespace tmon_detrek
