#include "tmon/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "likely_places.hpp"
#include "settled_stops.hpp"
#include "silence.hpp"
#include "stop_survey.hpp"
#include "tmon/task_view.hpp"
#include "verdict_text.hpp"

namespace tmon {

namespace {

class Judge {
public:
    Judge(const Trace& trace, const EventGraphs& graphs, const std::vector<FaultRow>& rows)
        : trace_(trace),
          graphs_(graphs),
          spec_(graphs.spec()),
          tree_(graphs.tree()),
          rows_(rows),
          survey_(trace, graphs),
          settled_(trace, graphs, survey_),
          likely_(trace, graphs, survey_, settled_, silence_, rows) {
        while (lowest_ < graphs.tasks_seen() && graphs.finished(lowest_)) lowest_ = graphs.next(lowest_);
        lowest_ = std::min(lowest_, spec_.tasks);
    }

    Verdict decide() {
        if (spec_.granularity == 1) verdict_.finished_below = lowest_;
        if (spec_.granularity > 1) verdict_.bundles_back_below = lowest_;
        note_survival();
        if (never_began()) return done(VerdictKind::Unknown, "");
        if (reported_all()) return all_reported_verdict();
        if (lowest_ == spec_.tasks) return all_finished_verdict();
        if (graphs_.manager_is_alone()) return alone_verdict();
        for (const FaultRow& row : rows_) {
            if (row.task == lowest_) of_lowest_.push_back(row);
        }
        note_general_doubts();
        if (receiver_ended()) return receiver_verdict();
        if (spec_.granularity > 1) doubt(bundles_text);
        if (of_lowest_.empty() && !waits_at_the_manager()) return nothing_seen_of_task();
        if (verdict_.depends_on.empty() && settled_.all_are_settled(of_lowest_)) return settled_verdict();
        return unsettled_verdict();
    }

private:
    const Stream& stream(std::uint16_t node) const { return trace_.streams[node]; }
    bool whole(std::uint16_t node) const { return stream(node).whole(); }
    bool alive(std::uint16_t node) const { return stream(node).state == StreamState::Finished; }
    // Members of the farm without an end mark; ascending.
    std::vector<std::uint16_t> open_nodes() const {
        std::vector<std::uint16_t> open;
        for (const Stream& each : trace_.streams) {
            if (tree_.has(each.node) && !alive(each.node)) open.push_back(each.node);
        }
        return open;
    }
    bool any_open() const { return !open_nodes().empty(); }
    // A farm that survives gives what silent nodes had to others, and a foreign trace has no end marks.
    void note_silence() {
        if (spec_.survives || !trace_.losses_known) return;
        silence_ = Silence(tree_, open_nodes());
        verdict_.fell_silent = silence_.tops();
    }
    bool other_open() const {
        const auto open = open_nodes();
        return !open.empty() && open.back() != 0;
    }
    std::string open_nodes_text() const { return "the last records of " + nodes_text(open_nodes()) + " may be missing"; }

    Verdict done(VerdictKind kind, const std::string& remark) {
        verdict_.kind = kind;
        if (verdict_.process == process_name(Process::ResultReceiver)) {
            verdict_.not_taken = verdict_.task;
            verdict_.task.reset();
        }
        note_silent_nodes();
        say(verdict_, spec_, remark);
        return std::move(verdict_);
    }
    // A node that was to be given a sub-task, and one that had it, may have failed alike.
    void note_silent_nodes() {
        std::vector<bool> near(trace_.streams.size());
        if (verdict_.nodes.empty()) verdict_.silent = silence_.tops();
        for (const std::uint16_t node : verdict_.nodes) {
            near[node] = true;
            for (const std::uint16_t child : tree_.children(node)) near[child] = true;
        }
        for (std::uint16_t node = 0; node < near.size(); ++node) {
            if (near[node] && tree_.has(node) && !alive(node)) verdict_.silent.push_back(node);
        }
    }
    void doubt(std::string text) { verdict_.depends_on.push_back(std::move(text)); }
    void name(std::uint32_t task, SubTaskId subtask, std::uint16_t node, Process process) {
        verdict_.task = task;
        verdict_.subtasks.push_back(subtask);
        verdict_.nodes.push_back(node);
        verdict_.process = process_name(process);
    }

