// TaskCheck: whether the records of one task are all there and in order, and how long its parts stayed on their nodes. Private.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <farm_spec/farm_tree.hpp>
#include <trace_record/event.hpp>

namespace tmon_detrek {

// The longest stays of parts on nodes that ended, in microseconds of these nodes' clocks. Index: level of the node.
struct LongestStays {
    std::vector<std::optional<std::uint64_t>> held;    // from its arrival until its result left, or a first part of it
    std::vector<std::optional<std::uint64_t>> branch;  // from the first part that left to the last
    std::vector<std::optional<std::uint64_t>> join;    // from the last result that came until its own left

    void take(const LongestStays& other);
};

class TaskCheck {
public:
    // Both outlive it.
    TaskCheck(const farm_spec::FarmSpec& spec, const farm_spec::FarmTree& tree) : spec_(spec), tree_(tree) {}

    // Numbers of two records of a node: the arrival of a part, and its result that left.
    struct Visit {
        std::uint16_t node = 1;
        std::uint32_t came_seq = 0, left_seq = 0;
    };
    // The parent's clock when it had the result, less the worker's at its last record before that left. The worker's came
    // first, so this bounds the difference of the two clocks from above.
    struct Step {
        std::uint16_t worker = 1;
        std::int64_t us = 0;
    };
    struct Complete {
        std::vector<Visit> visits;
        std::vector<Step> steps;
        LongestStays stays;
    };
    // `records`: all of one task, in any order. Empty: some message lacks a record, or a rule of EventGraphs would find a
    // contradiction. Cost: n log n.
    std::optional<Complete> complete(std::vector<trace_record::Event> records) const;

private:
    const farm_spec::FarmSpec& spec_;
    const farm_spec::FarmTree& tree_;
};

}  // namespace tmon_detrek
