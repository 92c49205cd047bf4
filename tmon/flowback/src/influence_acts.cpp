// Forward over what a library did inside a call.
#include "acts.hpp"
#include "influence.hpp"

namespace tmon_flowback {

using flowback_log::ActKind;

// True when what it wrote or sent depends on the place. `chosen`: what the call does depends. The call that began an operation
// decides about it.
bool Influence::at_act(std::uint32_t process, std::uint32_t act, bool chosen) {
    const LoggedAct& its = run_.process(process).acts()[act];
    if (its.kind == ActKind::Begun) {
        if (chosen) chosen_.insert({process, its.operation});
        return false;
    }
    if (its.operation != 0) chosen = chosen_.count({process, its.operation}) != 0;
    RangeSet dependent;  // offsets among its data
    const auto add_parts = [&](const std::vector<Range>& pieces) {
        RangeSet memory = memory_;
        std::uint64_t offset = 0;
        for (const Range& piece : pieces) {
            for (const auto& [first, bytes] : memory.cut(piece)) dependent.add({offset + (first - piece.first), bytes});
            offset += piece.second;
        }
    };
    if (its.kind == ActKind::Received) {
        const auto found = came_[process].find({by_act, act});
        if (found != came_[process].end()) dependent = found->second;
    } else {
        add_parts(its.from);
        if (its.kind == ActKind::Combined) add_parts(its.to);
    }
    if (its.kind == ActKind::Sent) return send_act(process, act, dependent, chosen);
    if (chosen) dependent.add({0, bytes_of(its.to)});
    for (const Range& piece : its.to) memory_.cut(piece);
    for (const auto& [offset, bytes] : dependent.ranges()) {
        const Range part = its.kind == ActKind::Combined ? whole_elements(its, offset, bytes) : Range{offset, bytes};
        for (const Range& to : places_of(its.to, part.first, part.second)) set_memory(process, to, true);
    }
    return !dependent.empty();
}

// The call that began the operation, whichever call it went on in.
void Influence::take_begin(std::uint32_t process, std::uint32_t act) {
    const auto begin = run_.begin_of_act(process, act);
    if (!begin) return;
    auto& taken = taken_[{process, begin->interval}];
    taken.resize(run_.emulation(process, begin->interval).events().size());
    taken[begin->event] = true;
}

bool Influence::send_act(std::uint32_t process, std::uint32_t act, const RangeSet& dependent, bool chosen) {
    const LoggedAct& its = run_.process(process).acts()[act];
    RangeSet offsets = dependent;
    if (chosen) offsets.add({0, bytes_of(its.from)});
    if (offsets.empty() && !chosen) return false;
    if (const auto receiver = receiver_of(run_, {process, act}))
        give(receiver->process, {by_act, receiver->act}, offsets, chosen);
    else if (its.flow == 0)
        doubt("the numbers of some messages are not known, so a receiver may be missing");
    if (run_.has_losses()) doubt("some logs are not whole, so a receiver may be missing");
    return true;
}

}  // namespace tmon_flowback
