// The accesses that the two processes of the manager make to blocks of its heap, each in its order.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <tmon_flowback/races.hpp>

#include "range_set.hpp"

namespace tmon_flowback {

struct HeapBlock {
    flowback_log::Range place;
    EventId allocated;
};

struct SharedAccess {
    flowback_log::Range place;
    EventId event;
    std::uint64_t edge = 0;
    bool writes = false;
    bool own = false;  // in a block that the process allocated itself
};

// Blocks that a process allocated. Which of them it left is known when nothing is in the doubts.
struct Allocations {
    std::map<std::uint64_t, HeapBlock> all;   // by address; the last one there
    std::map<std::uint64_t, HeapBlock> left;  // not freed
    std::set<std::string> doubts;
};
Allocations allocations_of(RecordedRun& run, std::uint32_t process);

class SharedAccesses {
public:
    // Only accesses of `heap` count.
    SharedAccesses(RecordedRun& run, RangeSet heap, std::map<std::uint64_t, std::uint64_t> sizes)
        : run_(run), heap_(std::move(heap)), sizes_(std::move(sizes)) {}

    // Messages of the process that do_task() sent, or that get_result() gave, divide it into edges.
    std::vector<SharedAccess> of(std::uint32_t process);
    const std::set<std::string>& doubts() const { return doubts_; }

private:
    void in_interval(std::uint32_t process, std::uint32_t interval);
    void at_call(const EventId& call);
    void add(const EventId& event, flowback_log::Range place, bool writes);
    void doubt(std::string text) { doubts_.insert(std::move(text)); }

    RecordedRun& run_;
    RangeSet heap_, own_;                             // own: blocks that the process has allocated so far
    std::map<std::uint64_t, std::uint64_t> sizes_{};  // of blocks, by address
    std::vector<SharedAccess> found_;
    std::uint64_t edge_ = 0;
    std::set<std::string> doubts_;
    unsigned nesting_ = 0;
};

}  // namespace tmon_flowback
