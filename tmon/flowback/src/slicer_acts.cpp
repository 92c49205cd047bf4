// Data that a library received, copied or combined inside a call.
#include <fmt/format.h>

#include "acts.hpp"
#include "slicer.hpp"

namespace tmon_flowback {

using flowback_log::ActKind;

// Backward over one act of a call. True: it gave memory that was needed.
bool Slicer::at_act(Pass& pass, std::uint32_t event, std::uint32_t act) {
    const LoggedAct& its = run_.process(pass.process).acts()[act];
    struct Given {
        std::uint64_t offset;
        Range place;
    };
    std::vector<Given> given;
    std::uint64_t offset = bytes_of(its.to);
    for (std::size_t n = its.to.size(); n-- > 0;) {  // of pieces that overlap the last one is left
        const Range& piece = its.to[n];
        offset -= piece.second;
        for (const auto& [first, bytes] : pass.needs.memory.cut(piece))
            given.push_back({offset + (first - piece.first), {first, bytes}});
    }
    for (const Given& part : given) {
        const std::uint64_t bytes = part.place.second;
        if (its.kind == ActKind::Received) {
            received_act(pass.process, act, part.offset, bytes);
        } else if (its.kind == ActKind::Copied) {
            for (const Range& from : places_of(its.from, part.offset, bytes)) need_memory(pass, from);
        } else {
            const Range whole = whole_elements(its, part.offset, bytes);
            for (const Range& from : places_of(its.from, whole.first, whole.second)) need_memory(pass, from);
            for (const Range& to : places_of(its.to, whole.first, whole.second)) need_memory(pass, to);
        }
    }
    if (!given.empty()) take_begin(pass, event, act);
    return !given.empty();
}

// The call that began the operation belongs to the slice, whichever call it went on in.
void Slicer::take_begin(Pass& pass, std::uint32_t event, std::uint32_t act) {
    const auto begin = run_.begin_of_act(pass.process, act);
    if (!begin || *begin == pass.id(event)) {
        take(pass, event);
        need_reads(pass, event);
    } else {
        queries_.push_back({*begin, {0, 0}, begin, nothing});
    }
}

void Slicer::steps_before(Pass& pass, std::uint32_t event, std::uint32_t act) {
    const CallDetails& details = pass.emulation.call(pass.emulation.events()[event]);
    bool passed = false;
    for (std::size_t n = details.steps.size(); n-- > 0;) {
        const CallStep& step = details.steps[n];
        if (!passed)
            passed = step.is_act && step.number == act;
        else if (step.is_act)
            at_act(pass, event, step.number);
        else
            at_nested(pass, event, step.number, false);
    }
}

void Slicer::received_act(std::uint32_t process, std::uint32_t act, std::uint64_t offset, std::uint64_t bytes) {
    std::string why;
    const auto sent = sender_of(run_, {process, act}, why);
    if (!sent) return doubt(std::move(why));
    const auto call = run_.call_of_act(sent->process, sent->act);
    if (!call)
        return doubt(fmt::format("no prepared code of {} sent a message, or its interval cannot be run again so far",
                                 run_.with_rank(sent->process)));
    if (const std::string doubtful = unknown_call(run_, *call); !doubtful.empty()) doubt(doubtful);
    const auto begin = run_.begin_of_act(sent->process, sent->act);
    if (bytes == 0) queries_.push_back({*call, {0, 0}, begin, sent->act});
    for (const Range& from : places_of(run_.process(sent->process).acts()[sent->act].from, offset, bytes))
        queries_.push_back({*call, from, begin, sent->act});
}

// A status tells the source, the tag and the length of a message, which may have come before the call.
void Slicer::need_lengths(Pass& pass, const CallDetails& details) {
    const ProcessLog& log = run_.process(pass.process);
    for (const CallStep& step : details.steps) {
        if (!step.is_act) continue;
        const LoggedAct& act = log.acts()[step.number];
        if (act.kind == ActKind::Received || act.kind == ActKind::Saw) received_act(pass.process, step.number, 0, 0);
    }
}

}  // namespace tmon_flowback
