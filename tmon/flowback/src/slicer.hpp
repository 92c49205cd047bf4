// Slicer: one backward pass over each interval that matters. It carries what is still needed: bytes of memory, values of the
// code, predicates and parameters. An event that gives one of them belongs to the slice, and its own needs join.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tmon_flowback/slice.hpp>

#include "range_set.hpp"

namespace tmon_flowback {

class Slicer {
public:
    explicit Slicer(RecordedRun& run) : run_(run) {}

    void need(const EventId& before, flowback_log::Range place);
    // Follows all needs to their ends.
    void run();
    // Events of the slice, by process and interval.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<bool>> taken() const;
    const std::set<std::string>& doubts() const { return doubts_; }

private:
    using Range = flowback_log::Range;
    // Needs before an event; frames are those of one interval.
    struct Needs {
        RangeSet memory;
        std::set<std::pair<std::uint32_t, std::uint32_t>> values;  // frame and site: its latest execution
        std::set<std::pair<std::uint32_t, int>> decisions;         // frame and block: the predicate that led there
        std::set<std::pair<std::uint32_t, int>> parameters;        // frame and number
        std::set<std::uint32_t> calls;                             // frames whose call belongs to the slice
        bool result = false;                                       // of the interval's own function
        bool empty() const {
            return memory.empty() && values.empty() && decisions.empty() && parameters.empty() && calls.empty() && !result;
        }
    };
    // Knowledge of an interval that is passed.
    struct Seen {
        std::vector<bool> taken;                               // events of the slice
        std::map<std::uint32_t, std::uint32_t> frame_of_call;  // frames by the event that called them
    };
    struct Pass {
        std::uint32_t process, interval;
        const Emulation& emulation;
        Seen& seen;
        Needs& needs;
        EventId id(std::uint32_t event) const { return {process, interval, event}; }
    };
    struct Query {
        EventId before;
        Range place;
        std::optional<EventId> takes{};  // the event that sent the place
        std::uint32_t act = nothing;     // inside the event, before which the place is needed
    };

    void follow(const Query& query);
    void walk(std::uint32_t process, std::uint32_t interval, std::uint32_t before, Needs& needs);
    void above(std::uint32_t process, std::uint32_t interval, Needs needs);
    void earlier(std::uint32_t process, std::uint32_t before, RangeSet& memory);
    void pass_finished(std::uint32_t process, std::uint32_t interval, Needs& needs);
    void leave_root(std::uint32_t process, std::uint32_t root, RangeSet& memory);
    void need_message(std::uint32_t process, std::uint32_t root, std::uint32_t part, Range place);
    void at_beginning(std::uint32_t process, const RangeSet& memory);
    void doubt_root(std::uint32_t process, std::uint32_t root);

    void step(Pass& pass, std::uint32_t event);
    void at_store(Pass& pass, std::uint32_t event, SiteKind kind);
    void at_return(Pass& pass, std::uint32_t event);
    void at_branch(Pass& pass, std::uint32_t event);
    void at_inherited(Pass& pass, std::uint32_t event);
    void at_call(Pass& pass, std::uint32_t event);
    bool gives_memory(Pass& pass, std::uint32_t event);
    bool at_act(Pass& pass, std::uint32_t event, std::uint32_t act);
    void take_begin(Pass& pass, std::uint32_t event, std::uint32_t act);
    void steps_before(Pass& pass, std::uint32_t event, std::uint32_t act);
    void received_act(std::uint32_t process, std::uint32_t act, std::uint64_t offset, std::uint64_t bytes);
    void need_lengths(Pass& pass, const CallDetails& details);
    void need_length_of_part(Pass& pass, const CallDetails& details);
    void at_nested(Pass& pass, std::uint32_t event, std::uint32_t nested, bool wanted);

    void take(Pass& pass, std::uint32_t event);
    void take_call(Pass& pass, std::uint32_t event);  // without its arguments
    void need_memory(Pass& pass, Range place);
    void need_operand(Pass& pass, std::uint32_t frame, const Operand& operand);
    void need_argument(Pass& pass, std::uint32_t call, int number);
    void need_branch_behind(Pass& pass, std::uint32_t store);
    void need_reads(Pass& pass, std::uint32_t call);
    void received(const Origin& message, Range place);
    Pass pass_over(std::uint32_t process, std::uint32_t interval, Needs& needs);
    void doubt(std::string text) { doubts_.insert(std::move(text)); }

    RecordedRun& run_;
    std::deque<Query> queries_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Seen> seen_;  // by process and interval
    std::set<std::string> doubts_;
    unsigned nesting_ = 0;
};

}  // namespace tmon_flowback
