#include "message_copies.hpp"

#include "field_copies.hpp"

namespace babeltrace_filter {
namespace {

// So that no sum of times in the sorter can overflow (causal_iterator.cpp, most_final_ns).
constexpr std::int64_t least_ns = -(std::int64_t{1} << 59), most_ns = std::int64_t{3} << 60;

const bt_clock_snapshot* snapshot_of(const bt_message* message) {
    const bt_clock_snapshot* snapshot = nullptr;
    switch (bt_message_get_type(message)) {
        case BT_MESSAGE_TYPE_STREAM_BEGINNING:
            return bt_message_stream_beginning_borrow_default_clock_snapshot_const(message, &snapshot) ==
                           BT_MESSAGE_STREAM_CLOCK_SNAPSHOT_STATE_KNOWN
                       ? snapshot
                       : nullptr;
        case BT_MESSAGE_TYPE_STREAM_END:
            return bt_message_stream_end_borrow_default_clock_snapshot_const(message, &snapshot) ==
                           BT_MESSAGE_STREAM_CLOCK_SNAPSHOT_STATE_KNOWN
                       ? snapshot
                       : nullptr;
        case BT_MESSAGE_TYPE_EVENT:
            return bt_message_event_borrow_default_clock_snapshot_const(message);
        case BT_MESSAGE_TYPE_PACKET_BEGINNING:
            return bt_message_packet_beginning_borrow_default_clock_snapshot_const(message);
        case BT_MESSAGE_TYPE_PACKET_END:
            return bt_message_packet_end_borrow_default_clock_snapshot_const(message);
        case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
            return bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(message);
        case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
            return bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(message);
        case BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY:
            break;
    }
    return bt_message_message_iterator_inactivity_borrow_clock_snapshot_const(message);
}

// A stream class says which of its messages have a time.
bool may_have_time(const bt_message* message) {
    const bt_stream* stream = stream_of(message);
    if (stream == nullptr) return true;
    const bt_stream_class* of = bt_stream_borrow_class_const(stream);
    switch (bt_message_get_type(message)) {
        case BT_MESSAGE_TYPE_PACKET_BEGINNING:
            return bt_stream_class_packets_have_beginning_default_clock_snapshot(of) != BT_FALSE;
        case BT_MESSAGE_TYPE_PACKET_END:
            return bt_stream_class_packets_have_end_default_clock_snapshot(of) != BT_FALSE;
        case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
            return bt_stream_class_discarded_events_have_default_clock_snapshots(of) != BT_FALSE;
        case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
            return bt_stream_class_discarded_packets_have_default_clock_snapshots(of) != BT_FALSE;
        default:
            return true;
    }
}

std::uint64_t value_of(std::int64_t ns, const ClockCopy& clock) {
    return ns > clock.offset_ns ? static_cast<std::uint64_t>(ns - clock.offset_ns) : 0;
}

// Later than the first time of a range by as much as in the original.
std::uint64_t end_value(const bt_clock_snapshot* begin, const bt_clock_snapshot* end, std::uint64_t value) {
    std::int64_t begin_ns = 0, end_ns = 0;
    if (bt_clock_snapshot_get_ns_from_origin(begin, &begin_ns) != 0 || bt_clock_snapshot_get_ns_from_origin(end, &end_ns) != 0)
        throw FilterError("a time of lost events is beyond what 64 bits can have");
    return end_ns > begin_ns && end_ns <= most_ns ? value + static_cast<std::uint64_t>(end_ns - begin_ns) : value;
}

}  // namespace

const bt_stream* stream_of(const bt_message* message) {
    switch (bt_message_get_type(message)) {
        case BT_MESSAGE_TYPE_STREAM_BEGINNING:
            return bt_message_stream_beginning_borrow_stream_const(message);
        case BT_MESSAGE_TYPE_STREAM_END:
            return bt_message_stream_end_borrow_stream_const(message);
        case BT_MESSAGE_TYPE_EVENT:
            return bt_event_borrow_stream_const(bt_message_event_borrow_event_const(message));
        case BT_MESSAGE_TYPE_PACKET_BEGINNING:
            return bt_packet_borrow_stream_const(bt_message_packet_beginning_borrow_packet_const(message));
        case BT_MESSAGE_TYPE_PACKET_END:
            return bt_packet_borrow_stream_const(bt_message_packet_end_borrow_packet_const(message));
        case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
            return bt_message_discarded_events_borrow_stream_const(message);
        case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
            return bt_message_discarded_packets_borrow_stream_const(message);
        case BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY:
            break;
    }
    return nullptr;
}

MessageTime time_of(const bt_message* message) {
    if (!may_have_time(message)) return {};
    const bt_clock_snapshot* snapshot = snapshot_of(message);
    if (snapshot == nullptr) return {};
    MessageTime time{true, 0};
    if (bt_clock_snapshot_get_ns_from_origin(snapshot, &time.ns) != 0 || time.ns < least_ns || time.ns > most_ns)
        throw FilterError("a time is not between 1951 and 2079 as nanoseconds since 1970");
    return time;
}

MessageRef MessageCopies::copy(const bt_message* from, StreamState& stream, std::int64_t out_ns) {
    const std::uint64_t value = value_of(out_ns, *stream.copy->clock);
    switch (bt_message_get_type(from)) {
        case BT_MESSAGE_TYPE_STREAM_BEGINNING:
            return stream_edge(from, stream, value, true);
        case BT_MESSAGE_TYPE_STREAM_END:
            return stream_edge(from, stream, value, false);
        case BT_MESSAGE_TYPE_PACKET_BEGINNING:
            return packet_edge(from, stream, value, true);
        case BT_MESSAGE_TYPE_PACKET_END:
            return packet_edge(from, stream, value, false);
        case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
            return lost_events(from, stream, value);
        default:
            return lost_packets(from, stream, value);
    }
}

void MessageCopies::append_event(const bt_event* event, std::string& image) {
    for (const bt_field* part :
         {bt_event_borrow_common_context_field_const(event), bt_event_borrow_specific_context_field_const(event),
          bt_event_borrow_payload_field_const(event)}) {
        if (part != nullptr) append_image(part, image);
    }
}

MessageRef MessageCopies::event(const EventClassCopy& of, const std::string& image, const StreamState& stream,
                                std::int64_t out_ns, std::int64_t raw_ns, tmon_order::Assumed assumed) {
    if (stream.copy->packets && stream.packet == nullptr)
        throw FilterError("an event is not in a packet, against its stream class");
    const std::uint64_t value = value_of(out_ns, *stream.copy->clock);
    bt_message* message = made(
        stream.copy->packets
            ? bt_message_event_create_with_packet_and_default_clock_snapshot(self_, of.own.get(), stream.packet.get(), value)
            : bt_message_event_create_with_default_clock_snapshot(self_, of.own.get(), stream.own, value));
    MessageRef result(message);
    bt_event* event = bt_message_event_borrow_event(message);
    const char* at = image.data();
    if (bt_field* context = bt_event_borrow_common_context_field(event)) restore_image(at, context);
    if (bt_field* context = bt_event_borrow_specific_context_field(event)) restore_image(at, context);
    bt_field* payload = bt_event_borrow_payload_field(event);
    restore_members(at, payload, of.raw_member);
    bt_field_integer_signed_set_value(bt_field_structure_borrow_member_field_by_index(payload, of.raw_member), raw_ns);
    bt_field_integer_unsigned_set_value(bt_field_structure_borrow_member_field_by_index(payload, of.raw_member + 1),
                                        static_cast<std::uint64_t>(assumed));
    return result;
}

MessageRef MessageCopies::stream_edge(const bt_message* from, StreamState& stream, std::uint64_t value, bool begins) {
    bt_message* message =
        made(begins ? bt_message_stream_beginning_create(self_, stream.own) : bt_message_stream_end_create(self_, stream.own));
    MessageRef result(message);
    if (snapshot_of(from) == nullptr) return result;
    if (begins) {
        bt_message_stream_beginning_set_default_clock_snapshot(message, value);
    } else {
        bt_message_stream_end_set_default_clock_snapshot(message, value);
    }
    return result;
}

MessageRef MessageCopies::packet_edge(const bt_message* from, StreamState& stream, std::uint64_t value, bool begins) {
    if (begins) {
        stream.packet.reset(made(bt_packet_create(stream.own)));
        const bt_field* context = bt_packet_borrow_context_field_const(bt_message_packet_beginning_borrow_packet_const(from));
        if (context != nullptr) {
            std::string image;
            append_image(context, image);
            const char* at = image.data();
            restore_image(at, bt_packet_borrow_context_field(stream.packet.get()));
        }
        return MessageRef(
            made(stream.copy->packet_begin_time
                     ? bt_message_packet_beginning_create_with_default_clock_snapshot(self_, stream.packet.get(), value)
                     : bt_message_packet_beginning_create(self_, stream.packet.get())));
    }
    if (stream.packet == nullptr) throw FilterError("a packet ends that did not begin");
    const PacketRef packet = std::move(stream.packet);
    return MessageRef(made(stream.copy->packet_end_time
                               ? bt_message_packet_end_create_with_default_clock_snapshot(self_, packet.get(), value)
                               : bt_message_packet_end_create(self_, packet.get())));
}

MessageRef MessageCopies::lost_events(const bt_message* from, StreamState& stream, std::uint64_t value) {
    bt_message* message = nullptr;
    if (stream.copy->lost_event_time) {
        const std::uint64_t end = end_value(bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(from),
                                            bt_message_discarded_events_borrow_end_default_clock_snapshot_const(from), value);
        message = made(bt_message_discarded_events_create_with_default_clock_snapshots(self_, stream.own, value, end));
    } else {
        message = made(bt_message_discarded_events_create(self_, stream.own));
    }
    std::uint64_t count = 0;
    if (bt_message_discarded_events_get_count(from, &count) == BT_PROPERTY_AVAILABILITY_AVAILABLE)
        bt_message_discarded_events_set_count(message, count);
    return MessageRef(message);
}

MessageRef MessageCopies::lost_packets(const bt_message* from, StreamState& stream, std::uint64_t value) {
    bt_message* message = nullptr;
    if (stream.copy->lost_packet_time) {
        const std::uint64_t end = end_value(bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(from),
                                            bt_message_discarded_packets_borrow_end_default_clock_snapshot_const(from), value);
        message = made(bt_message_discarded_packets_create_with_default_clock_snapshots(self_, stream.own, value, end));
    } else {
        message = made(bt_message_discarded_packets_create(self_, stream.own));
    }
    std::uint64_t count = 0;
    if (bt_message_discarded_packets_get_count(from, &count) == BT_PROPERTY_AVAILABILITY_AVAILABLE)
        bt_message_discarded_packets_set_count(message, count);
    return MessageRef(message);
}

MessageRef MessageCopies::inactivity(const ClockCopy& clock, std::int64_t out_ns) {
    return MessageRef(made(bt_message_message_iterator_inactivity_create(self_, clock.own.get(), value_of(out_ns, clock))));
}

}  // namespace babeltrace_filter
