// Merges by time stamp of the records as they arrive, against which the causal sorter is measured (Kimelman and Zernik 1993,
// section 3). None of them looks at causes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>
#include <vector>

#include <trace_record/event.hpp>

namespace tmon_order {

enum class MergeKind : std::uint8_t {
    Arrival,  // each record as it comes
    Oldest,   // of the records that come at one moment, the one with the least time first
    Wait,     // the record with the least time, when each stream that goes on has one here
};
inline constexpr std::size_t merge_kinds = 3;
std::string_view merge_name(MergeKind kind);  // "arrival"

class StreamMerge {
public:
    // Gets each record in the order of the merge.
    using Report = std::function<void(const trace_record::Event&)>;

    StreamMerge(MergeKind kind, std::uint16_t nodes, Report report);
    // The moment of what comes next, by the host's clock; it does not decrease.
    void moment(std::uint64_t came_us);
    // Records of one node come in the order of their numbers. EXPECTS a node that exists. Cost: logarithmic in the nodes.
    void record(const trace_record::Event& event);
    // The node makes no more records. EXPECTS a node that exists.
    void ended(std::uint16_t node);
    // Gives all that is left, the least time first.
    void finish();
    std::uint64_t held() const { return held_; }

private:
    struct Head {
        std::uint64_t time_us;
        std::uint16_t node;
        friend bool operator<(const Head& a, const Head& b) {  // the earliest is on top of a heap
            return a.time_us != b.time_us ? a.time_us > b.time_us : a.node > b.node;
        }
    };
    void give_while(const std::function<bool()>& wanted);
    bool is_waited_for(std::uint16_t node) const { return streams_[node].empty() && !ended_[node]; }

    const MergeKind kind_;
    const Report report_;
    std::vector<std::deque<trace_record::Event>> streams_;
    std::vector<bool> ended_;
    std::vector<Head> heads_;
    std::size_t waited_for_;  // streams that go on and have no record here
    std::uint64_t held_ = 0, moment_us_ = 0;
};

}  // namespace tmon_order