    // Booting or loading was given up, and no record says otherwise: that no task was sent is nobody's fault in the program.
    bool never_began() {
        verdict_.farm_never_began = trace_.session == SessionEnd::NeverBegan && graphs_.tasks_seen() == 0;
        if (verdict_.farm_never_began) doubt("the farm had not begun when the session was given up");
        return verdict_.farm_never_began;
    }

    // Tasks are not sent in the order of their numbers: this one may still have waited when later ones stopped.
    bool waits_at_the_manager() const { return spec_.distribution != Distribution::FloodFilling && !rows_.empty(); }

    static constexpr const char* alone_text = "what node 0 did itself no message shows";

    // A farm that survives has moved what dead nodes had, and no record says that it was done.
    bool was_survived() const { return spec_.survives && (!verdict_.fell_silent.empty() || graphs_.sent_again() > 0); }
    void note_survival() {
        if (!spec_.survives) return;
        for (const std::uint16_t node : open_nodes()) {
            if (node == 0) continue;
            verdict_.fell_silent.push_back(node);
            verdict_.issued_again = verdict_.issued_again || graphs_.has_outstanding(node);
        }
    }

    bool contradicted() const { return graphs_.findings() > 0 || trace_.suspect_records > 0; }

    std::string contradictions_text() const {
        return fmt::format("{} records contradict the specification or each other",
                           graphs_.findings() + trace_.suspect_records);
    }
    static constexpr const char* guessed_text = "a .tvm does not say whether a stolen task or a result went up";

    static constexpr const char* bundles_text = "no record tells whether every task of a bundle came back with it";

    // What makes any certainty about tasks impossible.
    void note_general_doubts() {
        if (contradicted()) doubt(contradictions_text());
        if (trace_.directions_guessed) doubt(guessed_text);
        if (was_survived()) doubt("no record says how far tasks came after the death of who had them");
        if (trace_.dropped_messages > 0) {
            doubt(
                fmt::format("{} messages came damaged or were lost, so the links cannot be trusted", trace_.dropped_messages));
        }
        if (!trace_.losses_known) doubt("the trace does not say whether it is whole");
        if (trace_.session == SessionEnd::Cut)
            doubt("monitoring ended while nodes were still at work, so what looks stopped may be slow");
        if (trace_.session == SessionEnd::NeverBegan) doubt("the session is said to have ended before the farm began");
        if (trace_.marks_take_other_ways && trace_.session == SessionEnd::StoodStill)
            doubt("end marks do not come over the links of the farm's tree, so they do not show that these carry anything");
    }

    // ---- the receiver and the generator, on node 0 ----

    // What the machine printed on the host is nobody's record: it holds whatever records are missing.
    bool reported_all() const {
        return trace_.reported_results && *trace_.reported_results >= spec_.tasks && !contradicted();
    }
    Verdict all_reported_verdict() {
        verdict_.reported = true;
        verdict_.finished_below = spec_.tasks;
        if (spec_.granularity > 1) verdict_.bundles_back_below = spec_.tasks;
        const bool lossy = std::any_of(trace_.streams.begin(), trace_.streams.end(),
                                       [&](const Stream& each) { return tree_.has(each.node) && !each.whole(); });
        return done(VerdictKind::None, lossy ? "records are missing, which cannot change this" : "");
    }

    // The program ends when result_receiver() returns, so one that has every result and goes on is the receiver's doing. A
    // foreign trace does not say how its session ended, and blames nobody.
    Verdict all_finished_verdict() {
        if (trace_.session != SessionEnd::StoodStill && trace_.session != SessionEnd::Cut) {
            return done(VerdictKind::None, contradicted()              ? contradictions_text()
                                           : trace_.directions_guessed ? guessed_text
                                                                       : "");
        }
        note_general_doubts();
        if (spec_.granularity > 1) doubt(bundles_text);
        note_silence();
        doubt("no record tells what node 0 did after the last result");
        if (any_open()) doubt("the end of the farm waits for every node, and " + nodes_text(open_nodes()) + " fell silent");
        if (!silence_.tops().empty()) return done(VerdictKind::Likely, "");
        verdict_.subtasks = {0};
        verdict_.nodes = {0};
        verdict_.process = process_name(Process::ResultReceiver);
        return done(VerdictKind::Likely, "");
    }

