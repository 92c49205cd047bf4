// Verdicts on node 0: data_generator(), result_receiver(), and the end of the program.
#include <fmt/format.h>

#include <algorithm>

#include <tmon_streams/trace_summary.hpp>
#include "verdict_judge.hpp"
#include "verdict_text.hpp"

namespace tmon_detrek {

namespace {

constexpr const char* alone_text = "node 0 may have computed tasks itself, and messages do not show that";

}  // namespace

// The machine's report on the host is not a record: it is valid whatever records are missing. It counts results and names none.
// So only the records show how far tasks were seen to finish.
Verdict Judge::all_reported_verdict() {
    const bool lossy = std::any_of(trace_.streams.begin(), trace_.streams.end(),
                                   [&](const tmon_streams::Stream& each) { return tree_.has(each.node) && !each.whole(); });
    verdict_.reported = !contradicted() || trace_.directions_guessed;
    if (!verdict_.reported) return none_unless_contradicted("");
    return none_unless_contradicted(
        lossy ? "records are missing, so they cannot show whether one result came twice and another never" : "");
}

// Every result is there, and still something was made twice, or never, or changed: then the answer is not "no fault".
Verdict Judge::none_unless_contradicted(const std::string& remark) {
    if (!contradicted() || trace_.directions_guessed) return done(VerdictKind::None, remark);
    doubt(contradictions_text());
    doubt("messages or records were damaged");
    return done(VerdictKind::Unknown, reported_all() ? "the final report says that every result came back" : remark);
}

// The program ends when result_receiver() returns. So when it has every result and goes on, the receiver is the cause. A
// foreign trace does not say how its session ended, so it accuses no function.
Verdict Judge::all_finished_verdict() {
    const bool went_on =
        trace_.session == tmon_streams::SessionEnd::StoodStill || trace_.session == tmon_streams::SessionEnd::Cut;
    if (reported_all() || (!went_on && !short_report())) {
        return none_unless_contradicted(
            trace_.directions_guessed ? "a .tvm does not say whether a stolen task or a result went up" : "");
    }
    note_general_doubts();
    if (!short_report()) return did_not_end_verdict();
    doubt(spec_.granularity > 1 ? bundles_text : "the records have every result, and the final report says otherwise");
    name_receiver();
    return done(contradicted() ? VerdictKind::Unknown : VerdictKind::Likely, "");
}

Verdict Judge::did_not_end_verdict() {
    if (spec_.granularity > 1) doubt(bundles_text);
    note_silence();
    doubt("no record tells what node 0 did after the last result");
    if (any_open()) doubt("the end of the farm waits for every node, and " + nodes_text(open_nodes()) + " fell silent");
    if (!silence_.tops().empty()) {
        also_at_the_manager({}, Process::ResultReceiver);
        also_of_a_bundle();
        return done(VerdictKind::Likely, "");
    }
    if (was_damaged()) return done(VerdictKind::Unknown, "");  // the lost message may be one of the farm's end
    name_receiver();
    also_at_the_manager({}, Process::DataGenerator);  // it may hang after its last do_task()
    also_of_a_bundle();
    return done(VerdictKind::Likely, "");
}

Verdict Judge::alone_verdict() {
    doubt(nodes_text(verdict_.fell_silent) + " fell silent");
    doubt(alone_text);
    return done(VerdictKind::Unknown, "");
}

// The program has ended although results are missing, or a result reached node 0 and was not taken.
bool Judge::receiver_ended() const {
    if (short_report()) return true;
    if (!whole(0)) return false;
    return trace_.session == tmon_streams::SessionEnd::ProgramEnded ||
           (survey_.at(0).not_taken > 0 && trace_.dropped_messages == 0);
}

// Without the records of node 0 it is unknown which result it did not take.
Verdict Judge::receiver_verdict() {
    if (!whole(0)) {
        doubt("records of node 0 are missing, so the final report alone says it");
        name_receiver();
        return done(contradicted() ? VerdictKind::Unknown : VerdictKind::Likely, "");
    }
    std::uint32_t task = lowest_;
    const auto waiting = std::find_if(
        rows_.begin(), rows_.end(), [](const FaultRow& row) { return row.kind == StopKind::ResultNotTaken && row.node == 0; });
    if (waiting != rows_.end()) task = waiting->task;
    name_receiver();
    verdict_.task = task;
    if (trace_.session == tmon_streams::SessionEnd::Unknown) doubt("whether the farm had come to rest was not recorded");
    if (trace_.session == tmon_streams::SessionEnd::StoodStill) doubt("the machine printed no final report");
    if (trace_.session != tmon_streams::SessionEnd::ProgramEnded && task != lowest_)
        doubt(fmt::format("task {} stopped too", lowest_));
    if (trace_.session != tmon_streams::SessionEnd::ProgramEnded && any_open()) doubt(open_nodes_text());
    if (spec_.survives) doubt(std::string("if it gave up its children, ") + alone_text);
    std::string remark;
    if (of_lowest_.empty()) {
        remark = fmt::format("{} {} never sent", tasks_words(spec_, lowest_), was_word(spec_, lowest_));
        also_at_the_manager(lowest_, Process::DataGenerator);
    }
    if (verdict_.depends_on.empty()) return done(VerdictKind::Certain, remark);
    for (const FaultRow& row : of_lowest_) also(row);
    return done(contradicted() ? VerdictKind::Unknown : VerdictKind::Likely, remark);
}

void Judge::name_receiver() {
    verdict_.subtasks = {0};
    verdict_.nodes = {0};
    verdict_.process = process_name(Process::ResultReceiver);
    if (short_report()) verdict_.taken = trace_.reported_results;
}

// Tasks are not sent in the order of their numbers: this one may still have waited when later ones stopped.
bool Judge::waits_at_the_manager() const {
    return spec_.policy != farm_spec::Policy::FloodFilling && !rows_.empty();
}

// The lowest unfinished task has no event at all.
Verdict Judge::nothing_seen_of_task() {
    if (!stream(0).losses.empty()) {
        for (const LossRange& range : stream(0).losses) doubt("records " + tmon_streams::loss_text(range) + " are missing");
        return done(VerdictKind::Unknown, "");
    }
    if (!alive(0) && trace_.losses_known) return node_0_open();
    const auto children = tree_.children(0);
    const bool nobody_below = std::none_of(children.begin(), children.end(), [&](std::uint16_t each) { return alive(each); });
    if (trace_.losses_known && nobody_below && !contradicted()) return silent_children_verdict();
    name(lowest_, 0, 0, Process::DataGenerator);
    if (trace_.session == tmon_streams::SessionEnd::Unknown) {
        doubt("whether the farm had come to rest was not recorded, and result_receiver() may have ended early");
        also_at_the_manager({}, Process::ResultReceiver);
    }
    if (graphs_.tasks_seen() > lowest_) doubt("later tasks were sent");
    if (other_open()) doubt(open_nodes_text());
    if (verdict_.depends_on.empty()) return done(VerdictKind::Certain, "");
    for (const std::uint16_t child : children) also(lowest_, 0, child, std::string(process_name(Process::Distributing)));
    return done(contradicted() ? VerdictKind::Unknown : VerdictKind::Likely, "");
}

// None of the nodes to which node 0 sends tasks is heard of: it may not have got rid of this one.
Verdict Judge::silent_children_verdict() {
    note_silence();
    doubt(open_nodes_text());
    if (verdict_.fell_silent.empty()) verdict_.fell_silent = {tree_.children(0).front()};
    const std::uint16_t child = verdict_.fell_silent.front();
    verdict_.arrival_seen = false;
    const bool computes = !spec_.divides() || !tree_.may_pass_down(child);
    name(lowest_, 0, child, computes ? Process::Compute : Process::SplitOrCompute);
    also_at_the_manager(lowest_, Process::DataGenerator);
    return done(VerdictKind::Likely, "");
}

Verdict Judge::node_0_open() {
    if (other_open()) return node_0_fell_silent();
    doubt(open_nodes_text());
    if (contradicted()) return done(VerdictKind::Unknown, "");
    name(next_to_send(), 0, 0, Process::DataGenerator);
    verdict_.process = manager_functions;
    return done(VerdictKind::Likely, "every other node lived to the end");
}

// All nodes below node 0 are heard of over it alone, so it explains the silence of all.
Verdict Judge::node_0_fell_silent() {
    doubt(open_nodes_text());
    if (contradicted() || trace_.size() == 0 || spec_.survives || trace_.marks_take_other_ways)
        return done(VerdictKind::Unknown, "");
    verdict_.subtasks.clear();
    verdict_.nodes.clear();
    name(next_to_send(), 0, 0, Process::DataGenerator);
    verdict_.process = manager_functions;
    verdict_.fell_silent = {0};
    for (const FaultRow& row : of_lowest_) also(row);
    return done(VerdictKind::Likely, "");
}

// The task or bundle after the last that has records; the last of all when there is none after it.
std::uint32_t Judge::next_to_send() const {
    const std::uint32_t each = spec_.granularity;
    return std::min((graphs_.tasks_seen() + each - 1) / each, (spec_.tasks - 1) / each) * each;
}

}  // namespace tmon_detrek
