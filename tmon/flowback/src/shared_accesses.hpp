// The accesses that a process makes to shared memory, in its order.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <tmon_flowback/races.hpp>

#include "range_set.hpp"

namespace tmon_flowback {

struct SharedAccess {
    flowback_log::Range place;
    EventId event;
    std::uint64_t edge = 0;
    bool writes = false;
};

class SharedAccesses {
public:
    SharedAccesses(RecordedRun& run, RangeSet shared) : run_(run), shared_(std::move(shared)) {}

    // Messages of the process that do_task() sent, or that get_result() gave, divide it into edges.
    std::vector<SharedAccess> of(std::uint32_t process);
    const std::set<std::string>& doubts() const { return doubts_; }

private:
    void in_interval(std::uint32_t process, std::uint32_t interval);
    void at_call(const EventId& call);
    void add(const EventId& event, flowback_log::Range place, bool writes);
    void doubt(std::string text) { doubts_.insert(std::move(text)); }

    RecordedRun& run_;
    RangeSet shared_;
    std::vector<SharedAccess> found_;
    std::uint64_t edge_ = 0;
    std::set<std::string> doubts_;
    unsigned nesting_ = 0;
};

struct SharedBlock {
    flowback_log::Range place;
    EventId allocated;
};
// Blocks that init_master() allocated and did not free, by their addresses.
std::vector<SharedBlock> blocks_left_by(RecordedRun& run, std::uint32_t init_master);

}  // namespace tmon_flowback