    Verdict alone_verdict() {
        doubt(nodes_text(verdict_.fell_silent) + " fell silent");
        doubt(alone_text);
        return done(VerdictKind::Unknown, "");
    }

    // The program has ended although results are missing, or a result reached node 0 and nobody took it.
    bool receiver_ended() const {
        if (!whole(0)) return false;
        return trace_.session == SessionEnd::ProgramEnded || survey_.at(0).not_taken > 0;
    }

    Verdict receiver_verdict() {
        std::uint32_t task = lowest_;
        const auto waiting = std::find_if(rows_.begin(), rows_.end(), [](const FaultRow& row) {
            return row.kind == StopKind::ResultNotTaken && row.node == 0;
        });
        if (waiting != rows_.end()) task = waiting->task;
        name(task, 0, 0, Process::ResultReceiver);
        if (trace_.session == SessionEnd::Unknown) doubt("whether the farm had come to rest was not recorded");
        if (trace_.session == SessionEnd::StoodStill) doubt("the machine printed no final report");
        if (trace_.session != SessionEnd::ProgramEnded && task != lowest_) doubt(fmt::format("task {} stopped too", lowest_));
        if (trace_.session != SessionEnd::ProgramEnded && any_open()) doubt(open_nodes_text());
        if (spec_.survives) doubt(std::string("if it gave up its children, ") + alone_text);
        if (verdict_.depends_on.empty()) return done(VerdictKind::Certain, "");
        return done(contradicted() ? VerdictKind::Unknown : VerdictKind::Likely, "");
    }

    // The lowest unfinished task has no event at all.
    Verdict nothing_seen_of_task() {
        if (!stream(0).losses.empty()) {
            for (const LossRange& range : stream(0).losses) doubt("records " + loss_text(range) + " are missing");
            return done(VerdictKind::Unknown, "");
        }
        if (!alive(0) && trace_.losses_known) return node_0_open();
        name(lowest_, 0, 0, Process::DataGenerator);
        if (trace_.session == SessionEnd::Unknown) {
            doubt("whether the farm had come to rest was not recorded, and result_receiver() may have ended early");
        }
        if (graphs_.tasks_seen() > lowest_) doubt("later tasks were sent");
        if (other_open()) doubt(open_nodes_text());
        if (verdict_.depends_on.empty()) return done(VerdictKind::Certain, "");
        return done(contradicted() ? VerdictKind::Unknown : VerdictKind::Likely, "");
    }

    Verdict node_0_open() {
        doubt(open_nodes_text());
        if (other_open() || contradicted()) return done(VerdictKind::Unknown, "");
        name(next_to_send(), 0, 0, Process::DataGenerator);
        verdict_.process = "data_generator() or result_receiver()";
        return done(VerdictKind::Likely, "every other node lived to the end");
    }

    // The task or bundle after the last that has records; the last of all when there is none after it.
    std::uint32_t next_to_send() const {
        const std::uint32_t each = spec_.granularity;
        return std::min((graphs_.tasks_seen() + each - 1) / each, (spec_.tasks - 1) / each) * each;
    }

    // ---- certainty ----

