// Merges by time stamp of the records as they arrive, against which the causal sorter is measured (Kimelman and Zernik 1993,
// section 3). None of them looks at causes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

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
    ~StreamMerge();
    StreamMerge(const StreamMerge&) = delete;
    StreamMerge& operator=(const StreamMerge&) = delete;
    // The moment of what comes next, by the host's clock; it does not decrease.
    void moment(std::uint64_t came_us);
    // Records of one node come in the order of their numbers. EXPECTS a node that exists. Cost: logarithmic in the nodes.
    void record(const trace_record::Event& event) { records({&event, 1}); }
    void records(std::span<const trace_record::Event> of_one_node);
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
    struct State;
    std::unique_ptr<State> state_;
    std::uint64_t held_ = 0, against_heartbeats_ = 0;
};

}  // namespace tmon_order
