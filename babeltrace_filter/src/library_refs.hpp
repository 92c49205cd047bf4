// Owned references to objects of libbabeltrace2, and the error of this plugin.
#pragma once

#include <babeltrace2/babeltrace.h>

#include <memory>
#include <new>
#include <stdexcept>

namespace babeltrace_filter {

// Its text becomes a cause of the library's error.
class FilterError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

template <auto put>
struct Put {
    template <class Object>
    void operator()(Object* object) const {
        put(object);
    }
};

using TraceClassRef = std::unique_ptr<bt_trace_class, Put<bt_trace_class_put_ref>>;
using TraceRef = std::unique_ptr<bt_trace, Put<bt_trace_put_ref>>;
using StreamClassRef = std::unique_ptr<bt_stream_class, Put<bt_stream_class_put_ref>>;
using StreamRef = std::unique_ptr<bt_stream, Put<bt_stream_put_ref>>;
using EventClassRef = std::unique_ptr<bt_event_class, Put<bt_event_class_put_ref>>;
using ClockClassRef = std::unique_ptr<bt_clock_class, Put<bt_clock_class_put_ref>>;
using FieldClassRef = std::unique_ptr<bt_field_class, Put<bt_field_class_put_ref>>;
using PacketRef = std::unique_ptr<bt_packet, Put<bt_packet_put_ref>>;
using KeptTraceRef = std::unique_ptr<const bt_trace, Put<bt_trace_put_ref>>;
using MessageRef = std::unique_ptr<const bt_message, Put<bt_message_put_ref>>;
using UpstreamRef = std::unique_ptr<bt_message_iterator, Put<bt_message_iterator_put_ref>>;

// The library gives a null object, or another status than 0, when it has no memory.
template <class Object>
Object* made(Object* object) {
    if (object == nullptr) throw std::bad_alloc();
    return object;
}
inline void check(int status) {
    if (status != 0) throw std::bad_alloc();
}

}  // namespace babeltrace_filter