    Verdict settled_verdict() {
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

    // ---- less than certainty ----

    void name_row(const FaultRow& row) {
        if (row.kind == StopKind::NotReceived) verdict_.arrival_seen = false;
        const Process process = likely_.failing_process(row);
        const std::string text(process_name(process));
        const bool known =
            std::find(verdict_.subtasks.begin(), verdict_.subtasks.end(), row.stopped) != verdict_.subtasks.end() &&
            std::find(verdict_.nodes.begin(), verdict_.nodes.end(), row.worker) != verdict_.nodes.end();
        if (known) return;  // one row a branch of a join
        const std::string before = verdict_.process;
        const bool at_parent = row.kind == StopKind::ResultNotTaken || row.kind == StopKind::GivenBack;
        name(row.task, row.stopped, at_parent ? row.node : row.worker, process);
        if (!before.empty() && before.find(text) == std::string::npos) verdict_.process = before + " or " + text;
        if (!before.empty() && before.find(text) != std::string::npos) verdict_.process = before;
    }

    // Records lost before the task came to the node cannot be about it.
    std::uint32_t first_seq_of_lowest(std::uint16_t node) const {
        for (const auto part : stream(node).parts) {
            for (const Event& event : part) {
                if (event.task == lowest_) return event.seq;
            }
        }
        return 0;
    }

    bool note_losses_that_hide() {
        bool hides = false;
        for (const std::uint16_t node : likely_.deciding_nodes(of_lowest_)) {
            if (stream(node).losses.empty()) continue;
            const std::uint32_t first = first_seq_of_lowest(node);
            for (const LossRange& range : stream(node).losses) {
                if (range.last_seq < first) continue;
                doubt("records " + loss_text(range) + " are missing");
                hides = hides || range.cause != LossCause::NodeDied;
            }
        }
        return hides;
    }

    Verdict unsettled_verdict() {
        note_silence();
        const bool hidden = note_losses_that_hide();
        if (any_open() && trace_.losses_known) doubt(open_nodes_text());
        if (hidden || contradicted() || (trace_.losses_known && !alive(0) && other_open()))
            return done(VerdictKind::Unknown, "");
        std::vector<FaultRow> causes = likely_.first_causes();
        if (causes.empty()) causes = likely_.at_silent_holders(rows_of_first());
        for (const FaultRow& row : causes) name_row(row);
        if (!alive(0) && trace_.losses_known) return node_0_died();
        verdict_.other_primary = likely_.causes_beside(*verdict_.task);
        if (was_survived())
            doubt("no record says how far the tasks of nodes that fell silent came after they were issued again");
        if (verdict_.depends_on.empty()) doubt(why_not_settled());
        return done(VerdictKind::Likely, about_lowest());
    }
    std::vector<FaultRow> rows_of_first() const {
        if (!of_lowest_.empty()) return of_lowest_;
        std::vector<FaultRow> rows;
        for (const FaultRow& row : rows_) {
            if (row.task == rows_.front().task) rows.push_back(row);
        }
        return rows;
    }
    std::string about_lowest() const {
        if (*verdict_.task == lowest_) return "";
        if (!of_lowest_.empty()) return tasks_words(spec_, lowest_) + " stopped behind it";
        return fmt::format("{} {} never sent", tasks_words(spec_, lowest_), was_word(spec_, lowest_));
    }

    Verdict node_0_died() {
        verdict_.subtasks = {0};
        verdict_.nodes = {0};
        verdict_.task = next_to_send();
        verdict_.process = "data_generator() or result_receiver()";
        return done(VerdictKind::Likely, "every other node lived to the end");
    }

    std::string why_not_settled() const {
        if (trace_.session == SessionEnd::Unknown) return "whether the farm had come to rest was not recorded";
        return "the records fit more than one history, among them one where the result waits above and not the sub-task below";
    }

    const Trace& trace_;
    const EventGraphs& graphs_;
    const FarmSpec& spec_;
    const FarmTree& tree_;
    const std::vector<FaultRow>& rows_;
    StopSurvey survey_;
    SettledStops settled_;
    Silence silence_;  // asked when nothing is certain
    LikelyPlaces likely_;
    std::uint32_t lowest_ = 0;
    std::vector<FaultRow> of_lowest_;
    Verdict verdict_;
};

}  // namespace

Verdict judge(const Trace& trace, const EventGraphs& graphs, const std::vector<FaultRow>& rows) {
    return Judge(trace, graphs, rows).decide();
}

Analysis analyse(const Trace& trace, const FarmSpec& spec) {
    const Trace tasks = task_view(trace);
    EventGraphs graphs(tasks, spec);
    std::vector<FaultRow> rows = fault_list(graphs);
    Verdict verdict = judge(tasks, graphs, rows);
    return {std::move(graphs), std::move(rows), std::move(verdict)};
}

}  // namespace tmon
