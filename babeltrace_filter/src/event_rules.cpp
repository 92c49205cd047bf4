#include "event_rules.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace babeltrace_filter {
namespace {

using Scope = FieldPlace::Scope;

const bt_field_class* structure_of(const bt_event_class* event_class, Scope scope) {
    const bt_stream_class* stream_class = bt_event_class_borrow_stream_class_const(event_class);
    switch (scope) {
        case Scope::Payload:
            return bt_event_class_borrow_payload_field_class_const(event_class);
        case Scope::SpecificContext:
            return bt_event_class_borrow_specific_context_field_class_const(event_class);
        case Scope::CommonContext:
            return bt_stream_class_borrow_event_common_context_field_class_const(stream_class);
        case Scope::PacketContext:
            break;
    }
    return bt_stream_class_borrow_packet_context_field_class_const(stream_class);
}

bool is_number(bt_field_class_type type) {
    return bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_INTEGER) || type == BT_FIELD_CLASS_TYPE_BOOL ||
           type == BT_FIELD_CLASS_TYPE_BIT_ARRAY;
}
bool is_value(bt_field_class_type type) {
    return is_number(type) || type == BT_FIELD_CLASS_TYPE_STRING;
}
bool is_array(bt_field_class_type type) {
    return bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY);
}

constexpr std::array scopes{Scope::Payload, Scope::SpecificContext, Scope::CommonContext, Scope::PacketContext};

class Finder {
public:
    explicit Finder(const bt_event_class* event_class) : event_class_(event_class) {}

    template <class Is>
    FieldPlace find(const std::string& name, const Is& is, const char* wanted) const {
        for (const Scope scope : scopes) {
            const bt_field_class* structure = structure_of(event_class_, scope);
            if (structure == nullptr) continue;
            for (std::uint64_t i = 0; i < bt_field_class_structure_get_member_count(structure); ++i) {
                const auto* member = bt_field_class_structure_borrow_member_by_index_const(structure, i);
                if (name != bt_field_class_structure_member_get_name(member)) continue;
                const bt_field_class* of = bt_field_class_structure_member_borrow_field_class_const(member);
                if (!is(bt_field_class_get_type(of)))
                    throw FilterError(fmt::format("field '{}' of event '{}' is {}", name, event_name(), wanted));
                if (is_array(bt_field_class_get_type(of)) &&
                    !is_number(bt_field_class_get_type(bt_field_class_array_borrow_element_field_class_const(of))))
                    throw FilterError(fmt::format("field '{}' of event '{}' is {}", name, event_name(), wanted));
                return {scope, i};
            }
        }
        throw FilterError(fmt::format("event '{}' has no field '{}'; it has {}", event_name(), name, all_names()));
    }
    FieldPlace number(const std::string& name) const { return find(name, is_number, "no whole number"); }
    std::optional<FieldPlace> number_if(const std::string& name) const {
        return name.empty() ? std::nullopt : std::optional(number(name));
    }
    std::vector<FieldPlace> values(const Names& names) const {
        std::vector<FieldPlace> places;
        for (const std::string& name : names) places.push_back(find(name, is_value, "neither a whole number nor a string"));
        return places;
    }

private:
    std::string event_name() const {
        const char* name = bt_event_class_get_name(event_class_);
        return name != nullptr ? name : "";
    }
    std::string all_names() const {
        std::string text;
        for (const Scope scope : scopes) {
            const bt_field_class* structure = structure_of(event_class_, scope);
            for (std::uint64_t i = 0; structure != nullptr && i < bt_field_class_structure_get_member_count(structure); ++i)
                text += fmt::format("{}'{}'", text.empty() ? "" : ", ",
                                    bt_field_class_structure_member_get_name(
                                        bt_field_class_structure_borrow_member_by_index_const(structure, i)));
        }
        return text.empty() ? "none" : text;
    }
    const bt_event_class* event_class_;
};

Part part_of(const bt_event_class* event_class, const FilterParameters& parameters) {
    const char* name = bt_event_class_get_name(event_class);
    const auto is_in = [name](const Names& names) {
        return name != nullptr && std::find(names.begin(), names.end(), name) != names.end();
    };
    if (is_in(parameters.send)) return Part::Send;
    if (is_in(parameters.receive)) return Part::Receive;
    if (is_in(parameters.barrier_begin)) return Part::BarrierBegin;
    return is_in(parameters.barrier_end) ? Part::BarrierEnd : Part::None;
}

}  // namespace

EventRule make_rule(const bt_event_class* event_class, const FilterParameters& all) {
    EventRule rule;
    rule.part = part_of(event_class, all);
    const Finder finder(event_class);
    if (rule.part == Part::Send || rule.part == Part::Receive) {
        const bool send = rule.part == Part::Send;
        rule.key = finder.values(send ? all.send_key : all.receive_key);
        rule.channel = finder.values(send ? all.send_channel : all.receive_channel);
        rule.number = finder.number_if(send ? all.send_number : all.receive_number);
        rule.partner = finder.number_if(send ? all.send_partner : all.receive_partner);
    } else if (rule.part != Part::None) {
        rule.key = finder.values(all.group);
        rule.instance = finder.number_if(all.instance);
        if (!all.members.empty()) rule.members = finder.find(all.members, is_array, "no array of whole numbers");
    }
    return rule;
}

const bt_field* field_at(const bt_event* event, const FieldPlace& place) {
    const bt_field* structure = nullptr;
    switch (place.scope) {
        case Scope::Payload:
            structure = bt_event_borrow_payload_field_const(event);
            break;
        case Scope::SpecificContext:
            structure = bt_event_borrow_specific_context_field_const(event);
            break;
        case Scope::CommonContext:
            structure = bt_event_borrow_common_context_field_const(event);
            break;
        case Scope::PacketContext: {
            const bt_stream_class* stream_class = bt_event_class_borrow_stream_class_const(bt_event_borrow_class_const(event));
            if (bt_stream_class_supports_packets(stream_class) == BT_FALSE) return nullptr;
            const bt_packet* packet = bt_event_borrow_packet_const(event);
            structure = packet != nullptr ? bt_packet_borrow_context_field_const(packet) : nullptr;
            break;
        }
    }
    return structure != nullptr ? bt_field_structure_borrow_member_field_by_index_const(structure, place.index) : nullptr;
}

std::uint64_t number_in(const bt_field* field) {
    const bt_field_class_type type = bt_field_get_class_type(field);
    if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)) return bt_field_integer_unsigned_get_value(field);
    if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
        return static_cast<std::uint64_t>(bt_field_integer_signed_get_value(field));
    if (type == BT_FIELD_CLASS_TYPE_BOOL) return bt_field_bool_get_value(field) != BT_FALSE ? 1 : 0;
    return bt_field_bit_array_get_value_as_integer(field);
}

void append_values(const bt_event* event, const std::vector<FieldPlace>& places, std::string& bytes) {
    const auto append = [&bytes](std::uint64_t number) { bytes.append(reinterpret_cast<const char*>(&number), sizeof number); };
    for (const FieldPlace& place : places) {
        const bt_field* field = field_at(event, place);
        if (field == nullptr) {
            append(0);
        } else if (bt_field_get_class_type(field) == BT_FIELD_CLASS_TYPE_STRING) {
            append(bt_field_string_get_length(field));
            bytes.append(bt_field_string_get_value(field), bt_field_string_get_length(field));
        } else {
            append(number_in(field));
        }
    }
}

}  // namespace babeltrace_filter
