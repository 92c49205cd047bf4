// The verdict on a farm under way. It is never certain: a function that is slow, and a record that is on its way, look like a
// stop. A task in flight is no fault, so the rows are those that last too long.
#include <algorithm>

#include <fmt/format.h>

#include "verdict_judge.hpp"
#include "verdict_text.hpp"

namespace tmon_detrek {

namespace {

constexpr const char* goes_on_text = "the run goes on: what looks stopped may be slow, and records may be on their way";

}  // namespace

Verdict Judge::decide_so_far() {
    if (spec_.granularity == 1) verdict_.finished_below = lowest_;
    if (spec_.granularity > 1) verdict_.bundles_back_below = lowest_;
    note_survival();
    note_contradiction();
    doubt(goes_on_text);
    if (contradiction_ && !was_damaged()) return contradiction_verdict();
    if (contradicted()) doubt(contradictions_text());
    if (rows_.empty()) return nothing_late_verdict();
    lowest_ = rows_.front().task;
    for (const FaultRow& row : rows_) {
        if (row.task == lowest_) of_lowest_.push_back(row);
    }
    note_silence();
    if (note_losses_that_hide() || contradicted()) return done(VerdictKind::Unknown, "");
    const std::vector<FaultRow> causes = likely_.first_causes();
    if (causes.empty()) return nothing_late_verdict();  // each waits for something in flight
    for (const FaultRow& row : causes) name_row(row);
    verdict_.other_primary = likely_.causes_beside(*verdict_.task);
    note_alternatives();
    return done(VerdictKind::Likely, about_lowest());
}

Verdict Judge::nothing_late_verdict() {
    if (contradicted()) return done(VerdictKind::Unknown, "");
    std::uint32_t back = 0;
    for (std::uint32_t task = graphs_.first_task(); task < graphs_.tasks_seen(); task = graphs_.next(task))
        back += !graphs_.folded().has(task) && graphs_.finished(task) ? 1 : 0;
    back += graphs_.folded().count();
    Verdict verdict = done(VerdictKind::None, "");
    const bool all = lowest_ == spec_.tasks;
    const std::uint32_t units = (spec_.tasks + spec_.granularity - 1) / spec_.granularity;
    verdict.sentence = all ? "No stop so far: everything came back, and the program has not ended yet."
                           : fmt::format("No stop so far: {} of {} {} came back, and {}.", back, units,
                                         spec_.granularity > 1 ? "bundles" : "tasks",
                                         rows_.empty() ? "nothing is late" : "what is late waits for others");
    return verdict;
}

}  // namespace tmon_detrek
