// Influence: passes each process forward, and keeps which bytes of memory and which values of the code depend on the place that
// was asked about. Messages carry the dependence on; the processes are passed again until nothing is added.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tmon_flowback/slice.hpp>

#include "range_set.hpp"

namespace tmon_flowback {

class Influence {
public:
    Influence(RecordedRun& run, const EventId& before, flowback_log::Range place);

    void run();
    // Events that depend on the place, by process and interval.
    const std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<bool>>& taken() const { return taken_; }
    const std::set<std::string>& doubts() const { return doubts_; }

private:
    using Range = flowback_log::Range;
    // The dependent ones among the things of one interval.
    struct Frames {
        std::set<std::pair<std::uint32_t, std::uint32_t>> values;  // frame and site: of its latest execution
        std::set<std::pair<std::uint32_t, int>> parameters;
        std::set<std::uint32_t> controlled;  // frames whose call depends on a dependent predicate
        std::map<std::uint32_t, std::map<std::uint32_t, std::pair<std::uint32_t, bool>>> branches;  // by frame and site: latest
        std::map<std::uint32_t, std::uint32_t> frame_of_call;
        bool result = false;
    };
    struct Pass {
        std::uint32_t process, interval;
        const Emulation& emulation;
        std::vector<bool>& taken;
        Frames& frames;
    };
    struct Arguments {
        std::set<int> numbers;
        bool controlled = false, all = false;
    };

    void pass_process(std::uint32_t process);
    bool pass_interval(std::uint32_t process, std::uint32_t interval, const Arguments& arguments);
    bool holds_the_place(std::uint32_t process, std::uint32_t interval) const;
    void begin_root(std::uint32_t process, std::uint32_t root);
    void step(Pass& pass, std::uint32_t event);
    void at_store(Pass& pass, std::uint32_t event, SiteKind kind);
    void at_branch(Pass& pass, std::uint32_t event);
    void at_return(Pass& pass, std::uint32_t event);
    void at_inherited(Pass& pass, std::uint32_t event);
    void at_call(Pass& pass, std::uint32_t event);
    bool at_act(std::uint32_t process, std::uint32_t act, bool chosen);
    void take_begin(std::uint32_t process, std::uint32_t act);
    bool send_act(std::uint32_t process, std::uint32_t act, const RangeSet& dependent, bool chosen);
    void at_steps(Pass& pass, std::uint32_t event, const Arguments& arguments, bool chosen, bool& result);
    bool at_message(std::uint32_t process, std::uint32_t message, bool chosen);
    void tell_receivers(std::uint32_t process, std::uint32_t message, const RangeSet& offsets, bool length);
    void give(std::uint32_t receiver, std::pair<std::uint32_t, std::uint32_t> key, const RangeSet& offsets, bool length);
    bool takes_structures(std::uint32_t process, std::uint32_t interval) const;
    bool has_dependent_length(const Pass& pass, std::uint32_t call) const;

    bool depends(const Pass& pass, std::uint32_t frame, const Operand& operand) const;
    bool operands_depend(const Pass& pass, std::uint32_t event) const;
    bool controlled(const Pass& pass, std::uint32_t event) const;
    Arguments arguments_of(const Pass& pass, std::uint32_t call) const;
    void set_value(Pass& pass, std::uint32_t event, bool depends);
    void set_memory(std::uint32_t process, Range place, bool depends);
    bool reads_dependent(const Pass& pass, std::uint32_t call);
    void doubt(std::string text) { doubts_.insert(std::move(text)); }

    RecordedRun& run_;
    EventId before_;
    Range place_;
    RangeSet memory_;  // of the process that is passed
    static constexpr std::uint32_t by_act = nothing - 1;
    // By process: what came to it. Key: root and part, (nothing, number of the message), or (by_act, number of the act).
    // Offsets of dependent bytes.
    std::map<std::uint32_t, std::map<std::pair<std::uint32_t, std::uint32_t>, RangeSet>> came_;
    std::map<std::uint32_t, std::set<std::pair<std::uint32_t, std::uint32_t>>> lengths_;  // of them, those whose length depends
    std::map<std::uint32_t, RangeSet> began_with_;              // by process: memory from the one that it is like
    std::set<std::pair<std::uint32_t, std::uint32_t>> chosen_;  // operations whose beginning depends, by process
    std::set<std::uint32_t> waiting_;                           // processes to pass
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<bool>> taken_;
    std::set<std::string> doubts_;
    unsigned nesting_ = 0;
};

}  // namespace tmon_flowback
