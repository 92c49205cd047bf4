// Verdicts from records that contradict each other, and from messages that are known to be dropped.
#include <fmt/format.h>

#include <algorithm>

#include "verdict_judge.hpp"
#include "verdict_text.hpp"

namespace tmon_detrek {

namespace {

constexpr const char* cause_text = "no record tells why these records contradict each other";

}  // namespace

// Where directions were guessed, the guess itself may be the contradiction.
void Judge::note_contradiction() {
    if (graphs_.findings() == 0 || trace_.directions_guessed) return;
    contradiction_ = first_contradiction(trace_, graphs_);
    if (contradiction_) verdict_.contradiction = contradiction_->finding;
}

// True when messages or records came damaged. Node 0 also drops a result that it did not wait for. Its records show this, and
// it explains as many of the messages that are known to be dropped.
bool Judge::was_damaged() const {
    if (trace_.suspect_records > 0) return true;
    const std::uint64_t explained = stream(0).losses.empty() ? unexpected_results(trace_, spec_) : 0;
    return trace_.dropped_messages > explained;
}

Verdict Judge::contradiction_verdict() {
    const FirstContradiction& first = *contradiction_;
    note_silence();
    name(first.task, first.subtask, first.node, process_of(first));
    for (const StopPlace& place : first.beside)
        also(place.task, place.subtask, place.node, std::string(process_name(place.process)));
    verdict_.other_primary = likely_.causes_beside(first.task);
    doubt(cause_text);
    return done(VerdictKind::Likely, "");
}

// A node sent a message and its living receiver has no record of it: it was dropped there. It was damaged on the link, or
// spoilt by the function that made it. No node need have stopped.
std::optional<Verdict> Judge::dropped_verdict() {
    if (trace_.dropped_messages == 0 || contradicted() || !trace_.losses_known || spec_.survives) return {};
    const std::vector<FaultRow> lost = likely_.dropped_on_arrival();
    if (lost.empty() || (any_open() && lost.front().task != lowest_)) return {};  // a node that fell silent explains more
    for (const FaultRow& row : lost) {
        const LikelyPlaces::Sender sender = likely_.sender_of(row);
        const bool up = row.kind == StopKind::ResultNotTaken;
        const std::string on_link(process_name(up ? Process::Collecting : Process::Distributing));
        if (verdict_.nodes.empty()) {
            name(row.task, sender.subtask, sender.node, sender.process);
            verdict_.dropped_by = sender.receiver;
            also(row.task, row.stopped, sender.receiver, on_link);
        } else {
            also(row.task, sender.subtask, sender.node, std::string(process_name(sender.process)));
        }
    }
    return done(VerdictKind::Likely, about_lowest());
}

}  // namespace tmon_detrek
