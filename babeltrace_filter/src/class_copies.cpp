#include "class_copies.hpp"

#include <array>
#include <cstring>
#include <set>

#include <fmt/format.h>
#include <tmon_order/causal_sorter.hpp>
#include <vocabulary/nearest_name.hpp>

#include "field_copies.hpp"

namespace babeltrace_filter {
namespace {

constexpr std::int64_t ns_a_second = 1'000'000'000, most_offset_ns = std::int64_t{1} << 62;

// The reasons of tmon_order::Assumed by their numbers.
constexpr std::array<const char*, 7> assumed_names{"nothing",  "lost",    "never-began", "stream-ended",
                                                   "given-up", "crossed", "cycle"};

FieldClassRef assumed_class(bt_trace_class* own) {
    FieldClassRef copy(made(bt_field_class_enumeration_unsigned_create(own)));
    bt_field_class_integer_set_field_value_range(copy.get(), 8);
    for (std::size_t i = 0; i < assumed_names.size(); ++i) {
        bt_integer_range_set_unsigned* ranges = made(bt_integer_range_set_unsigned_create());
        const int status = bt_integer_range_set_unsigned_add_range(ranges, i, i);
        const int added =
            status == 0 ? bt_field_class_enumeration_unsigned_add_mapping(copy.get(), assumed_names[i], ranges) : 0;
        bt_integer_range_set_unsigned_put_ref(ranges);
        check(status);
        check(added);
    }
    return copy;
}

void append(bt_field_class* structure, const char* name, bt_field_class* member) {
    if (bt_field_class_structure_borrow_member_by_name_const(structure, name) != nullptr)
        throw FilterError(fmt::format("an event has a field '{}' already: it was sorted before", name));
    check(bt_field_class_structure_append_member(structure, name, member));
}

void copy_environment(const bt_trace* from, bt_trace* to) {
    for (std::uint64_t i = 0; i < bt_trace_get_environment_entry_count(from); ++i) {
        const char* name = nullptr;
        const bt_value* value = nullptr;
        bt_trace_borrow_environment_entry_by_index_const(from, i, &name, &value);
        if (bt_value_is_signed_integer(value)) {
            check(bt_trace_set_environment_entry_integer(to, name, bt_value_integer_signed_get(value)));
        } else if (bt_value_is_string(value)) {
            check(bt_trace_set_environment_entry_string(to, name, bt_value_string_get(value)));
        }
    }
}

}  // namespace

const ClockCopy& ClassCopies::clock(const bt_clock_class* from) {
    const auto found = clocks_.find(from);
    if (found != clocks_.end()) return found->second;
    check_origin(from);
    ClockCopy copy;
    if (bt_clock_class_cycles_to_ns_from_origin(from, 0, &copy.offset_ns) != 0 || copy.offset_ns > most_offset_ns ||
        copy.offset_ns < -most_offset_ns)
        throw FilterError("the offset of a clock is beyond what times in nanoseconds can have");
    std::int64_t seconds = copy.offset_ns / ns_a_second, rest_ns = copy.offset_ns % ns_a_second;
    if (rest_ns < 0) {
        --seconds;
        rest_ns += ns_a_second;
    }
    copy.own.reset(made(bt_clock_class_create(self_)));
    bt_clock_class* own = copy.own.get();
    bt_clock_class_set_frequency(own, ns_a_second);
    bt_clock_class_set_offset(own, seconds, static_cast<std::uint64_t>(rest_ns));
    bt_clock_class_set_origin_is_unix_epoch(own, bt_clock_class_origin_is_unix_epoch(from));
    if (const char* name = bt_clock_class_get_name(from)) check(bt_clock_class_set_name(own, name));
    check(bt_clock_class_set_description(own, "final times of a causal sort"));
    // The id of the origin. The library compares it to see whether times of two traces belong together, which they still do.
    if (bt_uuid uuid = bt_clock_class_get_uuid(from)) bt_clock_class_set_uuid(own, uuid);
    return clocks_.emplace(from, std::move(copy)).first->second;
}

// Times of two clocks can be compared only when they count from the same moment, as far as the library knows.
void ClassCopies::check_origin(const bt_clock_class* from) {
    if (first_clock_ == nullptr) first_clock_ = from;
    const bool epoch = bt_clock_class_origin_is_unix_epoch(from) != BT_FALSE;
    const bool first_epoch = bt_clock_class_origin_is_unix_epoch(first_clock_) != BT_FALSE;
    const bt_uuid uuid = bt_clock_class_get_uuid(from), first_uuid = bt_clock_class_get_uuid(first_clock_);
    const bool same_uuid = uuid != nullptr && first_uuid != nullptr && std::memcmp(uuid, first_uuid, 16) == 0;
    if (from == first_clock_ || (epoch && first_epoch) || (!epoch && !first_epoch && same_uuid)) return;
    throw FilterError(
        "two clocks need not begin at the same moment; if they do, give source.ctf.fs the parameter "
        "force-clock-class-origin-unix-epoch=yes");
}

bt_trace_class* ClassCopies::trace_class(const bt_trace_class* from) {
    TraceClassRef& own = trace_classes_[from];
    if (own == nullptr) {
        own.reset(made(bt_trace_class_create(self_)));
        bt_trace_class_set_assigns_automatic_stream_class_id(own.get(), BT_FALSE);
    }
    return own.get();
}

bt_trace* ClassCopies::trace(const bt_trace* from) {
    const auto found = traces_.find(from);
    if (found != traces_.end()) return found->second.own.get();
    Trace copy;
    copy.own.reset(made(bt_trace_create(trace_class(bt_trace_borrow_class_const(from)))));
    if (const char* name = bt_trace_get_name(from)) check(bt_trace_set_name(copy.own.get(), name));
    if (bt_uuid uuid = bt_trace_get_uuid(from)) bt_trace_set_uuid(copy.own.get(), uuid);
    copy_environment(from, copy.own.get());
    bt_trace_get_ref(from);
    copy.from.reset(from);
    return traces_.emplace(from, std::move(copy)).first->second.own.get();
}

const StreamClassCopy& ClassCopies::stream_class(const bt_stream_class* from) {
    const auto found = stream_classes_.find(from);
    if (found != stream_classes_.end()) return found->second;
    const bt_clock_class* clock_class = bt_stream_class_borrow_default_clock_class_const(from);
    const std::uint64_t id = bt_stream_class_get_id(from);
    if (clock_class == nullptr)
        throw FilterError(fmt::format("stream class {} has no default clock, so its events have no times", id));
    bt_trace_class* own_trace = trace_class(bt_stream_class_borrow_trace_class_const(from));
    StreamClassCopy copy;
    copy.clock = &clock(clock_class);
    copy.own.reset(made(bt_stream_class_create_with_id(own_trace, id)));
    bt_stream_class* own = copy.own.get();
    bt_stream_class_set_assigns_automatic_event_class_id(own, BT_FALSE);
    bt_stream_class_set_assigns_automatic_stream_id(own, BT_FALSE);
    if (const char* name = bt_stream_class_get_name(from)) check(bt_stream_class_set_name(own, name));
    check(bt_stream_class_set_default_clock_class(own, copy.clock->own.get()));
    copy.packets = bt_stream_class_supports_packets(from) != BT_FALSE;
    copy.packet_begin_time = bt_stream_class_packets_have_beginning_default_clock_snapshot(from) != BT_FALSE;
    copy.packet_end_time = bt_stream_class_packets_have_end_default_clock_snapshot(from) != BT_FALSE;
    copy.lost_event_time = bt_stream_class_discarded_events_have_default_clock_snapshots(from) != BT_FALSE;
    copy.lost_packet_time = bt_stream_class_discarded_packets_have_default_clock_snapshots(from) != BT_FALSE;
    bt_stream_class_set_supports_packets(own, bt_stream_class_supports_packets(from),
                                         bt_stream_class_packets_have_beginning_default_clock_snapshot(from),
                                         bt_stream_class_packets_have_end_default_clock_snapshot(from));
    bt_stream_class_set_supports_discarded_events(own, bt_stream_class_supports_discarded_events(from),
                                                  bt_stream_class_discarded_events_have_default_clock_snapshots(from));
    if (copy.packets)
        bt_stream_class_set_supports_discarded_packets(own, bt_stream_class_supports_discarded_packets(from),
                                                       bt_stream_class_discarded_packets_have_default_clock_snapshots(from));
    const bt_field_class* context = bt_stream_class_borrow_packet_context_field_class_const(from);
    if (context != nullptr)
        check(bt_stream_class_set_packet_context_field_class(own, copy_field_class(own_trace, context).get()));
    const bt_field_class* common = bt_stream_class_borrow_event_common_context_field_class_const(from);
    if (common != nullptr)
        check(bt_stream_class_set_event_common_context_field_class(own, copy_field_class(own_trace, common).get()));
    return stream_classes_.emplace(from, std::move(copy)).first->second;
}

const EventClassCopy& ClassCopies::event_class(const bt_event_class* from) {
    if (from == last_from_) return *last_;
    auto found = event_classes_.find(from);
    if (found == event_classes_.end()) found = event_classes_.emplace(from, copy_event_class(from)).first;
    last_from_ = from;
    last_ = &found->second;
    return *last_;
}

EventClassCopy ClassCopies::copy_event_class(const bt_event_class* from) {
    const bt_stream_class* from_stream = bt_event_class_borrow_stream_class_const(from);
    bt_trace_class* own_trace = trace_class(bt_stream_class_borrow_trace_class_const(from_stream));
    EventClassCopy copy;
    copy.rule = make_rule(from, parameters_);
    copy.own.reset(made(bt_event_class_create_with_id(stream_class(from_stream).own.get(), bt_event_class_get_id(from))));
    bt_event_class* own = copy.own.get();
    if (const char* name = bt_event_class_get_name(from)) check(bt_event_class_set_name(own, name));
    if (const char* uri = bt_event_class_get_emf_uri(from)) check(bt_event_class_set_emf_uri(own, uri));
    bt_event_class_log_level level{};
    if (bt_event_class_get_log_level(from, &level) == BT_PROPERTY_AVAILABILITY_AVAILABLE)
        bt_event_class_set_log_level(own, level);
    const bt_field_class* context = bt_event_class_borrow_specific_context_field_class_const(from);
    if (context != nullptr)
        check(bt_event_class_set_specific_context_field_class(own, copy_field_class(own_trace, context).get()));
    const bt_field_class* payload = bt_event_class_borrow_payload_field_class_const(from);
    const FieldClassRef own_payload = payload != nullptr ? copy_field_class(own_trace, payload)
                                                         : FieldClassRef(made(bt_field_class_structure_create(own_trace)));
    copy.raw_member = bt_field_class_structure_get_member_count(own_payload.get());
    append(own_payload.get(), "magicwire_raw_ns", FieldClassRef(made(bt_field_class_integer_signed_create(own_trace))).get());
    append(own_payload.get(), "magicwire_assumed", assumed_class(own_trace).get());
    check(bt_event_class_set_payload_field_class(own, own_payload.get()));
    return copy;
}

StreamRef ClassCopies::stream(const bt_stream* from) {
    bt_stream_class* own_class = stream_class(bt_stream_borrow_class_const(from)).own.get();
    StreamRef own(made(bt_stream_create_with_id(own_class, trace(bt_stream_borrow_trace_const(from)), bt_stream_get_id(from))));
    if (const char* name = bt_stream_get_name(from)) check(bt_stream_set_name(own.get(), name));
    return own;
}

void ClassCopies::check_names() const {
    if (stream_classes_.empty()) return;
    std::set<std::string> known;
    for (const auto& [from, copy] : stream_classes_) {
        for (std::uint64_t i = 0; i < bt_stream_class_get_event_class_count(from); ++i) {
            const char* name = bt_event_class_get_name(bt_stream_class_borrow_event_class_by_index_const(from, i));
            if (name != nullptr) known.emplace(name);
        }
    }
    for (const Names* names : {&parameters_.send, &parameters_.receive, &parameters_.barrier_begin, &parameters_.barrier_end}) {
        for (const std::string& name : *names) {
            if (known.count(name) > 0) continue;
            const auto nearest = vocabulary::nearest_name(name, {known.begin(), known.end()});
            throw FilterError(fmt::format("no event is called '{}'{}", name,
                                          nearest ? fmt::format("; did you mean '{}'?", *nearest) : std::string()));
        }
    }
}

}  // namespace babeltrace_filter
