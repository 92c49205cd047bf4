// Own trace, stream and event classes: one for each class of upstream, made when that is first met. Their clocks count
// nanoseconds, and each event has two more fields. The objects live as long as this one.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "event_rules.hpp"
#include "library_refs.hpp"

namespace babeltrace_filter {

struct ClockCopy {
    ClockClassRef own;
    std::int64_t offset_ns = 0;  // of the value 0
};

struct StreamClassCopy {
    StreamClassRef own;
    const ClockCopy* clock = nullptr;
    bool packets = false, packet_begin_time = false, packet_end_time = false;
    bool lost_event_time = false, lost_packet_time = false;
};

struct EventClassCopy {
    EventClassRef own;
    EventRule rule;
    std::uint64_t raw_member = 0;  // index of magicwire_raw_ns in the payload; magicwire_assumed is behind it
};

class ClassCopies {
public:
    ClassCopies(bt_self_component* self, const FilterParameters& parameters) : self_(self), parameters_(parameters) {}

    // Each throws FilterError when this filter cannot handle the class.
    const ClockCopy& clock(const bt_clock_class* from);
    const StreamClassCopy& stream_class(const bt_stream_class* from);
    const EventClassCopy& event_class(const bt_event_class* from);
    // A new stream of the trace's copy.
    StreamRef stream(const bt_stream* from);
    // Throws FilterError when a parameter names an event that no stream class has; not when there was no stream.
    void check_names() const;

private:
    struct Trace {
        TraceRef own;
        KeptTraceRef from;  // so that no other class gets the address of one of its
    };
    void check_origin(const bt_clock_class* from);
    bt_trace* trace(const bt_trace* from);
    EventClassCopy copy_event_class(const bt_event_class* from);
    bt_trace_class* trace_class(const bt_trace_class* from);

    bt_self_component* self_;
    const FilterParameters& parameters_;
    std::unordered_map<const bt_trace_class*, TraceClassRef> trace_classes_;
    std::unordered_map<const bt_trace*, Trace> traces_;
    std::unordered_map<const bt_clock_class*, ClockCopy> clocks_;
    const bt_clock_class* first_clock_ = nullptr;
    std::unordered_map<const bt_stream_class*, StreamClassCopy> stream_classes_;
    std::unordered_map<const bt_event_class*, EventClassCopy> event_classes_;
    const bt_event_class* last_from_ = nullptr;  // most events have the class of the one before
    const EventClassCopy* last_ = nullptr;
};

}  // namespace babeltrace_filter
