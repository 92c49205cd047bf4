// LogicalTime: vector time stamps by replay of the recorded messages (thesis, Lin 1993, section 5.4.1). The replay uses the
// thesis' stack of runnable processors, its queue of pending events per node, and the sends that wait for their receive.
//
// Two deviations do not change any stamp of a whole trace. First, sends and receives are paired before the replay, in order,
// by (from, to, task, sub-task, direction). So a receive whose send was lost does not block its node for ever. Second, vectors
// are kept only for messages under way and for one event in 256. Other vectors are rebuilt from the 8-byte link of each event.
// Cost: building is linear in the events and takes about 24 bytes an event; a query visits at most 256 events a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include <tmon_streams/trace.hpp>

namespace tmon_order {

using trace_record::Event;
using trace_record::EventKind;

// An event: its index (from 0) among those received from the node.
struct EventRef {
    std::uint16_t node = 0;
    std::uint32_t index = 0;

    friend bool operator==(const EventRef&, const EventRef&) = default;
};

using VectorStamp = std::vector<std::uint32_t>;  // one count a node; the thesis' step D is 1

class LogicalTime {
public:
    using Visitor = std::function<void(EventRef, const VectorStamp&)>;

    // The trace must outlive this object. It holds task events only: see task_view(). `visit` gets each event and its stamp, in
    // the order of the replay: an event comes after all that happened before it.
    explicit LogicalTime(const tmon_streams::Trace& trace, const Visitor& visit = {});

    // For each node, the number of its events that happened before this one, counting this event itself. The entry of the
    // event's own node is index + 1.
    VectorStamp stamp(EventRef event) const;
    // True when a happened before b; false for an event and itself.
    bool happens_before(EventRef a, EventRef b) const;
    // The other end of the message, if it was recorded.
    std::optional<EventRef> partner(EventRef event) const;

    const std::vector<EventRef>& unmatched_sends() const { return unmatched_sends_; }
    const std::vector<EventRef>& unmatched_receives() const { return unmatched_receives_; }
    // Receives that had to proceed before their send because the trace contradicts itself (a cycle). 0 in any real history.
    std::size_t contradictions() const { return contradictions_; }

    const Event& event(EventRef ref) const;

private:
    static constexpr std::uint64_t no_link = std::numeric_limits<std::uint64_t>::max();
    static constexpr std::uint32_t checkpoint_every = 256;
    class Replay;

    std::uint64_t number(EventRef ref) const { return first_[ref.node] + ref.index; }
    EventRef ref(std::uint64_t number) const;
    void pair_messages();
    void list_unmatched();

    const tmon_streams::Trace& trace_;
    std::vector<std::uint64_t> first_;                     // number of a node's first event; one more entry than nodes
    std::vector<std::vector<std::size_t>> part_begin_;     // a node's parts: index of the first event of each
    std::vector<std::uint64_t> link_;                      // by event number: the other end, or no_link
    std::vector<std::vector<std::uint32_t>> checkpoints_;  // by node: stamps of events 0, 256, 512, ... one after the other
    std::vector<EventRef> unmatched_sends_;
    std::vector<EventRef> unmatched_receives_;
    std::size_t contradictions_ = 0;
};

}  // namespace tmon_order
