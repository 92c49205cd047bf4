// Merges by time stamp of the records as they arrive, against which the causal sorter is measured (Kimelman and Zernik 1993,
// section 3). None of them looks at causes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <trace_record/event.hpp>

namespace tmon_order {

enum class MergeKind : std::uint8_t {
    Arrival,  // each record as it comes
    Oldest,   // of the records that come at one moment, the one with the least time first
    Wait,     // the record with the least time, when each stream that goes on has one here
    Promise,  // as Wait, but a heartbeat stands for a record: "no record of this node before that time"
};
inline constexpr std::size_t merge_kinds = 4;
std::string_view merge_name(MergeKind kind);  // "arrival", "oldest", "wait", "wait+flush+heartbeat"

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
    // Records of the node that come later have this time or a later one. EXPECTS a node that exists. Cost: logarithmic.
    void heartbeat(std::uint16_t node, std::uint64_t before_us);
    // Gives all that is left, the least time first.
    void finish();
    std::uint64_t held() const { return held_; }
    // Records that came although a heartbeat had said that they would not.
    std::uint64_t against_heartbeats() const { return against_heartbeats_; }

private:
    struct Head {
        std::uint64_t time_us;
        std::uint16_t node;
        friend bool operator<(const Head& a, const Head& b) {  // the earliest is on top of a heap
            return a.time_us != b.time_us ? a.time_us > b.time_us : a.node > b.node;
        }
    };
    template <class Wanted>
    void give_while(Wanted wanted);
    void give_what_may_go();
    bool is_waited_for(std::uint16_t node) const { return streams_[node].empty() && !ended_[node]; }
    void wait_for(std::uint16_t node);
    void wait_no_more_for(std::uint16_t node);

    const MergeKind kind_;
    const Report report_;
    std::vector<std::deque<trace_record::Event>> streams_;
    std::vector<bool> ended_;
    std::vector<Head> heads_;
    std::vector<std::uint64_t> promised_us_, next_us_;  // of heartbeats; the least time of a record that may still come
    // Streams that go on and have no record here. Promise: by the least time of a record that may still come, and node.
    std::size_t waited_for_;
    std::set<std::pair<std::uint64_t, std::uint16_t>> waited_until_;
    std::uint64_t held_ = 0, moment_us_ = 0, against_heartbeats_ = 0;
};

}  // namespace tmon_order
